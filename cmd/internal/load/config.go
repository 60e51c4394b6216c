// Package load drives a real log with closed-loop writers: each appends a
// record, waits until it is durable, and only then appends the next. It
// measures how many commits a second each flush policy reaches with N such
// writers, beside the time F that one flush takes on the same device.
package load

import (
	"errors"
	"fmt"
	"time"

	"walbench.example/commit"
	"walbench.example/wal"
)

// Config says what one run measures: a cell for each policy and number of
// writers, repeated.
type Config struct {
	Dir      string // an existing directory of the run's own; unused on a simulated device
	Policies []string
	Window   Window
	Writers  []int
	Sync     wal.SyncMethod

	RecordBytes  int
	Cell         time.Duration // measured time of one cell in one repeat
	Repeats      int
	SegmentBytes int64
	Device       string // "real", or sim: and what simdisk.Parse takes
}

// Window holds the parameters of the policy window; 0 records or bytes set no
// cap.
type Window struct {
	Delay   time.Duration
	Records int
	Bytes   int64
}

// Progress is what a run has done of its cells, and what it is at.
type Progress struct {
	Done float64 // 0 to 1
	What string
}

// Policy returns the policy of that name, as --policy and the document spell
// it.
func Policy(name string, w Window) (commit.Policy, error) {
	switch name {
	case "per-write":
		return commit.PerWrite(), nil
	case "greedy":
		return commit.Greedy(), nil
	case "window":
		return commit.Window(w.Delay, w.Records, w.Bytes), nil
	case "adaptive":
		return commit.Adaptive(), nil
	}
	return nil, fmt.Errorf("load: unknown policy %q", name)
}

func (c Config) validate() error {
	if c.RecordBytes < 1 || c.Cell <= 0 || c.Repeats < 1 || len(c.Writers) == 0 || len(c.Policies) == 0 {
		return errors.New("load: nothing to measure")
	}
	for _, n := range c.Writers {
		if n < 1 {
			return fmt.Errorf("load: %d writers", n)
		}
	}
	for _, name := range c.Policies {
		if _, err := Policy(name, c.Window); err != nil {
			return err
		}
	}
	return nil
}

// warm is how long a cell runs before it counts: long enough for a few
// flushes of a slow disk, and for the policy to have seen them. Each of the
// two probes before a block of cells takes half as long.
func (c Config) warm() time.Duration { return min(max(c.Cell/4, minWarm), maxWarm) }

const (
	minWarm = 20 * time.Millisecond
	maxWarm = time.Second
)

// Segments is how many segments' worth of space the log takes at most: two in
// use while it turns over, two prepared, and what the trim of a cell that
// wrote faster than it was trimmed has yet to remove.
const Segments = 8
