package commit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"walbench.example/wal"
)

// wal.ErrFull is waited out: by a flush if records are buffered, and by an
// empty one if what is missing is the next segment.
func TestFullLogIsFlushedAndTriedAgain(t *testing.T) {
	for _, p := range append(policies, Window(time.Hour, 0, 0)) {
		synctest.Test(t, func(t *testing.T) {
			l := newFakeLog(sleepDevice(time.Millisecond))
			asked := map[wal.LSN]int{} // for the next segment, after so many flushes
			l.refuse = func(f *fakeLog) error {
				if f.next/lsnStep%7 == 0 {
					after, ok := asked[f.next]
					if !ok {
						asked[f.next] = len(f.flushes)
					}
					if !ok || after == len(f.flushes) {
						return wal.ErrFull
					}
				}
				if f.buffered >= 3 {
					return wal.ErrFull
				}
				return nil
			}
			c := mustOpen(t, l, Options{Policy: p})
			start := time.Now()
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for range 10 {
						if _, err := c.Append(context.Background(), nil); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			if err := c.Flush(context.Background()); err != nil {
				t.Error(err)
			}
			if _, records := l.counts(); records != 80 {
				t.Errorf("%v: %d records flushed, want 80", p, records)
			}
			if took := time.Since(start); took > time.Second {
				t.Errorf("%v: took %v: a full buffer does not end the policy's wait", p, took)
			}
		})
	}
}

func TestFullLogHonoursContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev := newHoldDevice()
		l := newFakeLog(dev.flush)
		c := mustOpen(t, l, Options{})
		if _, err := c.Append(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		<-dev.started
		l.mu.Lock()
		l.refuse = func(*fakeLog) error { return wal.ErrFull }
		l.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, err := c.Commit(ctx, nil)
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrIndeterminate) {
			t.Errorf("got %v, want a deadline and not ErrIndeterminate", err)
		}
		dev.end <- nil
	})
}

// What the log rejects is the caller's to know, and leaves nothing taken.
func TestRejectionPassesThrough(t *testing.T) {
	for _, reject := range []error{wal.ErrNoSpace, wal.ErrTooLarge} {
		for _, p := range policies {
			l := newFakeLog(nil)
			var on atomic.Bool
			l.refuse = func(*fakeLog) error {
				if on.Load() {
					return reject
				}
				return nil
			}
			c := mustOpen(t, l, Options{Policy: p, MaxPending: 100})
			for range 10 {
				on.Store(true)
				if _, err := c.Commit(context.Background(), make([]byte, 60)); !errors.Is(err, reject) || errors.Is(err, ErrIndeterminate) {
					t.Errorf("%v: got %v, want %v", p, err, reject)
				}
				on.Store(false)
				if _, err := c.Commit(context.Background(), make([]byte, 60)); err != nil {
					t.Errorf("%v: after a rejection: %v", p, err)
				}
			}
		}
	}
}

// Promise 12: a cancelled context abandons the wait, not the record, and the
// error says so; called with it, nothing is appended.
func TestCancelAbandonsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev := newHoldDevice()
		l := newFakeLog(dev.flush)
		c := mustOpen(t, l, Options{})
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()

		lsn, err := c.Commit(ctx, nil)
		if !errors.Is(err, ErrIndeterminate) || !errors.Is(err, context.DeadlineExceeded) || lsn == 0 {
			t.Errorf("abandoned: %v, %v, want an LSN, ErrIndeterminate and the deadline", lsn, err)
		}
		if err := c.Wait(ctx, lsn); !errors.Is(err, ErrIndeterminate) {
			t.Errorf("Wait abandoned: %v", err)
		}
		next := l.Next()
		if _, err := c.Commit(ctx, nil); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrIndeterminate) || l.Next() != next {
			t.Errorf("called too late: %v, want a refusal", err)
		}
		dev.end <- nil
		if err := c.Wait(context.Background(), lsn); err != nil {
			t.Errorf("the abandoned record: %v, want it durable", err)
		}
		if err := c.Wait(ctx, lsn); err != nil {
			t.Errorf("Wait with a dead context for a durable record: %v", err)
		}
	})
}

// Commit and Append allocate nothing in steady state, a lone writer included,
// whose every batch is one commit.
func TestCommitAllocatesNothing(t *testing.T) {
	rec := make([]byte, 200)
	ctx := context.Background()
	for _, p := range policies {
		l := newFakeLog(nil)
		l.flushes = make([]int, 0, 1<<16)
		c := mustOpen(t, l, Options{Policy: p})
		if got := testing.AllocsPerRun(200, func() { c.Commit(ctx, rec) }); got != 0 {
			t.Errorf("%v: %v allocations per Commit", p, got)
		}
		if got := testing.AllocsPerRun(200, func() { c.Append(ctx, rec) }); got != 0 {
			t.Errorf("%v: %v allocations per Append", p, got)
		}
	}
}
