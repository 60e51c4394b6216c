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

var policies = []Policy{PerWrite(), Greedy(), Window(300*time.Microsecond, 0, 0), Window(5*time.Millisecond, 4, 0), Adaptive()}

// sleepDevice takes d for a flush, in a bubble.
func sleepDevice(d time.Duration) func(int) error {
	return func(int) error { time.Sleep(d); return nil }
}

// holdDevice blocks each flush until it is told how to end.
type holdDevice struct {
	started chan int
	end     chan error
}

func newHoldDevice() *holdDevice {
	return &holdDevice{started: make(chan int, 16), end: make(chan error)}
}

func (d *holdDevice) flush(n int) error {
	d.started <- n
	return <-d.end
}

// Promise 1, as far as it is commit's: nil only after the barrier returned, and
// only for records below it. Every acknowledgement is checked against the log,
// under every policy.
func TestCommitReturnsOnceDurable(t *testing.T) {
	for _, p := range policies {
		t.Run(p.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newFakeLog(sleepDevice(time.Millisecond))
				c := mustOpen(t, l, Options{Policy: p})
				var wg sync.WaitGroup
				for w := range 8 {
					wg.Go(func() {
						for i := range 50 {
							var lsn wal.LSN
							var err error
							switch (w + i) % 3 {
							case 0:
								lsn, err = c.Commit(t.Context(), []byte("record"))
							case 1:
								lsn, err = c.CommitBatch(context.Background(), [][]byte{nil, {}, []byte("x")})
							case 2:
								if lsn, err = c.Append(context.Background(), nil); err == nil {
									err = c.Wait(context.Background(), lsn)
								}
							}
							if err != nil {
								t.Error(err)
							}
							if d := l.Durable(); d <= lsn {
								t.Errorf("acknowledged %v with %v durable", lsn, d)
							}
						}
					})
				}
				wg.Wait()
			})
		})
	}
}

func TestCommitWaitsForBarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev := newHoldDevice()
		c := mustOpen(t, newFakeLog(dev.flush), Options{})
		var acked atomic.Bool
		go func() {
			if _, err := c.Commit(context.Background(), []byte("a")); err != nil {
				t.Error(err)
			}
			acked.Store(true)
		}()
		synctest.Wait()
		if acked.Load() {
			t.Fatal("acknowledged before the barrier returned")
		}
		dev.end <- nil
		synctest.Wait()
		if !acked.Load() {
			t.Fatal("not acknowledged after the barrier returned")
		}
	})
}

// A record appended during a flush is not acknowledged by it.
func TestCommitDuringFlushWaitsForTheNext(t *testing.T) {
	for _, p := range policies {
		synctest.Test(t, func(t *testing.T) {
			dev := newHoldDevice()
			c := mustOpen(t, newFakeLog(dev.flush), Options{Policy: p})
			var acked atomic.Int64
			commit := func() {
				if _, err := c.Commit(context.Background(), []byte("a")); err != nil {
					t.Error(err)
				}
				acked.Add(1)
			}
			go commit()
			<-dev.started
			go commit()
			synctest.Wait()
			dev.end <- nil
			<-dev.started
			synctest.Wait()
			if got := acked.Load(); got != 1 {
				t.Errorf("%v: %d acknowledged by the first flush, want 1", p, got)
			}
			dev.end <- nil
			synctest.Wait()
			if got := acked.Load(); got != 2 {
				t.Errorf("%v: %d acknowledged by two flushes, want 2", p, got)
			}
		})
	}
}

// Flush does not wait for the policy, and covers what Append left behind.
func TestFlushOverridesPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFakeLog(sleepDevice(time.Millisecond))
		c := mustOpen(t, l, Options{Policy: Window(time.Hour, 0, 0)})
		start := time.Now()
		var last wal.LSN
		for range 10 {
			var err error
			if last, err = c.Append(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != time.Millisecond {
			t.Errorf("took %v, want one flush of 1ms", took)
		}
		if d := l.Durable(); d <= last {
			t.Errorf("durable below %v, appended %v", d, last)
		}
		if err := c.Wait(context.Background(), last); err != nil {
			t.Error(err)
		}
		if s := c.Stats(); s.ByReason[ReasonExplicit] != 1 || s.Records != 10 {
			t.Errorf("%+v, want one explicit flush of 10 records", s)
		}
	})
}

