package commit

import (
	"fmt"
	"runtime"
	"time"

	"walbench.example/wal"
)

// timerGrain is how late a timer may fire: the Linux runtime sleeps in whole
// milliseconds (runtime/netpoll_epoll.go). The last stretch of a wait up to
// this is spent yielding.
const timerGrain = 1100 * time.Microsecond

// run is the flusher: the one goroutine that flushes the log. It ends after
// Close, once everything is flushed, or after a failed flush.
func (c *Committer) run() {
	defer close(c.done)
	for {
		why := c.await()
		if why == 0 || !c.flush(why) {
			return
		}
	}
}

// await blocks until it is time to flush and returns the reason, or 0 when the
// committer is closed and nothing is left to flush.
func (c *Committer) await() Reason {
	c.mu.Lock()
	defer c.mu.Unlock()
	var p pause
	for {
		if c.filling.empty() {
			if c.closed && c.room.drained() {
				c.stopped = true
				return 0
			}
			c.asked = step{}
			c.parkLocked(0)
			continue
		}
		now := c.now()
		why := c.urgentLocked()
		if why == 0 {
			c.asked = c.decider.next(c.viewLocked(now))
			why = c.asked.flush
		}
		if why != 0 {
			c.stats.addPause(p, now, why)
			return why
		}
		if !p.taken {
			p = pause{began: now, until: c.asked.until, taken: true}
		}
		if left := c.asked.until - now; left > timerGrain {
			c.parkLocked(left - timerGrain)
		} else {
			c.yieldLocked(now)
		}
	}
}

// urgentLocked returns why the filling batch must be flushed whatever the
// policy says, or 0.
func (c *Committer) urgentLocked() Reason {
	switch {
	case c.closed:
		return ReasonClose
	case c.filling.urge != 0:
		return c.filling.urge
	case c.room.congested():
		return ReasonFull
	}
	return 0
}

func (c *Committer) viewLocked(now time.Duration) view {
	b := c.filling
	return view{now: now, first: b.first, records: b.records, bytes: b.bytes, waiters: b.waiters}
}

// parkLocked waits for a nudge, at most for d unless d is 0. It unlocks c.mu
// meanwhile.
func (c *Committer) parkLocked(d time.Duration) {
	c.parked = true
	c.mu.Unlock()
	if d == 0 {
		<-c.signal
		c.mu.Lock()
		return
	}
	c.timer.Reset(d)
	select {
	case <-c.signal:
	case <-c.timer.C:
	}
	c.timer.Stop()
	c.mu.Lock()
	if !c.parked {
		// Nudged, perhaps after the timer fired.
		select {
		case <-c.signal:
		default:
		}
	}
	c.parked = false
}

// nudgeLocked wakes the flusher if it is parked and what it waits for is there.
// Whoever changes what await looks at calls it.
func (c *Committer) nudgeLocked() {
	if !c.parked {
		return
	}
	if c.filling.empty() {
		if !c.closed {
			return
		}
	} else if c.asked.until > 0 && c.urgentLocked() == 0 && !c.asked.over(c.viewLocked(c.now())) {
		return
	}
	c.parked = false
	c.signal <- struct{}{}
}

func (c *Committer) nudge() {
	c.mu.Lock()
	c.nudgeLocked()
	c.mu.Unlock()
}

// stillness notices a clock that does not move: in a testing/synctest bubble
// it stands while anything is runnable, and Windows' is coarse. Yielding to a
// deadline would never end there, so the flusher sleeps instead.
type stillness struct {
	last   time.Duration
	yields int
}

// stillYields is how many yields in a row see the same time before the clock
// counts as standing.
const stillYields = 128

// yieldLocked lets others run for a moment, with c.mu unlocked.
func (c *Committer) yieldLocked(now time.Duration) {
	c.mu.Unlock()
	if c.clock.last != now {
		c.clock = stillness{last: now}
	}
	if c.clock.yields < stillYields {
		c.clock.yields++
		runtime.Gosched()
	} else {
		time.Sleep(time.Microsecond)
		c.clock.last = c.now()
	}
	c.mu.Lock()
}

// flush flushes the log and answers the batch it covers. It reports whether
// the log is still good.
func (c *Committer) flush(why Reason) bool {
	f := Flush{Start: time.Now(), Reason: why}
	c.extent = wal.Extent{}
	err := c.log.Flush(c.cut)
	f.End = time.Now()
	f.Records, f.Bytes = c.extent.Records, c.extent.Bytes
	if err != nil {
		f.Err = fmt.Errorf("commit: flush: %w", err)
	}

	c.mu.Lock()
	if c.flying != nil {
		f.Waiters = c.flying.waiters
	}
	if c.onFlush != nil && (f.Records > 0 || err != nil) {
		c.mu.Unlock()
		c.onFlush(f)
		c.mu.Lock()
	}
	if err != nil {
		c.failLocked(f.Err)
		return false
	}
	b := c.flying
	c.flying = nil
	c.flushedEnd = c.inflightEnd
	if f.Records > 0 {
		c.stats.add(&f)
	}
	c.decider.flushed(account{
		start:   f.Start.Sub(c.began),
		end:     f.End.Sub(c.began),
		records: f.Records,
		waiters: f.Waiters,
		queued:  c.filling.waiters,
	})
	c.settleLocked(b, nil)
	c.mu.Unlock()
	c.wake(b)
	return true
}

// cutBatch is told by the log, under the log's mutex, what the flush about to
// start covers. Whoever appended below ext.End has either entered the filling
// batch before, and flies with it, or will find inflightEnd above its record;
// nobody who appended at or above ext.End can have entered, because appends
// are shut out until this returns.
func (c *Committer) cutBatch(ext wal.Extent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.extent = ext
	c.inflightEnd = max(c.inflightEnd, ext.End)
	c.flying, c.filling = c.filling, c.newBatchLocked()
	if c.turn != nil {
		c.turn.release(c.flying.turns)
	}
}

// failLocked ends the committer with cause: the batch in flight and the one
// behind it, whose records the log will never write, share one answer. It
// unlocks c.mu.
func (c *Committer) failLocked(cause error) {
	c.failed = indeterminate(cause)
	c.stopped = true
	c.closeGates(cause)
	flying, filling := c.flying, c.filling
	c.flying = nil
	if flying != nil {
		c.settleLocked(flying, c.failed)
	}
	c.settleLocked(filling, c.failed)
	c.mu.Unlock()
	if flying != nil {
		c.wake(flying)
	}
	c.wake(filling)
}
