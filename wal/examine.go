package wal

import "errors"

// Tally counts records.
type Tally struct {
	Segments int
	Records  int64
	Bytes    int64 // of their payload
}

// examination is what a log with damage in it holds on either side.
type examination struct {
	*survey
	damage *CorruptionError // the first in log order; nil: there is none

	// live, and recovery.End in its last segment, are what is whole before the
	// damage, in whole batches; first and last are its records.
	kept        Tally
	first, last LSN

	// cut says that live ended further on before its frames were read, and
	// apart that the log is whole but for foreign segments beside it.
	cut, apart bool

	// torn says that the last of live holds bytes behind the end that are no
	// part of it, and rest are the files, by number, of which nothing is kept:
	// segments behind the damage, and foreign ones. Both are counted in behind.
	torn   bool
	rest   []uint32
	behind Tally

	number uint32 // the highest that any segment of the log is known to have had
}

// examine finds the first damage of a log, in log order, and what stands on
// either side of it, and changes nothing. Recovery comes from the end and stops
// at what it meets; examine goes on from there towards the front:
//
//  1. Leave out what is foreign. Where that was the front, nothing is whole.
//  2. Survey the rest. Where a segment is damaged or missing, survey again what
//     stands below it, until there is an end.
//  3. Read every frame up to there. Where one is damaged, the log ends.
//  4. Count what can still be read of all else.
func examine(d *dir) (*examination, error) {
	all, err := readHeads(d)
	if err != nil {
		return nil, err
	}
	x := &examination{number: all.last}
	if err := x.findEnd(all); err != nil {
		return nil, err
	}
	x.checkFront(all)
	if err := x.readFrames(); err != nil {
		return nil, err
	}
	x.apart = x.damage == nil
	for _, n := range all.order {
		if c := all.foreign[n]; c != nil && (x.damage == nil || x.damage.Kind == Gap && x.damage.LSN == c.LSN) {
			x.damage = c
		}
	}
	if x.damage == nil {
		return x, nil
	}
	r := &x.recovery
	r.Promised = min(r.Promised, r.End)
	r.Clean, r.TornBytes, r.TornSegment, r.Dead = false, 0, "", nil
	return x, x.countBehind(all)
}

// findEnd surveys what stands below a limit, which it lowers until there is an
// end.
func (x *examination) findEnd(all *survey) error {
	for limit := uint64(all.last) + 1; ; {
		x.survey = all.below(limit)
		err := x.judge()
		c, damaged := errors.AsType[*CorruptionError](err)
		if err != nil && !damaged {
			return err
		}
		// What is damaged at the limit or above has been found before.
		if damaged && (x.damage == nil || uint64(c.LSN.Segment()) < limit) {
			x.damage = c
		}
		if x.ended && !damaged && x.damage != nil && x.sealed == 0 {
			// The log went on above, so this segment was left by a seal.
			end := x.recovery.End
			x.damage = x.fault(Damaged, end.Segment(), end.Offset(), "its end is damaged: "+x.damage.Segment+": "+x.damage.Reason)
		}
		if x.ended {
			return nil
		}
		if len(x.live) == 0 {
			return nil // nothing is whole, or there is nothing
		}
		limit = uint64(c.LSN.Segment())
		if c.Offset > headerSize {
			limit++ // cut short: its start is whole
		}
	}
}

// checkFront finds that the front was not trimmed: a foreign segment has its
// place.
func (x *examination) checkFront(all *survey) {
	if len(x.live) == 0 {
		return
	}
	front := x.heads[x.live[0].number]
	if c := all.foreign[front.link.Segment()]; c != nil {
		x.damage = c
		x.live, x.recovery.End, x.recovery.Promised, x.sealed = nil, 0, 0, 0
	}
}

