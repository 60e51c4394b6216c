package load

import (
	"sync"
	"sync/atomic"
	"time"

	"walbench.example/cmd/internal/stats"
	"walbench.example/commit"
)

// phase is where a cell stands. Commits and flushes that end while it is
// measuring count, and nothing else does: counts and time are of one interval.
type phase = int32

const (
	warming phase = iota
	measuring
	stopping
)

// recorder counts what happens in a cell while it is measuring.
type recorder struct {
	phase  atomic.Int32
	shards []shard

	flush struct { // by the flusher alone, until the committer is closed
		all     int64 // whatever the phase
		count   int64
		records int64
		times   *stats.Histogram
		batches []int
		reasons map[string]int64
	}
}

// shard takes the latencies of some writers: one histogram for each of a
// hundred thousand would not fit in memory.
type shard struct {
	mu      sync.Mutex
	latency *stats.Histogram
	commits int64
	_       [64]byte // shards on cache lines of their own
}

const (
	maxShards  = 16
	maxBatches = 4096
)

func newRecorder(writers int) *recorder {
	r := &recorder{shards: make([]shard, min(writers, maxShards))}
	for i := range r.shards {
		r.shards[i].latency = stats.NewHistogram()
	}
	r.flush.times = stats.NewHistogram()
	r.flush.reasons = map[string]int64{}
	return r
}

// committed counts a commit of a writer that has just been acknowledged.
func (r *recorder) committed(writer int, took time.Duration) {
	if r.phase.Load() != measuring {
		return
	}
	s := &r.shards[writer%len(r.shards)]
	s.mu.Lock()
	s.latency.Record(took)
	s.commits++
	s.mu.Unlock()
}

// flushed counts a flush that has just ended.
func (r *recorder) flushed(f commit.Flush) {
	r.flush.all++
	if r.phase.Load() != measuring || f.Err != nil {
		return
	}
	r.flush.count++
	r.flush.records += int64(f.Records)
	r.flush.times.Record(f.End.Sub(f.Start))
	r.flush.reasons[f.Reason.String()]++
	if len(r.flush.batches) < maxBatches {
		r.flush.batches = append(r.flush.batches, f.Records)
	}
}

// totals merges the shards. No writer may be running.
func (r *recorder) totals() (latency *stats.Histogram, commits int64) {
	latency = stats.NewHistogram()
	for i := range r.shards {
		latency.Merge(r.shards[i].latency)
		commits += r.shards[i].commits
	}
	return latency, commits
}
