package commit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"walbench.example/wal"
)

// Case CON-04, https://github.com/dgraph-io/badger/issues/419 and
// https://github.com/prometheus/prometheus/pull/9566: everything at once, and
// Close from three goroutines at a random moment. Every call is answered, every
// nil is true, every late call is refused, and no goroutine is left (TestMain).
func TestCloseRacesWithEverything(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	rounds := 300
	if testing.Short() {
		rounds = 50
	}
	for round := range rounds {
		p := policies[round%len(policies)]
		l := newFakeLog(nil)
		limit := 1 + r.IntN(20)
		l.refuse = func(f *fakeLog) error {
			if f.buffered > limit {
				return wal.ErrFull
			}
			return nil
		}
		var fail error
		if r.IntN(4) == 0 {
			fail = syscall.EIO
		}
		var failing atomic.Int64
		failing.Store(int64(r.IntN(30)))
		l.device = func(int) error {
			if failing.Add(-1) < 0 {
				return fail
			}
			return nil
		}
		c, err := open(l, Options{Policy: p, MaxPending: 1 + r.Int64N(1000)})
		if err != nil {
			t.Fatal(err)
		}
		if err := race(c, l, r.IntN(200)); err != nil {
			t.Fatalf("round %d of seed %d, %v: %v", round, seed, p, err)
		}
		if _, err := c.Commit(context.Background(), nil); !errors.Is(err, ErrClosed) && !errors.Is(err, syscall.EIO) {
			t.Fatalf("round %d of seed %d: Commit after Close: %v", round, seed, err)
		}
	}
}

// racing is one round of it: writers, flushers and cancellers, until Close is
// called, after that many commits, from three goroutines.
type racing struct {
	c     *Committer
	l     *fakeLog
	left  atomic.Int64
	close func() // lets the closers go

	mu    sync.Mutex
	wrong error
}

func race(c *Committer, l *fakeLog, commits int) error {
	enter := make(chan struct{})
	r := &racing{c: c, l: l, close: sync.OnceFunc(func() { close(enter) })}
	r.left.Store(int64(commits))
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() { r.write(w) })
	}
	for range 2 {
		wg.Go(r.flush)
	}
	var closes [3]error
	for i := range closes {
		wg.Go(func() {
			<-enter
			closes[i] = c.Close()
		})
	}
	wg.Wait()
	if closes[0] != closes[1] || closes[1] != closes[2] {
		r.report("closes returned %v", closes)
	}
	return r.wrong
}

// write commits until it is refused. Half of the writers have a context that
// can be cancelled, and one has it cancelled at times.
func (r *racing) write(w int) {
	defer r.close()
	for i := 0; ; i++ {
		ctx, cancel := context.Background(), func() {}
		if w%2 == 0 {
			ctx, cancel = context.WithCancel(ctx)
		}
		if w == 0 && i%3 == 0 {
			go cancel()
		}
		lsn, err := r.c.Commit(ctx, make([]byte, 10*w))
		if err == nil {
			err = r.c.Wait(ctx, lsn)
			if d := r.l.Durable(); err == nil && d <= lsn {
				r.report("acknowledged %v with %v durable", lsn, d)
			}
		}
		cancel()
		if r.left.Add(-1) < 0 {
			r.close()
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			r.refused(err)
			return
		}
	}
}

func (r *racing) flush() {
	for {
		if err := r.c.Flush(context.Background()); err != nil {
			r.refused(err)
			return
		}
		r.c.Append(context.Background(), nil)
		r.c.Stats()
	}
}

func (r *racing) refused(err error) {
	if !errors.Is(err, ErrClosed) && !errors.Is(err, syscall.EIO) {
		r.report("refused with %v", err)
	}
}

func (r *racing) report(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong = fmt.Errorf(format, args...)
}
