package load

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"walbench.example/wal"
)

// Run measures all cells, and returns what it has measured also with an
// error: that of ctx when it was asked to stop, or the first failed commit,
// which ends the run.
//
// Cells share one log, which is trimmed and recycled as it goes. Cells of the
// same number of writers run next to each other and next to the probe of F
// for batches of that size, the policies in turn in a different order each
// repeat, so that the drift of a shared machine hits all alike.
func Run(ctx context.Context, c Config, progress func(Progress)) (Result, error) {
	if err := c.validate(); err != nil {
		return Result{}, err
	}
	d, err := openDevice(c)
	if err != nil {
		return Result{}, err
	}
	if d.sim != nil {
		defer withoutCollector()()
	}
	log, err := wal.Open(d.dir, wal.Options{FS: d.fs, Sync: c.Sync, SegmentSize: c.SegmentBytes})
	if err != nil {
		return Result{}, err
	}
	r := &run{config: c, device: d, log: log, progress: progress, sums: map[cell]*sum{}}
	r.trimmer = startTrimmer(log, d)
	err = r.all(ctx)
	trimErr := r.trimmer.stop()
	closeErr := log.Close()
	if err == nil {
		err = errors.Join(trimErr, closeErr)
	}
	return r.result(), err
}

// run is one run under way.
type run struct {
	config   Config
	device   *device
	log      *wal.Log
	trimmer  *trimmer
	progress func(Progress)
	done     int   // cells
	flushes  int64 // of the log, warm-ups included
	sums     map[cell]*sum
}

func (r *run) all(ctx context.Context) error {
	if err := r.settle(ctx); err != nil {
		return err
	}
	for repeat := range r.config.Repeats {
		for _, n := range r.config.Writers {
			if err := r.block(ctx, repeat, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle runs the log until its segments are prepared, so that the first cell
// is as well off as the last: a new log grows.
func (r *run) settle(ctx context.Context) error {
	c := cell{policy: "adaptive", writers: 8}
	short := r.config
	short.Cell = minWarm
	for begin := time.Now(); r.log.Stats().SegmentsPrepared == 0 && time.Since(begin) < maxWarm; {
		m, err := c.run(ctx, r.log, short, r.trimmer.signal)
		r.flushes += m.all
		if err != nil {
			return fmt.Errorf("load: warm-up: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// block measures F, for a batch of all n writers and for a single record, and
// then every policy with n writers beside the F of the batches it writes.
func (r *run) block(ctx context.Context, repeat, n int) error {
	c := r.config
	single, err := r.flushTime(ctx, 1)
	if err != nil {
		return err
	}
	whole := single
	if n > 1 {
		if whole, err = r.flushTime(ctx, n); err != nil {
			return err
		}
	}
	for i := range c.Policies {
		cell := cell{policy: c.Policies[(i+repeat)%len(c.Policies)], writers: n}
		r.progress(Progress{Done: float64(r.done) / float64(c.Repeats*len(c.Writers)*len(c.Policies)),
			What: fmt.Sprintf("%s, %d writers", cell.policy, n)})
		m, err := cell.run(ctx, r.log, c, r.trimmer.signal)
		r.flushes += m.all
		f := whole
		if cell.policy == "per-write" {
			f = single
		}
		if m.repeat.Commits > 0 || err != nil {
			r.sum(cell).add(m, n, f)
		}
		if err != nil {
			return fmt.Errorf("load: %s with %d writers: %w", cell.policy, n, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		r.done++
	}
	return nil
}

// flushTime measures F: the median time of one write and sync of n records on
// a prepared file. It is 0 where the method has no flush.
func (r *run) flushTime(ctx context.Context, n int) (float64, error) {
	size := n * (r.config.RecordBytes + frameBytes)
	times, err := r.device.probe(ctx, size, r.config.warm()/2)
	if err != nil {
		return 0, fmt.Errorf("load: measuring a flush of %d bytes: %w", size, err)
	}
	if len(times) == 0 {
		return 0, nil
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// frameBytes is about what the log puts around a record.
const frameBytes = 16

func (r *run) sum(c cell) *sum {
	s, ok := r.sums[c]
	if !ok {
		s = newSum()
		r.sums[c] = s
	}
	return s
}

// result is what was measured, policies in the order they were asked for.
func (r *run) result() Result {
	res := Result{SegmentBytes: r.config.SegmentBytes, AllFlushes: r.flushes, PeakBytes: r.trimmer.peak, Device: r.config.Device}
	for _, policy := range r.config.Policies {
		for _, n := range r.config.Writers {
			if s := r.sums[cell{policy, n}]; s != nil {
				res.Rows = append(res.Rows, s.row(cell{policy, n}, r.config))
			}
		}
	}
	if r.device.sim != nil {
		p99 := r.device.sim.Accuracy().P99.Seconds()
		res.DeviceError = &p99
	}
	return res
}
