package commit

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// With real goroutines the split into batches is the scheduler's, so these are
// bounds; TestPoliciesOnConstantDevice has the exact counts.
func TestThroughputInVirtualTime(t *testing.T) {
	const flush, span = 2 * time.Millisecond, 120 * time.Millisecond
	share := func(t *testing.T, p Policy, writers int) (share float64) {
		synctest.Test(t, func(t *testing.T) {
			l := newFakeLog(sleepDevice(flush))
			c := mustOpen(t, l, Options{Policy: p})
			start := time.Now()
			var wg sync.WaitGroup
			for range writers {
				wg.Go(func() {
					for time.Since(start) < span {
						if _, err := c.Commit(context.Background(), nil); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			_, records := l.counts()
			share = float64(records) / float64(writers) / (float64(time.Since(start)) / float64(flush))
		})
		return share
	}
	for _, n := range []int{1, 2, 4, 8, 64, 1024} {
		if got := share(t, Adaptive(), n); got < 0.95 || got > 1 {
			t.Errorf("adaptive, %d writers: %.3f of N/F, want 0.95 to 1", n, got)
		}
		if got := share(t, Greedy(), n); got < 0.48 || got > 1 {
			t.Errorf("greedy, %d writers: %.3f of N/F, want 0.48 to 1", n, got)
		}
		if got := share(t, PerWrite(), n) * float64(n); got < 0.99 || got > 1.01 {
			t.Errorf("per-write, %d writers: %.3f of 1/F, want 1", n, got)
		}
	}
}

// Case PRF-03, https://github.com/tarantool/tarantool/issues/10279: a lone
// writer pays for nothing but its flush, except under a window, where it pays
// the window once.
func TestLoneWriterPaysItsFlushOnly(t *testing.T) {
	const flush = 200 * time.Microsecond
	for _, test := range []struct {
		policy Policy
		window time.Duration
	}{
		{PerWrite(), 0},
		{Greedy(), 0},
		{Adaptive(), 0},
		{Window(0, 128, 0), 0},
		{Window(200*time.Microsecond, 128, 0), 200 * time.Microsecond},
		{Window(2*time.Millisecond, 128, 0), 2 * time.Millisecond},
		{Window(20*time.Millisecond, 1, 0), 0}, // full at once
	} {
		synctest.Test(t, func(t *testing.T) {
			c := mustOpen(t, newFakeLog(sleepDevice(flush)), Options{Policy: test.policy})
			for range 20 {
				start := time.Now()
				if _, err := c.Commit(context.Background(), nil); err != nil {
					t.Fatal(err)
				}
				took, want := time.Since(start), test.window+flush
				if took < want || took > want+5*time.Microsecond {
					t.Errorf("%v: commit took %v, want %v", test.policy, took, want)
				}
			}
			s := c.Stats()
			if s.ExpiredAsked > s.ExpiredTook || s.ExpiredTook > s.ExpiredAsked+20*5*time.Microsecond {
				t.Errorf("%v: asked for %v, took %v", test.policy, s.ExpiredAsked, s.ExpiredTook)
			}
		})
	}
}

// Case PRF-02, https://github.com/justrach/turbodb/issues/106: with nothing
// pending nothing is flushed, and Flush does no I/O.
func TestIdleFlushesNothing(t *testing.T) {
	for _, p := range policies {
		synctest.Test(t, func(t *testing.T) {
			l := newFakeLog(sleepDevice(time.Millisecond))
			c := mustOpen(t, l, Options{Policy: p})
			if _, err := c.Commit(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
			for range 1000 {
				if err := c.Flush(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			if want := []int{1}; !slices.Equal(l.flushes, want) {
				t.Errorf("%v: flushes of %v records, want %v", p, l.flushes, want)
			}
		})
	}
}

// A full window does not wait for its timer.
func TestWindowClosesAtCap(t *testing.T) {
	rec := bytes.Repeat([]byte("x"), 100)
	for _, p := range []Policy{Window(time.Hour, 4, 0), Window(time.Hour, 0, 400)} {
		synctest.Test(t, func(t *testing.T) {
			l := newFakeLog(nil)
			c := mustOpen(t, l, Options{Policy: p})
			start := time.Now()
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					if _, err := c.Commit(context.Background(), rec); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if took := time.Since(start); took > time.Millisecond {
				t.Errorf("%v: a full batch took %v", p, took)
			}
			if s := c.Stats(); s.ByReason[ReasonFull] != 1 || s.Flushes != 1 {
				t.Errorf("%v: %+v, want one flush because full", p, s)
			}
		})
	}
}
