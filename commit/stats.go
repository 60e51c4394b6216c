package commit

import (
	"fmt"
	"time"
)

// A Reason says why a flush started.
type Reason uint8

const (
	ReasonIdle     Reason = iota + 1 // the disk was free, and no company was expected
	ReasonTarget                     // everybody expected had come
	ReasonWindow                     // the time to wait for company was up
	ReasonFull                       // a cap of the policy, the log's buffer or MaxPending was reached
	ReasonExplicit                   // Flush was called
	ReasonClose                      // Close was called

	reasons = ReasonClose + 1
)

var reasonNames = [reasons]string{"none", "idle", "target", "window", "full", "explicit", "close"}

// String returns the reason in one lower-case word.
func (r Reason) String() string {
	if r >= reasons {
		return fmt.Sprintf("reason(%d)", uint8(r))
	}
	return reasonNames[r]
}

// A Flush describes one flush to Options.OnFlush.
type Flush struct {
	Start, End time.Time // of the log's write and sync, with monotonic readings
	Records    int       // covered by it
	Bytes      int64     // covered by it, as the log counts them
	Waiters    int       // callers it answers, those that have given up included
	Reason     Reason
	Err        error // nil: the records are durable
}

// Stats counts what a committer has done since New. A flush that found nothing
// to write does no I/O and is not counted, nor is a failed one.
type Stats struct {
	Flushes   int64
	ByReason  [reasons]int64 // Flushes by Reason
	Records   int64          // made durable
	Bytes     int64          // made durable, as the log counts them
	Waiters   int64          // callers a flush was to answer, those that had given up included
	FlushTime time.Duration  // spent in the log's write and sync

	// Waits is the number of flushes that were held back for company while the
	// disk was free, WaitTime the time that took in all.
	Waits    int64
	WaitTime time.Duration

	// Expired counts the waits that ran into their time limit. ExpiredAsked is
	// the sum of those limits and ExpiredTook what the waits took in truth; a
	// scheduler that is late makes the second larger.
	Expired      int64
	ExpiredAsked time.Duration
	ExpiredTook  time.Duration
}

func (s *Stats) add(f *Flush) {
	s.Flushes++
	s.ByReason[f.Reason]++
	s.Records += int64(f.Records)
	s.Bytes += f.Bytes
	s.Waiters += int64(f.Waiters)
	s.FlushTime += f.End.Sub(f.Start)
}

// A pause is the waiting before one flush.
type pause struct {
	began, until time.Duration // until: what the policy asked for first
	taken        bool
}

func (s *Stats) addPause(p pause, now time.Duration, why Reason) {
	if !p.taken {
		return
	}
	s.Waits++
	s.WaitTime += now - p.began
	if why == ReasonWindow {
		s.Expired++
		s.ExpiredAsked += p.until - p.began
		s.ExpiredTook += now - p.began
	}
}
