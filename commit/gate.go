package commit

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// shut is added to gate.used when the gate closes. It is larger than any sum
// of units, so nothing fits after it, and the one variable answers both "is it
// closed" and "is anything taken" without a window between the two.
const shut = int64(1) << 62

// A gate hands out units up to a limit, first come, first served: a large
// request is not overtaken by small ones, and a release wakes the requests
// that fit, not the herd. The committer has one that counts pending bytes and,
// for a policy that bounds the appends of a flush, one that counts those.
//
// A gate that is not contended costs one compare-and-swap. Its methods may be
// called concurrently.
type gate struct {
	limit int64

	used   atomic.Int64 // units taken, plus shut once the gate is closed
	queued atomic.Int64 // length of the queue; take may be tried unqueued only at 0

	mu    sync.Mutex
	queue ticketList
	spare ticketList // used tickets, kept with their channels
	err   error      // what a closed gate answers
}

// A ticket is a request in the queue. It gets exactly one answer.
type ticket struct {
	units      int64
	answer     chan error // holds one
	prev, next *ticket
	queued     bool // guarded by gate.mu
}

// newGate returns an open gate. A limit that shut fits under is no limit, and
// is lowered so that nothing fits once the gate is closed.
func newGate(limit int64) *gate { return &gate{limit: min(limit, shut-1)} }

// acquire takes units, waiting for them if need be; a request larger than the
// limit is granted when nothing is taken. It returns ctx's error when ctx ends
// first and the error given to close once the gate is closed, and has taken
// nothing then. Before it waits it calls blocked, unless nil, with no lock held.
func (g *gate) acquire(ctx context.Context, units int64, blocked func()) error {
	if g.queued.Load() == 0 && g.take(units) {
		return nil
	}
	g.mu.Lock()
	if g.err != nil {
		defer g.mu.Unlock()
		return g.err
	}
	t := g.enqueueLocked(units)
	// A release between the attempt above and the enqueueing saw no queue, so
	// nobody else would grant what it freed.
	g.grantLocked()
	g.mu.Unlock()

	if blocked != nil {
		blocked()
	}
	select {
	case err := <-t.answer:
		g.keep(t)
		return err
	case <-ctx.Done():
		if g.leave(t) {
			return fmt.Errorf("commit: append: %w", ctx.Err())
		}
		err := <-t.answer // it was answered meanwhile, and that stands
		g.keep(t)
		return err
	}
}

// release gives units back.
func (g *gate) release(units int64) {
	if units == 0 {
		return
	}
	g.used.Add(-units)
	if g.queued.Load() > 0 {
		g.mu.Lock()
		g.grantLocked()
		g.mu.Unlock()
	}
}

// close refuses what is queued and every later request with err. Units taken
// before stay taken. Only the first call counts.
func (g *gate) close(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return
	}
	g.err = err
	g.used.Add(shut)
	for t := g.queue.first; t != nil; t = g.queue.first {
		g.answerLocked(t, err)
	}
}

// drained reports that the gate is closed and everything was given back. Once
// true it stays true.
func (g *gate) drained() bool { return g.used.Load() == shut }

// congested reports that a request waits.
func (g *gate) congested() bool { return g.queued.Load() > 0 }

func (g *gate) take(units int64) bool {
	for {
		used := g.used.Load()
		if used > 0 && used+units > g.limit {
			return false
		}
		if g.used.CompareAndSwap(used, used+units) {
			return true
		}
	}
}

// grantLocked answers requests from the front for as long as they fit.
func (g *gate) grantLocked() {
	for t := g.queue.first; t != nil && g.take(t.units); t = g.queue.first {
		g.answerLocked(t, nil)
	}
}

func (g *gate) answerLocked(t *ticket, err error) {
	g.queue.remove(t)
	t.queued = false
	g.queued.Add(-1)
	t.answer <- err
}

func (g *gate) enqueueLocked(units int64) *ticket {
	t := g.spare.first
	if t != nil {
		g.spare.remove(t)
	} else {
		t = &ticket{answer: make(chan error, 1)}
	}
	t.units, t.queued = units, true
	g.queue.push(t)
	g.queued.Add(1)
	return t
}

// leave takes an unanswered ticket out of the queue; false: it has its answer.
func (g *gate) leave(t *ticket) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !t.queued {
		return false
	}
	g.queue.remove(t)
	t.queued = false
	g.queued.Add(-1)
	g.spare.push(t)
	g.grantLocked() // a smaller request behind it may fit
	return true
}

// keep stores an answered ticket for the next request.
func (g *gate) keep(t *ticket) {
	g.mu.Lock()
	g.spare.push(t)
	g.mu.Unlock()
}

type ticketList struct{ first, last *ticket }

func (l *ticketList) push(t *ticket) {
	t.prev, t.next = l.last, nil
	if l.last == nil {
		l.first = t
	} else {
		l.last.next = t
	}
	l.last = t
}

func (l *ticketList) remove(t *ticket) {
	if t.prev == nil {
		l.first = t.next
	} else {
		t.prev.next = t.next
	}
	if t.next == nil {
		l.last = t.prev
	} else {
		t.next.prev = t.prev
	}
	t.prev, t.next = nil, nil
}
