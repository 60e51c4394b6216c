package simdisk

import (
	"sync"
	"sync/atomic"
	"time"
)

// A device serves flushes, one at a time, in the order in which they are asked
// for. The queue is a single instant: each flush starts when the ones before
// it end, or now if they have, and moves that instant on by its own cost. So
// the timetable of the device does not depend on how late a waiter wakes: a
// caller that overslept by 5 us was served on time, and so is the next one.
//
// The other way, a mutex held for the length of a flush, would add each
// waiter's lateness to everybody behind it, and in a synctest bubble a
// goroutine that blocks on a mutex stops the clock it waits for.
type device struct {
	options Options // valid, Wait set

	mu   sync.Mutex
	idle time.Time // when every flush asked for so far has been served
	late latenesses
}

// flush takes the bytes in unsynced upon itself, and returns when the device
// has served them. Taking them and joining the queue is one step, so that a
// flush which found nothing to pay for stands behind the one that pays.
func (d *device) flush(unsynced *atomic.Int64) {
	d.mu.Lock()
	done := time.Now()
	if done.Before(d.idle) {
		done = d.idle
	}
	done = done.Add(d.options.cost(unsynced.Swap(0)))
	d.idle = done
	d.mu.Unlock()

	d.options.Wait(done)
	late := time.Since(done)

	d.mu.Lock()
	d.late.add(late)
	d.mu.Unlock()
}

func (d *device) accuracy() Accuracy {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.late.accuracy()
}
