package wal

import (
	"errors"
	"fmt"
	"runtime"
)

// Trim gives up the records below lsn and removes the segments that hold no
// others, oldest first. First may therefore stay below lsn: only whole
// segments go. Trim(Next()) flushes and empties the log, unless something is
// appended meanwhile or there is no space for one more segment: the log goes on
// in a new one, and reopens empty with Next unchanged.
//
// The removal is durable when Trim returns nil. A position above Next is
// refused. A failed sync of the directory is final for trimming and for making
// segments, until the log is reopened.
//
// A segment that an iterator is reading is not recycled; on Windows, where it
// cannot be removed either, trimming stops there until a later Trim.
func (l *Log) Trim(lsn LSN) error {
	l.trimming.Lock()
	defer l.trimming.Unlock()
	l.mu.Lock()
	err, next := l.usable(), l.filling.next()
	l.mu.Unlock()
	if err == nil {
		err = l.prepare.namesLost()
	}
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
		s, err := l.takeFront(lsn)
		if s == nil || err != nil {
			return err
		}
		gone, err := l.prepare.discard(s, s.kept)
		l.mu.Lock()
		if gone {
			l.refused = nil
		} else {
			s.gone = false
			l.live = append([]*segment{s}, l.live...)
		}
		l.mu.Unlock()
		if err != nil && !gone && s.kept && runtime.GOOS == "windows" {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// takeFront takes the oldest segment out of the log and returns it, if it
// holds only records below lsn and the log does not need it: its successor's
// link is durable. Where the then oldest record is, is learned before.
func (l *Log) takeFront(lsn LSN) (*segment, error) {
	l.mu.Lock()
	live := l.live
	s := live[0]
	keep := s.number >= l.Durable().Segment() || lsn < s.lsn(s.end)
	l.mu.Unlock()
	if keep {
		return nil, nil
	}
	if err := l.findFirst(live[1:]); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.gone, s.kept = true, s.pins > 0
	l.live = l.live[1:]
	return s, nil
}

// turn moves the log into a new segment, so that all its records stand in
// older ones, with a link that is durable whatever the method. Without space
// for one it does nothing.
func (l *Log) turn() error {
	l.flushing.Lock()
	defer l.flushing.Unlock()
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
	method := l.method
	l.method = l.barrier()
	defer func() { l.method = method }()
	return l.flush(nil)
}
