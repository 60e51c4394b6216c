package wal

import (
	"errors"
	"fmt"
)

// Trim gives up the records below lsn and removes the segments that hold no
// others, oldest first. First may therefore stay below lsn: only whole
// segments go. Trim(Next()) empties the log: it goes on in a new segment, and
// reopens empty with Next unchanged.
//
// The removal is durable when Trim returns. A position above Next is refused.
// A segment that an iterator is reading is not recycled; on Windows, where it
// cannot be removed either, trimming stops there until a later Trim.
func (l *Log) Trim(lsn LSN) error {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	l.mu.Lock()
	err, next := l.usable(), l.filling.next()
	l.mu.Unlock()
	if err != nil {
		return err
	}
	if lsn > next {
		return fmt.Errorf("wal: trim to %v: the log ends at %v", lsn, next)
	}
	if lsn == next {
		if err := l.turn(); err != nil {
			return err
		}
	}
	for {
		s := l.front(lsn)
		if s == nil {
			return l.findFirst()
		}
		if err := l.prepare.discard(s, s.pins > 0); err != nil {
			if s.pins > 0 {
				return l.findFirst()
			}
			return err
		}
		l.mu.Lock()
		l.live = l.live[1:]
		l.refused = nil
		l.mu.Unlock()
	}
}

// front returns the oldest segment if it holds only records below lsn and the
// log does not need it: its successor's link is durable.
func (l *Log) front(lsn LSN) *segment {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.live[0]
	if s.number >= l.Durable().Segment() || lsn < s.lsn(s.end) {
		return nil
	}
	return s
}

// turn moves an otherwise full log into a new segment, so that all its records
// stand in older ones. Without space for one it does nothing.
func (l *Log) turn() error {
	if err := l.flush(nil); err != nil {
		return err
	}
	if l.First() == l.Next() {
		return nil
	}
	if err := l.prepare.supply(0); errors.Is(err, ErrNoSpace) {
		return nil
	} else if err != nil {
		return err
	}
	l.mu.Lock()
	if b := l.filling; b.empty() && l.next != nil {
		l.cross()
		b.mark(l.seed)
	}
	l.mu.Unlock()
	return l.flush(nil)
}
