package wal

import (
	"fmt"
	"io"
)

// Recovery says what Open found. The log it describes is whole: where it is
// not, Open returns a *CorruptionError instead.
type Recovery struct {
	// Clean says that the log ended in a clean Close. A new log is clean.
	Clean bool

	// End is the end of what was recovered. Every record below is shown.
	End LSN

	// Promised is the position below which the log itself says that all was
	// durable. What stood between it and End may have been in the page cache
	// only: Open has written and synced it again, a read-only open has not.
	Promised LSN

	// TornBytes is how many bytes stood behind End that look like a write that
	// did not finish, and TornSegment the oldest file in which they stood.
	// Nothing that is left says that they were ever durable. Open cuts them, a
	// read-only open does not.
	TornBytes   int64
	TornSegment string

	// Dead are segments without a record of the log, oldest first: prepared and
	// not yet used, or left behind by a crash. Open reuses or removes them.
	Dead []string

	id [16]byte
}

// survey finds the log in a directory and changes nothing:
//
//  1. Read the head of every segment. One that belongs to another log, or
//     stands under another's name, is corruption.
//  2. The log ends in the newest segment with a valid link. Follow the links
//     back to the front: a target that is missing while older segments exist
//     is a hole. What lies between a target and the segment that links to it
//     is dead, and so is a segment without a link.
//  3. Scan the newest segment from its link. Where valid frames end, the log
//     ends, unless a valid frame anywhere behind promises more: then the
//     bytes there were durable and are damaged. Promises alone tell a torn
//     tail from corruption.
//  4. Look into what stands above it: see checkAbove.
type survey struct {
	dir     *dir
	heads   map[uint32]*head
	order   []uint32                    // numbers by name, oldest first
	foreign map[uint32]*CorruptionError // by name
	live    []*segment                  // the log, oldest first; each but the last has its end
	seed    uint32

	recovery Recovery
	ended    bool // recovery.End is known
	dead     []uint32
	last     uint32 // highest number by name
	sealed   uint32 // the segment that the seal of the newest one names; 0: it has none
}

func surveyDir(d *dir) (*survey, error) {
	s, err := readHeads(d)
	if err != nil {
		return nil, err
	}
	for _, n := range s.order {
		if c := s.foreign[n]; c != nil {
			return nil, c
		}
	}
	if err := s.judge(); err != nil {
		return nil, err
	}
	return s, nil
}

// judge does the others. Nothing in order is foreign.
func (s *survey) judge() error {
	var newest *head
	for _, n := range s.order {
		if h := s.heads[n]; h.linked {
			newest = h
		}
	}
	if newest == nil && s.last == 0 {
		return nil
	}
	if newest == nil {
		// A segment has its header and, the first one, its link before its name.
		return s.corrupt(s.order[0], headerSize, "no segment here has a valid first frame")
	}
	if err := s.chain(newest); err != nil {
		return err
	}
	if err := s.scanTail(newest); err != nil {
		return err
	}
	if err := s.checkDead(newest.number); err != nil {
		return err
	}
	s.recovery.Clean = s.recovery.Clean && s.recovery.TornBytes == 0
	return nil
}

// chain follows the links from the newest segment to the front.
func (s *survey) chain(newest *head) error {
	h, end := newest, int64(0)
	for at := len(s.order) - 1; ; at-- {
		n := s.order[at]
		if n > h.number {
			s.dead = append(s.dead, n)
			continue
		}
		s.live = append([]*segment{{number: n, size: h.size, written: h.size, end: end}}, s.live...)
		below := s.order[:at]
		if len(below) == 0 {
			return nil
		}
		target := h.link.Segment()
		for len(below) > 0 && below[len(below)-1] > target {
			s.dead = append(s.dead, below[len(below)-1])
			below, at = below[:len(below)-1], at-1
		}
		if len(below) == 0 {
			return nil
		}
		if below[len(below)-1] != target {
			return s.fault(Gap, target, 0, fmt.Sprintf("it is missing: %s is there, and %s links to it", segmentName(below[len(below)-1]), segmentName(h.number)))
		}
		end = h.link.Offset()
		from := h.number
		h = s.heads[target]
		switch {
		case h.bad != nil:
			return s.corrupt(target, 0, "its header is damaged")
		case !h.linked:
			return s.corrupt(target, headerSize, "its first frame is damaged")
		case end < headerSize+linkSize || end > h.size:
			return s.corrupt(target, h.size, fmt.Sprintf("it is cut short: %s links to offset %d", segmentName(from), end))
		}
	}
}

func (s *survey) corrupt(number uint32, off int64, reason string) error {
	return s.fault(Damaged, number, off, reason)
}

func (s *survey) fault(k CorruptionKind, number uint32, off int64, reason string) *CorruptionError {
	return &CorruptionError{Kind: k, Segment: segmentName(number), Offset: off, LSN: makeLSN(number, off), Reason: reason}
}

// rewrite makes what was recovered above the promise durable. It may be in
// the page cache only, marked clean there by a sync that failed in an earlier
// life, so that syncing alone would do nothing: the same bytes are written
// again in their place, and then synced (promise 6).
func (s *survey) rewrite(seg *segment, m SyncMethod) error {
	r := s.recovery
	off, end := int64(headerSize), r.End.Offset()
	if r.Promised.Segment() == seg.number {
		off = r.Promised.Offset()
	}
	buf := make([]byte, min(end-off, windowSize))
	for off < end {
		p := buf[:min(end-off, int64(len(buf)))]
		if n, err := seg.file.ReadAt(p, off); n < len(p) {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("wal: read %s at %d: %w", seg.name(), off, err)
		}
		if _, err := m.write(seg.file, p, off); err != nil {
			return fmt.Errorf("wal: write %s at %d: %w", seg.name(), off, err)
		}
		off += int64(len(p))
	}
	if err := m.sync(seg.file); err != nil {
		return fmt.Errorf("wal: sync %s: %w", seg.name(), err)
	}
	if err := s.recheck(seg); err != nil {
		return err
	}
	return s.dir.sync()
}

// recheck reads the segment once more after rewrite has written to it: a page that was only in memory may
// have been dropped between the survey and the rewriting, and then what was
// written is not what was surveyed.
func (s *survey) recheck(seg *segment) error {
	sc, err := openScanner(s.dir, seg.number, s.seed, headerSize)
	if err != nil {
		return err
	}
	defer sc.close()
	for sc.off < s.recovery.End.Offset() {
		if _, ok := sc.next(); !ok && sc.err == nil {
			return fmt.Errorf("wal: %s changed at %d while it was recovered: open the log again", seg.name(), sc.off)
		} else if !ok {
			return sc.err
		}
	}
	return nil
}
