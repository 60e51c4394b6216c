package commit

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"walbench.example/wal"
)

// A batch is everything that one flush acknowledges together: first filling,
// then in flight from the cut on, then done. Its fields are guarded by the
// committer's mutex unless they say otherwise; nothing joins a batch that is
// done.
//
// Waking is the dear part of group commit (a flush of 64 commits wakes 64
// goroutines), so a batch is woken by one Broadcast, outside the mutex, and
// the woken do not come back for the mutex: the condition's Locker gives it
// away and never takes it again. What they read was written before done was
// set.
type batch struct {
	records int           // appended, and covered by the flush that covers this batch
	bytes   int64         // length of those records
	waiters int           // callers waiting for durability
	first   time.Duration // when the batch ceased to be empty
	urge    Reason        // why it must be flushed whatever the policy says, or 0
	charge  int64         // bytes of c.room to give back once it is done
	turns   int64         // units of c.turn to give back at its cut

	cond sync.Cond     // waiters whose context cannot be cancelled
	gone chan struct{} // closed for the others; made for the first of them

	done atomic.Bool  // set once err is final
	err  error        // what every waiter is told; constant once done
	refs atomic.Int32 // the flusher and every waiter yet to read err
}

func (b *batch) empty() bool { return b.records == 0 && b.waiters == 0 && b.urge == 0 }

// oneWay is the Locker of a batch's condition: waiting gives the mutex away,
// waking does not take it back.
type oneWay struct{ mu *sync.Mutex }

func (oneWay) Lock()     {}
func (w oneWay) Unlock() { w.mu.Unlock() }

// batchOfLocked returns the batch that will acknowledge the record at lsn: nil
// and no error if it is durable, nil and an error if it never will be.
func (c *Committer) batchOfLocked(lsn wal.LSN) (*batch, error) {
	switch {
	case lsn < c.flushedEnd:
		return nil, nil
	case c.failed != nil:
		return nil, c.failed
	case lsn < c.inflightEnd:
		return c.flying, nil
	case c.stopped:
		return nil, indeterminate(ErrClosed)
	}
	if c.filling.empty() {
		c.filling.first = c.now()
	}
	return c.filling, nil
}

// awaitLocked blocks until b is done or ctx ends, and returns b's outcome or
// ctx's error, made indeterminate. The caller holds c.mu; awaitLocked returns
// without it.
func (c *Committer) awaitLocked(ctx context.Context, b *batch) error {
	b.refs.Add(1)
	if ctx.Done() == nil {
		b.cond.Wait() // unlocks c.mu
	} else {
		if b.gone == nil {
			b.gone = make(chan struct{})
		}
		gone := b.gone
		c.mu.Unlock()
		select {
		case <-gone:
		case <-ctx.Done():
		}
	}
	var err error
	if b.done.Load() {
		err = b.err
	} else {
		err = indeterminate(ctx.Err())
	}
	c.leave(b)
	return err
}

// leave drops one reference to b. The last one puts it up for reuse, which is
// what makes a commit free of allocation.
func (c *Committer) leave(b *batch) {
	if b.refs.Add(-1) > 0 {
		return
	}
	c.mu.Lock()
	c.spare = append(c.spare, b)
	c.mu.Unlock()
}

// newBatchLocked returns an empty batch, held by the flusher.
func (c *Committer) newBatchLocked() *batch {
	var b *batch
	if last := len(c.spare) - 1; last >= 0 {
		b, c.spare = c.spare[last], c.spare[:last]
		b.records, b.bytes, b.waiters, b.first, b.urge = 0, 0, 0, 0, 0
		b.charge, b.turns = 0, 0
		b.gone, b.err = nil, nil
		b.done.Store(false)
	} else {
		b = &batch{cond: sync.Cond{L: oneWay{&c.mu}}}
	}
	b.refs.Store(1)
	return b
}

// settleLocked fixes b's outcome. The caller must call wake after unlocking.
func (c *Committer) settleLocked(b *batch, err error) {
	b.err = err
	b.done.Store(true)
	c.room.release(b.charge)
}

// wake tells the waiters of a settled batch, with no lock held. The flusher's
// reference keeps the batch from being reused meanwhile.
func (c *Committer) wake(b *batch) {
	b.cond.Broadcast()
	if b.gone != nil {
		close(b.gone)
	}
	c.leave(b)
}
