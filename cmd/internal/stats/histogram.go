package stats

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// longest is the longest duration that a Histogram tells from a longer one.
const longest = time.Hour

// Histogram counts durations in buckets at most 0.1 % wide, in about 270 KB
// whatever the number of samples. Recording allocates nothing.
//
// It is not safe for concurrent use: each writer records into its own, and
// whoever joined the writers merges them.
type Histogram struct {
	buckets *hdrhistogram.Histogram // nanoseconds, three significant digits

	// max is the longest sample as recorded. The bucket that holds it may end
	// above it, and a sample over an hour lies in the last bucket.
	max time.Duration
}

// NewHistogram returns an empty histogram.
func NewHistogram() *Histogram {
	return &Histogram{buckets: hdrhistogram.New(1, int64(longest), 3)}
}

// Record counts d. A negative d (a clock that stepped back) counts as 0, and
// one over an hour as an hour in the percentiles; the maximum stays exact.
func (h *Histogram) Record(d time.Duration) {
	d = max(d, 0)
	h.max = max(h.max, d)
	if err := h.buckets.RecordValue(int64(min(d, longest))); err != nil {
		panic("stats: record within range: " + err.Error())
	}
}

// Merge adds the samples of from, which it does not change.
func (h *Histogram) Merge(from *Histogram) {
	h.max = max(h.max, from.max)
	if dropped := h.buckets.Merge(from.buckets); dropped != 0 {
		panic("stats: merge of equal ranges dropped samples")
	}
}

// Count returns the number of samples.
func (h *Histogram) Count() int64 { return h.buckets.TotalCount() }

// Latency returns the percentiles, the exact maximum and the number of
// samples. A percentile q is told only from n >= 10/(1-q) samples, so that at
// least ten of them lie beyond it: p50 needs 20, p95 200, p99 1,000. With
// fewer it is nil, because it would be the luck of a few samples. What is told
// is within 0.1 % of the exact value.
func (h *Histogram) Latency() Latency {
	n := h.Count()
	if n == 0 {
		return Latency{}
	}
	seconds := h.max.Seconds()
	return Latency{
		P50: h.percentile(50),
		P95: h.percentile(95),
		P99: h.percentile(99),
		Max: &seconds,
		N:   n,
	}
}

// percentile takes whole percent: in floating point 10/(1-q) misses the
// integers it stands for.
func (h *Histogram) percentile(percent int64) *float64 {
	if h.Count()*(100-percent) < 10*100 {
		return nil
	}
	value := time.Duration(h.buckets.ValueAtPercentile(float64(percent)))
	seconds := min(value, h.max).Seconds()
	return &seconds
}
