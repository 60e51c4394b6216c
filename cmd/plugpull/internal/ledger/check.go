package ledger

import (
	"bytes"
	"fmt"
	"iter"

	"walbench.example/wal"
)

// Finding is what a recovered log held.
type Finding struct {
	Records  int // shown
	Required int // of them acknowledged before the cut
	Lost     int // acknowledged before the cut, not trimmed, and not shown
}

// Check holds the records that a log shows after a cut at a position against
// the ledger. They must be a prefix, but for what was trimmed, of what had
// been appended by then, byte for byte, in order, batches whole, with all that
// was acknowledged by then. The error says what is wrong first; shown says of
// each entry whether it was there.
func (l *Ledger) Check(cut uint64, recs iter.Seq2[wal.Record, error]) (f Finding, shown []bool, err error) {
	shown = make([]bool, len(l.Entries))
	wrong := l.mark(cut, recs, shown)
	below := l.trimmed(cut)
	ended := -1 // the first entry that is missing though nobody trimmed it
	begun := false
	for i := range l.Entries {
		e := &l.Entries[i]
		if e.Begun >= cut || e.Gone <= cut {
			continue
		}
		required := e.Acked <= cut && e.LSN >= below
		switch {
		case shown[i]:
			f.Records++
			begun = true
			if required {
				f.Required++
			}
			if ended >= 0 && wrong == nil {
				wrong = fmt.Errorf("%v is there, and %v before it is not", e, &l.Entries[ended])
			}
		case begun || e.LSN >= below:
			if ended < 0 {
				ended = i
			}
			if e.Acked <= cut && (begun || required) {
				f.Lost++
				if wrong == nil {
					wrong = fmt.Errorf("%v was acknowledged at %d, and the cut at %d lost it", e, e.Acked, cut)
				}
			}
		}
	}
	if wrong == nil {
		wrong = l.halves(shown)
	}
	return f, shown, wrong
}

// mark finds each record's entry. It stops at the first that is wrong.
func (l *Ledger) mark(cut uint64, recs iter.Seq2[wal.Record, error], shown []bool) error {
	index := make(map[Name]int, len(l.Entries))
	for i := range l.Entries {
		index[l.Entries[i].Name] = i
	}
	var buf []byte
	last := -1
	for rec, err := range recs {
		if err != nil {
			return fmt.Errorf("reading the records: %w", err)
		}
		name, ok := parse(rec.Data)
		at, known := index[name]
		if !ok || !known {
			return fmt.Errorf("%d bytes at %v were never appended", len(rec.Data), rec.LSN)
		}
		e := &l.Entries[at]
		buf = appendRecord(buf[:0], l.Seed, e)
		final := e.Serial == e.First+e.Size-1
		switch {
		case !bytes.Equal(rec.Data, buf):
			return fmt.Errorf("%v at %v differs from what was appended", e, rec.LSN)
		case final && rec.LSN != e.LSN || rec.LSN > e.LSN:
			return fmt.Errorf("%v was appended at %v and stands at %v", e, e.LSN, rec.LSN)
		case e.Begun >= cut:
			return fmt.Errorf("%v is there at %d, before it was appended at %d", e, cut, e.Begun)
		case e.Gone <= cut:
			return fmt.Errorf("%v is back at %d: the recovery at %d had not shown it", e, cut, e.Gone)
		case at <= last:
			return fmt.Errorf("%v is out of order", e)
		}
		shown[at], last = true, at
	}
	return nil
}

// trimmed returns up to where the log may have been trimmed.
func (l *Ledger) trimmed(cut uint64) wal.LSN {
	var below wal.LSN
	for _, t := range l.Trims {
		if t.Begun < cut {
			below = max(below, t.Below)
		}
	}
	return below
}

// halves looks for a batch of which only a part is shown.
func (l *Ledger) halves(shown []bool) error {
	for i, there := range shown {
		e := &l.Entries[i]
		if !there || e.Size == 1 {
			continue
		}
		at := int(e.Serial - e.First)
		for j := i - at; j < i-at+int(e.Size); j++ {
			if j < 0 || j >= len(shown) || !shown[j] {
				return fmt.Errorf("%v is there without the rest of its batch", e)
			}
		}
	}
	return nil
}

// Recovered returns the ledger of a log's next life: a recovery, complete at
// position now, showed these entries, which must not be lost again. cut is the
// position of the ledger that was recovered from; fresh says that the device
// has begun to count anew since.
func (l *Ledger) Recovered(cut, now uint64, shown []bool, fresh bool) Ledger {
	next := Ledger{Seed: l.Seed, Trims: []Trim{{l.trimmed(cut), 0}}}
	for i, e := range l.Entries {
		switch {
		case fresh && !shown[i]:
			continue
		case fresh:
			e.Begun = 0
			if e.Acked <= cut {
				e.Acked = 0
			} else {
				e.Acked = now
			}
			// Before now, too, the cut may not bring back what is not shown:
			// such entries are left out.
		case shown[i]:
			e.Acked = min(e.Acked, now)
		default:
			e.Gone = min(e.Gone, now)
		}
		next.Entries = append(next.Entries, e)
	}
	if !fresh {
		next.Trims = l.Trims
	}
	return next
}

// String names the record in a report.
func (e *Entry) String() string {
	if e.Size > 1 {
		return fmt.Sprintf("record %d.%d (of a batch of %d)", e.Writer, e.Serial, e.Size)
	}
	return fmt.Sprintf("record %d.%d", e.Writer, e.Serial)
}
