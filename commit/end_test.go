package commit

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"walbench.example/wal"
)

// Case CON-02, https://github.com/cockroachdb/pebble/pull/551: Close arrives
// inside a window that would last an hour. All records are flushed and
// acknowledged, at once.
func TestCloseEndsTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFakeLog(sleepDevice(time.Millisecond))
		c := mustOpen(t, l, Options{Policy: Window(time.Hour, 1000, 0)})
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if _, err := c.Commit(t.Context(), []byte("record")); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(50 * time.Millisecond)
		start := time.Now()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if took := time.Since(start); took > 2*time.Millisecond {
			t.Errorf("Close took %v, want one flush of 1ms", took)
		}
		flushes, records := l.counts()
		if s := c.Stats(); flushes != 1 || records != 10 || s.ByReason[ReasonClose] != 1 {
			t.Errorf("%d flushes of %d records, %+v; want one of 10, for Close", flushes, records, s)
		}
	})
}

// A caller that has appended when Close comes, and not yet joined a batch, is
// waited for: its record is flushed and acknowledged.
func TestCloseWaitsForAppenders(t *testing.T) {
	for _, p := range policies {
		synctest.Test(t, func(t *testing.T) {
			appended, proceed := make(chan struct{}), make(chan struct{})
			l := newFakeLog(sleepDevice(time.Millisecond))
			l.appended = func() {
				close(appended)
				<-proceed
			}
			c := mustOpen(t, l, Options{Policy: p})
			var wg sync.WaitGroup
			wg.Go(func() {
				if _, err := c.Commit(context.Background(), nil); err != nil {
					t.Errorf("%v: %v", p, err)
				}
			})
			<-appended
			wg.Go(func() {
				if err := c.Close(); err != nil {
					t.Errorf("%v: Close: %v", p, err)
				}
			})
			synctest.Wait()
			close(proceed)
			wg.Wait()
			if flushes, records := l.counts(); flushes != 1 || records != 1 {
				t.Errorf("%v: %d flushes of %d records, want 1 of 1", p, flushes, records)
			}
		})
	}
}

// A caller whose record is cut, or even flushed, before it joins a batch finds
// its answer all the same, and what it took is given back.
func TestFlushOvertakesAppender(t *testing.T) {
	for _, p := range policies {
		for _, over := range []bool{false, true} { // the flush, when the caller joins
			synctest.Test(t, func(t *testing.T) {
				appended, proceed := make(chan struct{}), make(chan struct{})
				l := newFakeLog(sleepDevice(time.Millisecond))
				l.appended = sync.OnceFunc(func() {
					close(appended)
					<-proceed
				})
				c := mustOpen(t, l, Options{Policy: p, MaxPending: 100})
				var wg sync.WaitGroup
				wg.Go(func() {
					if _, err := c.Commit(context.Background(), nil); err != nil {
						t.Errorf("%v: %v", p, err)
					}
				})
				<-appended
				wg.Go(func() {
					if err := c.Flush(context.Background()); err != nil {
						t.Errorf("%v: Flush: %v", p, err)
					}
				})
				synctest.Wait()
				if over {
					time.Sleep(time.Second)
				}
				start := time.Now()
				close(proceed)
				wg.Wait()
				if took := time.Since(start); over && took != 0 {
					t.Errorf("%v: a commit that was durable took %v", p, took)
				}
				if _, err := c.Commit(context.Background(), make([]byte, 100)); err != nil {
					t.Errorf("%v: next commit: %v", p, err)
				}
				if want := []int{1, 1}; !slices.Equal(l.flushes, want) {
					t.Errorf("%v: flushes of %v records, want %v", p, l.flushes, want)
				}
			})
		}
	}
}

// Close shuts a committer without a bound on what is pending too.
func TestCloseRefusesAtAnyMaxPending(t *testing.T) {
	for _, limit := range []int64{1, shut - 1, shut, math.MaxInt64} {
		l := newFakeLog(nil)
		c := mustOpen(t, l, Options{MaxPending: limit})
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		next := l.Next()
		_, err := c.Commit(context.Background(), nil)
		if !errors.Is(err, ErrClosed) || errors.Is(err, ErrIndeterminate) || l.Next() != next {
			t.Errorf("MaxPending %d: Commit after Close: %v, appended %d, want a refusal", limit, err, (l.Next()-next)/lsnStep)
		}
	}
}

// What is blocked when Close comes and has appended nothing is refused; after
// Close so is everything but the truth about records that are durable.
func TestCloseRefusesWhatHasNotAppended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev := newHoldDevice()
		l := newFakeLog(dev.flush)
		c := mustOpen(t, l, Options{MaxPending: 100})
		var errs [2]error
		var lsn wal.LSN
		var wg sync.WaitGroup
		wg.Go(func() { lsn, errs[0] = c.Commit(context.Background(), make([]byte, 90)) })
		synctest.Wait()
		wg.Go(func() { _, errs[1] = c.Commit(context.Background(), make([]byte, 90)) })
		synctest.Wait()
		wg.Go(func() { c.Close() })
		synctest.Wait()
		if errs[1] != ErrClosed {
			t.Errorf("held back at Close: %v, want ErrClosed", errs[1])
		}
		dev.end <- nil
		wg.Wait()
		if errs[0] != nil {
			t.Errorf("in flight at Close: %v", errs[0])
		}

		ctx := context.Background()
		_, commit := c.Commit(ctx, nil)
		_, commitBatch := c.CommitBatch(ctx, make([][]byte, 2))
		_, appnd := c.Append(ctx, nil)
		_, appendBatch := c.AppendBatch(ctx, make([][]byte, 2))
		for i, err := range []error{commit, commitBatch, appnd, appendBatch, c.Flush(ctx)} {
			if err != ErrClosed {
				t.Errorf("call %d after Close: %v, want ErrClosed", i, err)
			}
		}
		if err := c.Wait(ctx, lsn); err != nil {
			t.Errorf("Wait for a durable record after Close: %v", err)
		}
		stranger, _ := l.Append(nil)
		if err := c.Wait(ctx, stranger); !errors.Is(err, ErrClosed) {
			t.Errorf("Wait for a record nobody will flush: %v, want ErrClosed", err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("second Close: %v, want what the first returned", err)
		}
	})
}
