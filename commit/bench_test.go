package commit

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"walbench.example/wal"
)

// spinDevice takes d for a flush, accurate to about a microsecond: it yields to
// a deadline, where a sleep would be rounded up to a millisecond.
func spinDevice(d time.Duration) func(int) error {
	return func(int) error {
		for start := time.Now(); time.Since(start) < d; {
			runtime.Gosched()
		}
		return nil
	}
}

// BenchmarkCommit commits in a closed loop on a device whose flush takes
// 200 us. "share" is the part reached of the ideal N/F; ns/op is per commit of
// any writer.
func BenchmarkCommit(b *testing.B) {
	const flush = 200 * time.Microsecond
	for _, p := range []Policy{PerWrite(), Greedy(), Window(100*time.Microsecond, 0, 0), Adaptive()} {
		for _, n := range []int{1, 2, 8, 64, 1024} {
			b.Run(fmt.Sprintf("%v/writers=%d", p, n), func(b *testing.B) {
				l := newFakeLog(spinDevice(flush))
				c := mustOpen(b, l, Options{Policy: p})
				closedLoop(b, n, func(rec []byte) error {
					_, err := c.Commit(context.Background(), rec)
					return err
				})
				report(b, l, n, flush)
				s := c.Stats()
				b.ReportMetric(float64(s.WaitTime)/float64(s.FlushTime), "wait/flush")
				if s.Expired > 0 {
					b.ReportMetric(float64(s.ExpiredTook)/float64(s.ExpiredAsked), "took/asked")
				}
			})
		}
	}
}

// BenchmarkTextbookLoop is BenchmarkCommit's greedy with the textbook's
// committer, to which Greedy must not lose more than 5 %.
func BenchmarkTextbookLoop(b *testing.B) {
	const flush = 200 * time.Microsecond
	for _, n := range []int{1, 2, 8, 64, 1024} {
		b.Run(fmt.Sprintf("writers=%d", n), func(b *testing.B) {
			l := newFakeLog(spinDevice(flush))
			t := startTextbook(l)
			defer t.stop()
			closedLoop(b, n, t.commit)
			report(b, l, n, flush)
		})
	}
}

// BenchmarkCommitOverhead has a device that takes no time: what a commit costs
// beside the disk.
func BenchmarkCommitOverhead(b *testing.B) {
	for _, n := range []int{1, 2, 8, 64} {
		for _, p := range []Policy{Greedy(), Adaptive()} {
			b.Run(fmt.Sprintf("%v/writers=%d", p, n), func(b *testing.B) {
				c := mustOpen(b, newFakeLog(nil), Options{Policy: p})
				closedLoop(b, n, func(rec []byte) error {
					_, err := c.Commit(context.Background(), rec)
					return err
				})
			})
		}
		b.Run(fmt.Sprintf("textbook/writers=%d", n), func(b *testing.B) {
			t := startTextbook(newFakeLog(nil))
			defer t.stop()
			closedLoop(b, n, t.commit)
		})
	}
}

func closedLoop(b *testing.B, writers int, commit func([]byte) error) {
	b.Helper()
	b.ReportAllocs()
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	b.ResetTimer()
	for range writers {
		wg.Go(func() {
			rec := make([]byte, recordBytes)
			for left.Add(-1) >= 0 {
				if err := commit(rec); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
}

func report(b *testing.B, l *fakeLog, writers int, flush time.Duration) {
	flushes, records := l.counts()
	ideal := float64(writers) * float64(b.Elapsed()) / float64(flush)
	b.ReportMetric(float64(records)/ideal, "share")
	b.ReportMetric(float64(records)/float64(flushes), "commits/flush")
}

// textbook is group commit as books have it: one mutex, one condition, one
// loop that flushes what is there.
type textbook struct {
	mu      sync.Mutex
	work    sync.Cond
	durable sync.Cond
	log     log
	end     wal.LSN // appended below
	flushed wal.LSN // durable below
	closed  bool
	err     error
	done    chan struct{}
}

func startTextbook(l log) *textbook {
	t := &textbook{log: l, done: make(chan struct{})}
	t.work.L, t.durable.L = &t.mu, &t.mu
	go t.run()
	return t
}

func (t *textbook) commit(rec []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	lsn, err := t.log.Append(rec)
	if err != nil {
		return err
	}
	t.end = lsn + 1
	t.work.Signal()
	for t.flushed <= lsn && t.err == nil {
		t.durable.Wait()
	}
	return t.err
}

func (t *textbook) run() {
	defer close(t.done)
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		for t.end == t.flushed && !t.closed {
			t.work.Wait()
		}
		if t.end == t.flushed {
			return
		}
		end := t.end
		t.mu.Unlock()
		err := t.log.Flush(nil)
		t.mu.Lock()
		t.flushed, t.err = end, err
		t.durable.Broadcast()
	}
}

func (t *textbook) stop() {
	t.mu.Lock()
	t.closed = true
	t.work.Signal()
	t.mu.Unlock()
	<-t.done
}
