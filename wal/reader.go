package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
)

// Record is one record of the log.
type Record struct {
	LSN  LSN
	Data []byte // valid until the iterator's next step; a copy is the caller's to make
}

// Records returns the records from an LSN on, in order: those that are
// durable when the iteration starts. Zero means from the first; a position
// between records means from the next one. Each iteration is a view of its
// own, costs one read buffer, and may run beside appends.
//
// An error is the last thing yielded: ErrTrimmed for a position below First,
// or if Trim overtakes the iteration; a *CorruptionError where a record is
// not what was written; an error of the file system.
func (l *Log) Records(from LSN) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		v, err := l.view(from)
		for i := 0; err == nil && i < len(v.stretches); i++ {
			var more bool
			if more, err = l.read(v.stretches[i], from, yield); !more && err == nil {
				return
			}
		}
		if err != nil {
			yield(Record{}, err)
		}
	}
}

// view is what one iteration reads.
type view struct {
	stretches []stretch
}

// stretch is the part of a segment that holds records of a view.
type stretch struct {
	segment *segment
	end     int64
}

func (l *Log) view(from LSN) (view, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return view{}, ErrClosed
	}
	if first := l.firstLocked(); from != 0 && from < first {
		return view{}, fmt.Errorf("%w: %v is below the first record %v", ErrTrimmed, from, first)
	}
	durable := l.Durable()
	var v view
	for _, s := range l.live {
		if s.number < from.Segment() {
			continue
		}
		end := s.end
		if s.number == durable.Segment() {
			end = durable.Offset()
		}
		v.stretches = append(v.stretches, stretch{s, end})
		if s.number == durable.Segment() {
			break
		}
	}
	return v, nil
}

// read yields the records of one stretch. It reports whether to go on.
func (l *Log) read(st stretch, from LSN, yield func(Record, error) bool) (bool, error) {
	sc, err := l.pin(st.segment)
	if err != nil {
		return false, err
	}
	defer l.unpin(st.segment, sc)
	if from.Segment() == st.segment.number {
		// An LSN is the place of its frame: start there if a frame does.
		sc.off = from.Offset()
		if _, ok := sc.peek(); !ok || sc.off < headerSize {
			sc.off = headerSize
		}
	}
	for sc.off < st.end {
		f, ok := sc.next()
		if !ok {
			return false, l.damage(sc)
		}
		if f.kind != kindRecord && f.kind != kindPart || f.lsn < from {
			continue
		}
		if !yield(Record{f.lsn, f.payload}, nil) {
			return false, nil
		}
	}
	return true, nil
}

// pin opens a segment for reading and keeps it from being recycled meanwhile.
func (l *Log) pin(s *segment) (*scanner, error) {
	l.mu.Lock()
	if s.gone {
		l.mu.Unlock()
		return nil, fmt.Errorf("%w: %s is gone", ErrTrimmed, s.name())
	}
	s.pins++
	l.mu.Unlock()
	sc, err := openScanner(l.dir, s.number, l.seed, headerSize)
	if err == nil {
		return sc, nil
	}
	l.mu.Lock()
	s.pins--
	l.mu.Unlock()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is gone", ErrTrimmed, s.name())
	}
	return nil, err
}

func (l *Log) unpin(s *segment, sc *scanner) {
	sc.close()
	l.mu.Lock()
	defer l.mu.Unlock()
	s.pins--
}

// damage is the error for a place where a frame must stand and none does. In
// a read-only log the file may have been recycled by its writer since.
func (l *Log) damage(sc *scanner) error {
	if sc.err != nil {
		return sc.err
	}
	if l.opts.ReadOnly {
		if h, _, err := readHeader(l.dir, segmentName(sc.number)); errors.Is(err, fs.ErrNotExist) || err == nil && h.segment != sc.number {
			return fmt.Errorf("%w: %s is gone", ErrTrimmed, segmentName(sc.number))
		}
	}
	return &CorruptionError{Segment: segmentName(sc.number), Offset: sc.off, LSN: sc.lsn(),
		Reason: "a frame is damaged that was durable"}
}
