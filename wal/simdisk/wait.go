package simdisk

import (
	"runtime"
	"time"
)

// A wait that is long enough to sleep through sleeps until this long before
// its deadline and yields from there. A runtime timer on an idle Linux machine
// is up to 1.1 ms late, as epoll_wait counts in milliseconds; the rest is for
// a machine that is not idle.
const (
	sleepFrom = 5 * time.Millisecond
	wakeEarly = 2 * time.Millisecond
)

// maxSpin bounds how long a wait may hold a processor to itself.
const maxSpin = 50 * time.Microsecond

// yieldUntil returns when the deadline has passed. Other goroutines run in the
// meantime: the processor comes back after the runnable ones had their turn.
// How long that takes is measured on the way, and a turn that would end after
// the deadline is not given: the rest, maxSpin at most, is spun away. Beside 64
// goroutines of a microsecond each that takes the median lateness from 30 us to
// below 1 us, on two processors.
//
// One thing defeats it: goroutines that hand a token to each other and never
// all block. The scheduler runs a goroutine just woken ahead of one that
// yielded, for up to 10 ms a pair, and the yielder waits. Writers that block
// for a flush do not do that. FS.Accuracy shows it when it happens.
func yieldUntil(deadline time.Time) {
	if left := time.Until(deadline); left >= sleepFrom {
		time.Sleep(left - wakeEarly)
	}
	var turn time.Duration // what the others took, the last time they were let
	now := time.Now()
	for now.Before(deadline) {
		if deadline.Sub(now) <= min(turn, maxSpin) {
			now = time.Now()
			continue
		}
		runtime.Gosched()
		after := time.Now()
		turn = after.Sub(now)
		now = after
	}
}

// SleepUntil returns when the deadline has passed, by time.Sleep. As
// Options.Wait it is exact in a synctest bubble; in real time it is about a
// millisecond late, whatever the flush time.
func SleepUntil(deadline time.Time) {
	time.Sleep(time.Until(deadline))
}
