package tax

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"walbench.example/cmd/internal/stats"
)

// batchesPerTurn is how many batches a turn aims for: enough for a median in
// each repeat and, over five repeats, for a p95 of the batches.
const batchesPerTurn = 40

// growingLimit is the size at which a growing file ends its turn when cut by
// time. Only modes that do not wait for the disk reach it.
const growingLimit = 64 << 20

// growingRecords returns the most records that one turn writes to a growing
// file. Two units must fit: one to warm up, one to measure.
func growingRecords(config Config, shape Shape) int64 {
	unit := 1
	for _, n := range config.Every {
		unit = max(unit, n)
	}
	if shape.Writes > 0 {
		return int64(warmWrites(shape.Writes, unit)) + int64(shape.Writes)
	}
	return max(growingLimit/int64(shape.RecordBytes), 2*int64(unit))
}

// preparedBytes returns the size of the prepared file, shared by all arms.
func preparedBytes(config Config) int64 {
	size := int64(4 << 20)
	for _, shape := range config.Shapes {
		size = max(size, 16*int64(shape.RecordBytes))
	}
	return size
}

// warmWrites returns the appends discarded before so many measured ones: a
// tenth, in whole units, so that a measured group starts synced.
func warmWrites(writes, unit int) int {
	return max(1, (writes/10+unit-1)/unit) * unit
}

// turn measures one repeat of one arm within the time allotted, which counts
// from here and only when cut by time. What was measured before an error or
// the end of ctx is kept.
func (b *bench) turn(ctx context.Context, a *arm, allotted time.Duration) (err error) {
	deadline := b.now() + allotted
	defer func() {
		if err != nil && !errors.Is(err, ctx.Err()) {
			a.failure = err
			err = fmt.Errorf("tax: measure %v: %w", a, err)
		}
	}()
	f, err := b.disk.open(a.file, a.method)
	if err != nil {
		return err
	}
	defer func() {
		if closing := b.disk.close(a.file, f); err == nil {
			err = closing
		}
	}()
	w := &writer{
		file:    f,
		payload: a.payload,
		every:   a.every,
		slots:   math.MaxInt64,
	}
	if a.file == prepared {
		w.slots = preparedBytes(b.config) / int64(a.shape.RecordBytes)
	}
	if err := b.warm(ctx, a, w, allotted); err != nil {
		return err
	}
	repeat, err := b.measure(ctx, a, w, deadline)
	if repeat.Writes > 0 {
		a.repeats = append(a.repeats, repeat)
	}
	if err == nil && a.leavesDirty() && a.file == prepared {
		err = f.settle()
	}
	return err
}

// warm appends whole units that nobody counts: an eighth of the time allotted
// or a tenth of the writes. In the first turn of the arm it also finds how many
// appends make a batch.
func (b *bench) warm(ctx context.Context, a *arm, w *writer, allotted time.Duration) error {
	var units []float64 // seconds each
	begin := b.now()
	for now := begin; ; {
		for range a.unit() {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := w.append(); err != nil {
				return err
			}
		}
		end := b.now()
		units = append(units, (end - now).Seconds())
		now = end
		if b.isWarm(a, w.written, end-begin, allotted) {
			break
		}
	}
	if a.batch == 0 {
		a.batch = batchSize(a.shape.Writes, a.unit(), allotted-allotted/8, stats.Median(units))
	}
	return nil
}

func (b *bench) isWarm(a *arm, written int64, elapsed, allotted time.Duration) bool {
	if a.shape.Writes > 0 {
		return written >= int64(warmWrites(a.shape.Writes, a.unit()))
	}
	return elapsed >= allotted/8 || written >= growingRecords(b.config, a.shape)/4
}

// batchSize returns the appends of a batch, whole units and at least one, so
// that about batchesPerTurn fit the writes or the time left, given the seconds
// that one unit takes.
func batchSize(writes, unit int, left time.Duration, unitSeconds float64) int {
	if writes > 0 {
		return min(writes, max(1, writes/batchesPerTurn/unit)*unit)
	}
	units := left.Seconds() / batchesPerTurn / max(unitSeconds, 1e-9)
	return max(1, int(units)) * unit
}

// measure appends until the deadline, the writes asked for or the limit of a
// growing file, whichever comes first, but one unit at least. The clock is read
// once per append: the end of one is the start of the next, so that latencies,
// batches and seconds are of the same interval. A batch that the deadline cut
// short counts in the latencies and not in the batches.
func (b *bench) measure(ctx context.Context, a *arm, w *writer, deadline time.Duration) (Repeat, error) {
	most := int64(a.shape.Writes)
	switch {
	case most > 0:
		deadline = math.MaxInt64
	case a.file == growing:
		most = growingRecords(b.config, a.shape) - w.written
	default:
		most = math.MaxInt64
	}
	latency := stats.NewHistogram()
	var walls []float64
	var writes int64
	var err error
	unit, batch := int64(a.unit()), int64(a.batch)
	begin := b.now()
	now, batchBegin := begin, begin
	for writes < most && (now < deadline || writes < unit) {
		if err = ctx.Err(); err != nil {
			break
		}
		if err = w.append(); err != nil {
			break
		}
		if writes+1 == most {
			if err = w.sync(); err != nil {
				break
			}
		}
		writes++
		end := b.now()
		latency.Record(end - now)
		now = end
		if writes%batch == 0 {
			walls = append(walls, (now - batchBegin).Seconds())
			batchBegin = now
		}
	}
	if err == nil {
		if err = w.sync(); err == nil {
			now = b.now()
		}
	}
	a.latency.Merge(latency)
	repeat := Repeat{
		Writes:       writes,
		Seconds:      (now - begin).Seconds(),
		BatchSeconds: walls,
		Append:       latency.Latency(),
	}
	if len(walls) > 0 {
		perSecond := float64(batch) / stats.Median(walls)
		repeat.RecordsPerSecond = &perSecond
	}
	return repeat, err
}