// below returns the part of a survey's own segments whose numbers are smaller
// than the limit, to be judged.
func (s *survey) below(limit uint64) *survey {
	b := &survey{dir: s.dir, heads: map[uint32]*head{}, seed: s.seed, recovery: Recovery{id: s.recovery.id}}
	for _, n := range s.order {
		if s.foreign[n] == nil && uint64(n) < limit {
			b.heads[n] = s.heads[n]
			b.order = append(b.order, n)
			b.last = n
		}
	}
	return b
}

// readFrames reads what should be whole, and ends the log where it is not.
func (x *examination) readFrames() error {
	for i, seg := range x.live {
		end := seg.end
		if i == len(x.live)-1 {
			end = x.recovery.End.Offset()
		}
		whole, err := x.readSegment(seg, end)
		if err != nil {
			return err
		}
		x.kept.Segments++
		if whole < end {
			x.live, x.recovery.End, x.cut = x.live[:i+1], seg.lsn(whole), true
			return nil
		}
	}
	return nil
}

// readSegment reads frames up to end, and returns how far they are whole.
func (x *examination) readSegment(seg *segment, end int64) (whole int64, err error) {
	sc, err := openScanner(x.dir, seg.number, x.seed, headerSize)
	if err != nil {
		return 0, err
	}
	defer sc.close()
	var batch Tally
	var first LSN
	for whole = sc.off; sc.off < end; {
		f, ok := sc.next()
		if !ok && sc.err != nil {
			return 0, sc.err
		}
		if !ok {
			x.damage = x.fault(Damaged, seg.number, sc.off, "a frame is damaged that was durable")
			return whole, nil
		}
		if f.kind == kindRecord || f.kind == kindPart {
			batch.Records++
			batch.Bytes += int64(len(f.payload))
			if first == 0 {
				first = f.lsn
			}
		}
		if f.kind == kindPart {
			continue
		}
		whole = sc.off
		if batch.Records > 0 {
			x.kept.Records += batch.Records
			x.kept.Bytes += batch.Bytes
			x.last = f.lsn
			if x.first == 0 {
				x.first = first
			}
			batch, first = Tally{}, 0
		}
	}
	return whole, nil
}

// countBehind reads what is no part of what is kept.
func (x *examination) countBehind(all *survey) error {
	var newest uint32 // of what is kept
	if len(x.live) > 0 {
		newest = x.live[len(x.live)-1].number
	}
	for _, n := range all.order {
		h := all.heads[n]
		foreign := all.foreign[n] != nil
		if !foreign {
			x.number = max(x.number, h.link.Segment())
			if n <= newest || x.apart {
				continue
			}
		}
		t, err := x.search(n, h)
		if err != nil {
			return err
		}
		if h.bad == nil && t.frames == 0 && t.used == 0 && !foreign {
			continue // prepared, and not used
		}
		x.rest = append(x.rest, n)
		x.count(t)
	}
	x.number = max(x.number, x.sealed, x.damage.LSN.Segment())
	if newest == 0 || x.apart || x.sealed != 0 && !x.cut {
		return nil
	}
	sc, err := openScanner(x.dir, newest, x.seed, x.recovery.End.Offset())
	if err != nil {
		return err
	}
	defer sc.close()
	if t := sc.search(x.heads[newest].header.flags&flagRecycled != 0); t.used > x.recovery.End.Offset() {
		x.torn = true
		x.count(t)
	}
	return sc.err
}

func (x *examination) count(t trace) {
	x.number = max(x.number, t.names)
	x.behind.Segments++
	x.behind.Records += t.records
	x.behind.Bytes += t.bytes
}

// search looks through a file of which nothing is kept: for frames of the log
// and number that its header names, if it has one.
func (x *examination) search(n uint32, h *head) (trace, error) {
	seed, number, off := x.seed, n, int64(0)
	if h.bad == nil {
		seed, number, off = h.header.seed(), h.header.segment, headerSize
	}
	sc, err := openScanner(x.dir, n, seed, off)
	if err != nil {
		return trace{}, err
	}
	defer sc.close()
	sc.number = number
	return sc.search(h.bad == nil && h.header.flags&flagRecycled != 0), sc.err
}
