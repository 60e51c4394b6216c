package load

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"walbench.example/cmd/internal/stats"
	"walbench.example/commit"
	"walbench.example/wal"
)

// cell is one policy with N writers, in one repeat.
type cell struct {
	policy  string
	writers int
}

// measured is what one run of a cell yields, with the samples that its row
// merges.
type measured struct {
	repeat  Repeat
	latency *stats.Histogram
	flushes *stats.Histogram
	all     int64 // flushes, whatever the phase
	records int64
	batches []int
	reasons map[string]int64
}

// run drives the log with the cell's writers: a warm-up, then the measured
// time, cut short by ctx. The log outlives it. After an error of a commit the
// log is finished.
func (c cell) run(ctx context.Context, log *wal.Log, config Config, trim func()) (measured, error) {
	policy, err := Policy(c.policy, config.Window)
	if err != nil {
		return measured{}, err
	}
	r := newRecorder(c.writers)
	// Commits make no garbage, but setting up a cell does: collected now, it is
	// not collected in the measured time, which takes one processor of few.
	runtime.GC()
	done := make(chan struct{})
	var pending int64
	committer, err := commit.New(log, commit.Options{Policy: policy, OnFlush: func(f commit.Flush) {
		r.flushed(f)
		if pending += f.Bytes; pending >= config.SegmentBytes/2 {
			pending = 0
			trim()
		}
	}})
	if err != nil {
		return measured{}, err
	}
	var writers sync.WaitGroup
	failure := newFirst(func() { close(done) })
	for w := range c.writers {
		writers.Go(func() { write(committer, newPayload(config.RecordBytes, w), w, r, failure) })
	}

	rest(ctx, done, config.warm())
	start := time.Now()
	r.phase.Store(measuring)
	rest(ctx, done, config.Cell)
	elapsed := time.Since(start)
	r.phase.Store(stopping)
	writers.Wait()
	if err := committer.Close(); err != nil {
		failure.set(err)
	}
	return r.measured(elapsed, failure), failure.get()
}

// write is one closed-loop writer.
func write(c *commit.Committer, p *payload, number int, r *recorder, failure *first) {
	ctx := context.Background()
	for r.phase.Load() != stopping {
		record := p.next()
		start := time.Now()
		if _, err := c.Commit(ctx, record); err != nil {
			failure.set(err)
			return
		}
		r.committed(number, time.Since(start))
	}
}

// rest waits for d, or until ctx ends or something failed.
func rest(ctx context.Context, failed <-chan struct{}, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	case <-failed:
	}
}

func (r *recorder) measured(elapsed time.Duration, failure *first) measured {
	latency, commits := r.totals()
	m := measured{latency: latency, flushes: r.flush.times, all: r.flush.all, records: r.flush.records, batches: r.flush.batches, reasons: r.flush.reasons}
	m.repeat = Repeat{
		Seconds:          elapsed.Seconds(),
		Commits:          commits,
		CommitsPerSecond: float64(commits) / elapsed.Seconds(),
		Flushes:          r.flush.count,
		FlushP50:         r.flush.times.Latency().P50,
		Latency:          latency.Latency(),
		Errors:           failure.count.Load(),
	}
	return m
}

// first keeps the first error of many writers and counts them all.
type first struct {
	count atomic.Int64
	once  sync.Once
	err   error
	then  func()
}

func newFirst(then func()) *first { return &first{then: then} }

func (f *first) set(err error) {
	f.count.Add(1)
	f.once.Do(func() { f.err = err; f.then() })
}

// get returns the first error. Nobody may be setting one.
func (f *first) get() error { return f.err }
