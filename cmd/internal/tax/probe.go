package tax

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	probeBytes = 1 << 20 // least size of the probe's prepared file
	probeWarm  = 2       // flushes discarded before the first sample
)

// ProbeFlush measures F, the raw flush time below any log: it overwrites a
// prepared file, writeBytes at a time, each write followed by the barrier of
// mode, until d has passed, and returns the seconds that each write + barrier
// took, in order. The first few are discarded; at least one is returned unless
// err is set. The file is prepared outside the clock and outside d.
//
// mode is that of a Row ("fdatasync", "O_DSYNC", but none of every N); "" is
// the platform's durable default: fdatasync on Linux and FreeBSD, F_FULLFSYNC
// on macOS, fsync (FlushFileBuffers) on Windows. A mode that is n/a here is
// errors.ErrUnsupported.
//
// It blocks for about d, creates its file in dir, which must exist, and removes
// it. When ctx ends it returns what it has and the error of ctx. Calls in
// the same directory must not overlap.
func ProbeFlush(ctx context.Context, dir, mode string, writeBytes int, d time.Duration) ([]float64, error) {
	m, err := methodOf(mode)
	if err != nil {
		return nil, err
	}
	if writeBytes < 1 || writeBytes > maxRecordBytes {
		return nil, fmt.Errorf("tax: probe: write of %d bytes: must be 1 to %d", writeBytes, maxRecordBytes)
	}
	epoch := time.Now()
	p := probe{
		disk:  &directory{dir: dir, prefix: "walbench-probe-"},
		now:   func() time.Duration { return time.Since(epoch) },
		bytes: writeBytes,
	}
	seconds, err := p.run(ctx, m, d)
	if removing := p.disk.removeAll(); err == nil {
		err = removing
	}
	if err != nil {
		return seconds, fmt.Errorf("tax: probe %s of %d B: %w", m.mode, writeBytes, err)
	}
	return seconds, nil
}

// methodOf returns the method of a mode that flushes, or why there is none.
func methodOf(mode string) (method, error) {
	if mode == "" {
		mode = durableMode
	}
	for _, m := range methods() {
		switch {
		case m.mode != mode || m.leavesDirty() && m.na == "":
		case m.na != "":
			return method{}, fmt.Errorf("tax: probe %s: %s: %w", mode, m.na, errors.ErrUnsupported)
		default:
			return m, nil
		}
	}
	return method{}, fmt.Errorf("tax: probe %q: no mode that flushes has this name", mode)
}

// probe is one measurement of the flush time.
type probe struct {
	disk  disk
	now   func() time.Duration
	bytes int
}

func (p probe) run(ctx context.Context, m method, d time.Duration) (seconds []float64, err error) {
	size := max(probeBytes, 16*int64(p.bytes))
	if err := p.disk.prepare(size); err != nil {
		return nil, err
	}
	f, err := p.disk.open(prepared, m)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := p.disk.close(prepared, f); err == nil {
			err = closing
		}
	}()
	w := &writer{
		file:    f,
		payload: newPayload(p.bytes, 0),
		every:   m.each(),
		slots:   size / int64(p.bytes),
	}
	begin := p.now()
	for n := 0; n <= probeWarm || p.now()-begin < d; n++ {
		if err := ctx.Err(); err != nil {
			return seconds, err
		}
		start := p.now()
		if err := w.append(); err != nil {
			return seconds, err
		}
		if n >= probeWarm {
			seconds = append(seconds, (p.now() - start).Seconds())
		}
	}
	return seconds, nil
}