// Records that somebody else appended to the log are flushed too.
func TestForeignRecordsAreFlushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFakeLog(nil)
		c := mustOpen(t, l, Options{})
		lsn, _ := l.Append(nil)
		if err := c.Wait(context.Background(), lsn); err != nil || l.Durable() <= lsn {
			t.Errorf("Wait: %v with %v durable", err, l.Durable())
		}
		lsn, _ = l.Append(nil)
		if err := c.Flush(context.Background()); err != nil || l.Durable() <= lsn {
			t.Errorf("Flush: %v with %v durable", err, l.Durable())
		}
	})
}

func TestWaitRefusesWhatWasNeverAppended(t *testing.T) {
	l := newFakeLog(nil)
	c := mustOpen(t, l, Options{})
	for _, lsn := range []wal.LSN{0, l.Next(), l.Next() + 1, 1 << 60} {
		if err := c.Wait(context.Background(), lsn); err == nil || errors.Is(err, ErrIndeterminate) {
			t.Errorf("Wait(%v) = %v, want a refusal", lsn, err)
		}
	}
	if err := c.Wait(context.Background(), l.Durable()-1); err != nil {
		t.Errorf("Wait for what was durable before New: %v", err)
	}
}

func TestEmptyBatchIsNothing(t *testing.T) {
	l := newFakeLog(nil)
	c := mustOpen(t, l, Options{})
	for _, f := range []func(context.Context, [][]byte) (wal.LSN, error){c.CommitBatch, c.AppendBatch} {
		for _, recs := range [][][]byte{nil, {}} {
			if lsn, err := f(context.Background(), recs); lsn != 0 || err != nil {
				t.Errorf("empty batch: %v, %v, want 0, nil", lsn, err)
			}
		}
	}
	if l.Next() != lsnStep {
		t.Error("something was appended")
	}
}

// Each field of Options does something, and New refuses nonsense.
func TestOptions(t *testing.T) {
	for name, o := range map[string]Options{
		"pending": {MaxPending: -1},
		"delay":   {Policy: Window(-1, 0, 0)},
		"records": {Policy: Window(0, -1, 0)},
		"bytes":   {Policy: Window(0, 0, -1)},
	} {
		if c, err := open(newFakeLog(nil), o); err == nil {
			c.Close()
			t.Errorf("%s: New accepted %+v", name, o)
		}
	}
	if _, err := New(nil, Options{}); err == nil {
		t.Error("New accepted no log")
	}
}

// OnFlush tells what a flush did before anybody is acknowledged by it, and
// Stats are the sum of what it tells.
func TestOnFlushComesBeforeAcknowledgement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var acked atomic.Int64
		var seen []Flush
		l := newFakeLog(sleepDevice(time.Millisecond))
		c := mustOpen(t, l, Options{Policy: Window(10*time.Millisecond, 3, 0), OnFlush: func(f Flush) {
			if acked.Load() != 0 {
				t.Error("acknowledged before OnFlush")
			}
			seen = append(seen, f)
		}})
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if _, err := c.Commit(context.Background(), []byte("1234")); err != nil {
					t.Error(err)
				}
				acked.Add(1)
			})
		}
		wg.Wait()
		if len(seen) != 1 {
			t.Fatalf("%d flushes, want 1", len(seen))
		}
		f := seen[0]
		if f.Records != 3 || f.Bytes != 12 || f.Waiters != 3 || f.Reason != ReasonFull || f.Err != nil || f.End.Sub(f.Start) != time.Millisecond {
			t.Errorf("flush %+v", f)
		}
		s := c.Stats()
		if s.Flushes != 1 || s.ByReason[ReasonFull] != 1 || s.Records != 3 || s.Bytes != 12 || s.Waiters != 3 || s.FlushTime != time.Millisecond {
			t.Errorf("stats %+v", s)
		}
	})
}
