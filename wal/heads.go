package wal

import (
	"errors"
	"fmt"
)

// head is what the start of a segment's file says.
type head struct {
	number uint32
	size   int64
	header header
	bad    error // the header is no header
	link   LSN   // where the log goes on from
	linked bool  // there is a valid link: the segment has been in use
}

// readHeads does the first step.
func readHeads(d *dir) (*survey, error) {
	s := &survey{dir: d, heads: map[uint32]*head{}, foreign: map[uint32]*CorruptionError{}}
	var err error
	if s.order, err = d.segments(); err != nil {
		return nil, err
	}
	for _, n := range s.order {
		if s.heads[n], err = readHead(d, n); err != nil {
			return nil, err
		}
		s.last = n
	}
	s.identify()
	return s, nil
}

// readHead reads a segment's header and its link.
func readHead(d *dir, number uint32) (*head, error) {
	name := segmentName(number)
	h := &head{number: number}
	h.header, h.size, h.bad = readHeader(d, name)
	h.size = min(h.size, MaxSegmentSize)
	switch {
	case errors.Is(h.bad, ErrFormat):
		return nil, fmt.Errorf("wal: %s: %w", name, h.bad)
	case h.bad != nil && !errors.Is(h.bad, errHeader):
		return nil, h.bad
	case h.bad != nil:
		return h, nil
	}
	sc, err := openScanner(d, number, h.header.seed(), headerSize)
	if err != nil {
		return nil, err
	}
	defer sc.close()
	if f, ok := sc.peek(); ok && f.kind == kindLink {
		h.link, h.linked = f.position(), true
	}
	return h, sc.err
}

// identify settles whose log this is, by what most headers say, and by the
// oldest of as many, and finds the segments that are none of it.
func (s *survey) identify() {
	votes := map[[16]byte]int{}
	var ours *head
	for _, n := range s.order {
		if h := s.heads[n]; h.bad == nil {
			votes[h.header.id]++
		}
	}
	for _, n := range s.order {
		if h := s.heads[n]; h.bad == nil && (ours == nil || votes[h.header.id] > votes[ours.header.id]) {
			ours = h
		}
	}
	if ours == nil {
		return
	}
	s.recovery.id, s.seed = ours.header.id, ours.header.seed()
	for _, n := range s.order {
		switch h := s.heads[n]; {
		case h.bad != nil:
		case h.header.id != s.recovery.id:
			s.foreign[n] = s.fault(Foreign, n, 0, "it belongs to another log")
		case h.header.segment != n:
			s.foreign[n] = s.fault(Foreign, n, 0, fmt.Sprintf("its header is that of segment %s: a copy or a rename", segmentName(h.header.segment)))
		}
	}
}
