package commit

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Promise 11: appenders wait while MaxPending bytes are not durable, and go on
// as flushes make room. The log never holds more.
func TestMaxPendingHoldsAppenders(t *testing.T) {
	const limit, size = 1000, 168 // five with their overhead
	for _, p := range append(policies, Window(time.Hour, 0, 0)) {
		t.Run(p.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var inFlight atomic.Int64 // records; one flush at a time
				l := newFakeLog(nil)
				l.device = func(n int) error {
					inFlight.Store(int64(n))
					time.Sleep(time.Millisecond)
					inFlight.Store(0)
					return nil
				}
				l.refuse = func(f *fakeLog) error {
					if n := f.buffered + int(inFlight.Load()); n >= 5 {
						t.Errorf("append with %d records pending, room is for 5", n)
					}
					return nil
				}
				c := mustOpen(t, l, Options{Policy: p, MaxPending: limit})
				start := time.Now()
				var wg sync.WaitGroup
				for range 4 {
					wg.Go(func() {
						for range 25 {
							if _, err := c.Append(context.Background(), make([]byte, size)); err != nil {
								t.Error(err)
							}
						}
					})
				}
				wg.Wait()
				if err := c.Flush(context.Background()); err != nil {
					t.Error(err)
				}
				if _, records := l.counts(); records != 100 {
					t.Errorf("%d records flushed, want 100", records)
				}
				if took := time.Since(start); took > time.Second {
					t.Errorf("took %v: held-up appenders do not end the policy's wait", took)
				}
			})
		})
	}
}

// The records of a batch count one by one, or empty ones would count nothing.
func TestMaxPendingCountsEachRecordOfBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev := newHoldDevice()
		l := newFakeLog(dev.flush)
		c := mustOpen(t, l, Options{Policy: Greedy(), MaxPending: 10 * recordOverhead})
		for range 2 {
			go func() {
				if _, err := c.AppendBatch(context.Background(), make([][]byte, 6)); err != nil {
					t.Error(err)
				}
			}()
		}
		for range 2 {
			if n := <-dev.started; n != 6 {
				t.Errorf("flush of %d records, want one batch of 6", n)
			}
			synctest.Wait()
			if l.buffered != 0 {
				t.Errorf("%d records of the second batch appended, room is for 4", l.buffered)
			}
			dev.end <- nil
		}
	})
}

// An append larger than MaxPending is let in when nothing else is pending, and
// is not overtaken meanwhile.
func TestLargeAppendIsLetInAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev := newHoldDevice()
		l := newFakeLog(dev.flush)
		c := mustOpen(t, l, Options{Policy: Greedy(), MaxPending: 100})
		var mu sync.Mutex
		var order []string
		commit := func(name string, size int) {
			go func() {
				if _, err := c.Commit(context.Background(), make([]byte, size)); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
			}()
			synctest.Wait()
		}
		commit("small", 10)
		commit("large", 5000)
		commit("late", 10)
		for range 3 {
			if n := <-dev.started; n != 1 {
				t.Errorf("flush of %d records, want each by itself", n)
			}
			dev.end <- nil
			synctest.Wait()
		}
		if want := []string{"small", "large", "late"}; !slices.Equal(order, want) {
			t.Errorf("acknowledged in order %v, want %v", order, want)
		}
	})
}

// A caller that gives up while it is held back has appended nothing, and those
// behind it move up.
func TestCancelWhileHeldBackAppendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev := newHoldDevice()
		l := newFakeLog(dev.flush)
		c := mustOpen(t, l, Options{MaxPending: 200})
		ctx, cancel := context.WithCancel(context.Background())
		var errs [3]error
		var wg sync.WaitGroup
		commit := func(i, size int, ctx context.Context) {
			wg.Go(func() { _, errs[i] = c.Commit(ctx, make([]byte, size)) })
			synctest.Wait()
		}
		commit(0, 100, context.Background())
		commit(1, 100, ctx)
		commit(2, 10, context.Background())
		appended := l.Next()
		cancel()
		synctest.Wait()
		if !errors.Is(errs[1], context.Canceled) || errors.Is(errs[1], ErrIndeterminate) {
			t.Errorf("held back and cancelled: %v, want context.Canceled and not ErrIndeterminate", errs[1])
		}
		if got := l.Next() - appended; got != lsnStep {
			t.Errorf("%d records appended by the cancellation, want the small one behind it", got/lsnStep)
		}
		for range 2 {
			dev.end <- nil
		}
		wg.Wait()
		if errs[0] != nil || errs[2] != nil {
			t.Errorf("others: %v, %v", errs[0], errs[2])
		}
	})
}

// PerWrite admits one record a flush, in the order the callers came.
func TestPerWriteIsFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFakeLog(sleepDevice(time.Millisecond))
		c := mustOpen(t, l, Options{Policy: PerWrite()})
		var mu sync.Mutex
		var order []int
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				if _, err := c.CommitBatch(context.Background(), make([][]byte, 2)); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
			})
			synctest.Wait()
		}
		wg.Wait()
		if !slices.IsSorted(order) {
			t.Errorf("acknowledged in order %v", order)
		}
		for i, n := range l.flushes {
			if n != 2 {
				t.Errorf("flush %d covers %d records, want one batch of 2", i, n)
			}
		}
	})
}
