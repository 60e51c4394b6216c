package load

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/vfs"
	"walbench.example/cmd/internal/tax"
	"walbench.example/wal"
	"walbench.example/wal/simdisk"
)

// device is what the log of a run stands on.
type device struct {
	fs   vfs.FS
	dir  string      // of the log
	root string      // for the probe's file
	sim  *simdisk.FS // nil: real
	sync wal.SyncMethod
}

func openDevice(c Config) (*device, error) {
	spec, simulated := strings.CutPrefix(c.Device, "sim:")
	if !simulated {
		return &device{fs: vfs.Default, dir: vfs.Default.PathJoin(c.Dir, "log"), root: c.Dir, sync: c.Sync}, nil
	}
	o, err := simdisk.Parse(spec)
	if err != nil {
		return nil, fmt.Errorf("load: device %s: %w", c.Device, err)
	}
	fs := simdisk.New(o)
	return &device{fs: fs, dir: "log", root: "", sim: fs, sync: c.Sync}, nil
}

// withoutCollector turns the garbage collector off while a run on a simulated
// device lasts, unless memory gets short, and returns what turns it on again.
// Such a device waits by yielding, beside which a collection starves: it was
// seen to hold one of two processors for 200 ms.
func withoutCollector() (restore func()) {
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(collectAbove)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

const collectAbove = 2 << 30

// probe returns the times that single flushes of size bytes took over d, on a
// prepared file. It returns none where the method has no flush.
func (d *device) probe(ctx context.Context, size int, dur time.Duration) ([]float64, error) {
	if d.sync == wal.SyncNone {
		return nil, nil
	}
	if d.sim != nil {
		return d.probeSim(ctx, size, dur)
	}
	return tax.ProbeFlush(ctx, d.root, probeModes[d.sync], size, dur)
}

// probeModes are the words of the durability tax for the log's methods.
var probeModes = map[wal.SyncMethod]string{
	wal.SyncFsync:     "fsync",
	wal.SyncFdatasync: "fdatasync",
	wal.SyncDsync:     "O_DSYNC",
	wal.SyncFull:      "F_FULLFSYNC",
}

func (d *device) probeSim(ctx context.Context, size int, dur time.Duration) (seconds []float64, err error) {
	f, err := d.fs.OpenReadWrite("probe")
	if err != nil {
		return nil, fmt.Errorf("load: probe: %w", err)
	}
	defer f.Close()
	data := make([]byte, size)
	for begin := time.Now(); len(seconds) == 0 || time.Since(begin) < dur; {
		if err := ctx.Err(); err != nil {
			return seconds, err
		}
		start := time.Now()
		if _, err := f.WriteAt(data, 0); err != nil {
			return seconds, fmt.Errorf("load: probe: %w", err)
		}
		if err := f.SyncData(); err != nil {
			return seconds, fmt.Errorf("load: probe: %w", err)
		}
		seconds = append(seconds, time.Since(start).Seconds())
	}
	return seconds, nil
}

// used is how many bytes the log's files take.
func (d *device) used() int64 {
	names, err := d.fs.List(d.dir)
	if err != nil {
		return 0
	}
	var sum int64
	for _, name := range names {
		if info, err := d.fs.Stat(d.fs.PathJoin(d.dir, name)); err == nil {
			sum += info.Size()
		}
	}
	return sum
}
