package wal

import (
	"fmt"
	"slices"
)

// tail is the end of the newest segment in use.
type tail struct {
	end      int64  // behind the last whole batch, or before the seal
	promised LSN    // the highest promise before end
	last     kind   // of the last frame that counts; kindSeal: the segment is sealed
	next     uint32 // the segment that the seal names
	broken   int64  // where a frame stands that interrupts a batch; 0: nowhere
}

// scanTail finds the end of the log in its newest segment. The end is known
// also when what stands behind it is damaged.
func (s *survey) scanTail(newest *head) error {
	sc, err := openScanner(s.dir, newest.number, s.seed, headerSize)
	if err != nil {
		return err
	}
	defer sc.close()
	t := readTail(sc)
	if sc.err != nil {
		return sc.err
	}
	r := &s.recovery
	r.End, r.Promised, s.sealed, s.ended = makeLSN(newest.number, t.end), t.promised, t.next, true
	switch {
	case t.broken > 0:
		return s.corrupt(newest.number, t.broken, "a batch is interrupted")
	case t.last == kindSeal && s.heads[t.next] == nil:
		return s.fault(Gap, t.next, 0, fmt.Sprintf("it is missing: %s is sealed and names it as its successor", segmentName(newest.number)))
	}
	sc.off = t.end
	behind := sc.search(newest.header.flags&flagRecycled != 0)
	if sc.err != nil {
		return sc.err
	}
	if promised := max(t.promised, behind.promised); promised > r.End {
		return s.corrupt(newest.number, t.end, fmt.Sprintf("damaged: it was durable up to %v", promised))
	}
	if t.last == kindSeal {
		return nil
	}
	if behind.used > t.end {
		r.TornBytes, r.TornSegment = behind.used-t.end, segmentName(newest.number)
	}
	r.Clean = t.last == kindMark
	return nil
}

// readTail reads valid frames to their end. A mark or a record of one frame is
// a whole batch.
func readTail(sc *scanner) (t tail) {
	t.end = sc.off
	inBatch := false
	for {
		f, ok := sc.next()
		if !ok {
			return t
		}
		if inBatch && f.kind != kindPart && f.kind != kindRecord {
			t.broken = f.lsn.Offset()
			return t
		}
		t.promised = max(t.promised, promise(f))
		inBatch = f.kind == kindPart
		if f.kind == kindSeal {
			t.last, t.next = kindSeal, f.position().Segment()
			return t
		}
		if !inBatch {
			t.end, t.last = sc.off, f.kind
		}
	}
}

// checkDead looks into the segments above the newest one in use.
func (s *survey) checkDead(newest uint32) error {
	for _, n := range slices.Backward(s.dead) {
		s.recovery.Dead = append(s.recovery.Dead, segmentName(n))
		if n < newest {
			continue
		}
		if err := s.checkAbove(s.heads[n]); err != nil {
			return err
		}
	}
	return nil
}

// checkAbove decides by evidence whether a segment above the newest one in use
// was never in use, or was and its first frame has rotted. A segment is left
// by a seal that is synced before anything is written into the next one. So:
//
//   - The seal names this segment: then it had its header before. A damaged
//     one is corruption, and so is a promise in it about itself. Any other
//     frame may be of the write that a crash cut short.
//   - There is no seal, or it names another: then nothing was written here. It
//     may be empty, a piece of a header or junk, as a file system can leave a
//     file that was just made, and is dead. But frames of this log in it prove
//     that a seal stood, and is damaged too. With a header that is whole they
//     must promise something: a recovery clears a seal before the segment.
//
// What looks written in a dead segment is reported as torn.
func (s *survey) checkAbove(h *head) error {
	n, off, stale := h.number, int64(headerSize), h.header.flags&flagRecycled != 0
	if h.bad != nil {
		if n == s.sealed {
			return s.corrupt(n, 0, fmt.Sprintf("its header is damaged: %v names it, and a segment has its header before it has a name", s.recovery.End))
		}
		off, stale = 0, false
	}
	sc, err := openScanner(s.dir, n, s.seed, off)
	if err != nil {
		return err
	}
	t := sc.search(stale)
	sc.close()
	used := t.promised > makeLSN(n, headerSize) || h.bad != nil && t.frames > 0
	switch {
	case sc.err != nil:
		return sc.err
	case used && s.sealed == 0:
		end := s.recovery.End
		return s.corrupt(end.Segment(), end.Offset(), fmt.Sprintf("its seal is damaged: %s has been in use", segmentName(n)))
	case used && h.bad != nil:
		return s.corrupt(n, 0, "its header is damaged: frames of this log stand behind it")
	case used:
		return s.corrupt(n, headerSize, fmt.Sprintf("its first frame is damaged: it was durable up to %v", t.promised))
	}
	if r := &s.recovery; t.used > 0 {
		if r.TornBytes == 0 {
			r.TornSegment = segmentName(n)
		}
		r.TornBytes += t.used - off
	}
	return nil
}
