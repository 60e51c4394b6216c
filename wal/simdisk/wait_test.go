package simdisk

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
)

func TestWaitNeverReturnsEarly(t *testing.T) {
	waits := map[string]func(time.Time){"yieldUntil": yieldUntil, "SleepUntil": SleepUntil}
	for name, wait := range waits {
		for _, d := range []time.Duration{-time.Second, 0, time.Microsecond, 300 * time.Microsecond, sleepFrom + time.Millisecond} {
			deadline := time.Now().Add(d)
			wait(deadline)
			if now := time.Now(); now.Before(deadline) {
				t.Errorf("%s: a wait of %v ended %v early", name, d, deadline.Sub(now))
			}
		}
	}
}

// BenchmarkOvershoot syncs in a loop beside goroutines that are always
// runnable, work for about a microsecond and give way. It reports how late the
// syncs return.
func BenchmarkOvershoot(b *testing.B) {
	for _, flush := range []time.Duration{200 * time.Microsecond, 2600 * time.Microsecond, 10 * time.Millisecond} {
		for _, n := range []int{0, 1, 8, 64} {
			b.Run(fmt.Sprintf("flush=%v/runnable=%d", flush, n), func(b *testing.B) {
				benchmarkOvershoot(b, flush, n)
			})
		}
	}
}

func benchmarkOvershoot(b *testing.B, flush time.Duration, n int) {
	fs := New(Options{Flush: flush})
	f := create(b, fs, "f")
	stop := make(chan struct{})
	var running sync.WaitGroup
	for range n {
		running.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for began := time.Now(); time.Since(began) < time.Microsecond; {
				}
				runtime.Gosched()
			}
		})
	}
	for b.Loop() {
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	close(stop)
	running.Wait()
	reportLateness(b, fs)
}

// BenchmarkGreedy runs writers in a closed loop against a flusher that starts
// again as soon as the disk is free, and reports how late the syncs return.
func BenchmarkGreedy(b *testing.B) {
	for _, n := range []int{1, 8, 64, 1024} {
		b.Run(fmt.Sprintf("writers=%d", n), func(b *testing.B) { benchmarkGreedy(b, n) })
	}
}

func benchmarkGreedy(b *testing.B, n int) {
	fs := New(Options{Flush: 200 * time.Microsecond})
	f := create(b, fs, "f")
	var running sync.WaitGroup
	commits := make(chan chan struct{}, n)
	stop := make(chan struct{})
	for range n {
		running.Go(func() { commitInLoop(commits, stop) })
	}
	batch := make([]chan struct{}, 0, n)
	for b.Loop() {
		batch = append(batch[:0], <-commits)
		for more := len(commits); more > 0; more-- {
			batch = append(batch, <-commits)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		for _, done := range batch {
			done <- struct{}{}
		}
	}
	close(stop)
	running.Wait()
	reportLateness(b, fs)
}

// commitInLoop is a writer: it hands its channel in and waits until it is told
// on it that the flush is over.
func commitInLoop(commits chan<- chan struct{}, stop <-chan struct{}) {
	done := make(chan struct{}, 1)
	for {
		select {
		case commits <- done:
		case <-stop:
			return
		}
		select {
		case <-done:
		case <-stop:
			return
		}
	}
}

func reportLateness(b *testing.B, fs *FS) {
	a := fs.Accuracy()
	b.ReportMetric(float64(a.Median.Nanoseconds())/1e3, "us-late-p50")
	b.ReportMetric(float64(a.P99.Nanoseconds())/1e3, "us-late-p99")
}
