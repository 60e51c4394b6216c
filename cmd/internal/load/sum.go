package load

import (
	"walbench.example/cmd/internal/stats"
	"walbench.example/wal"
)

// sum gathers the repeats of one cell.
type sum struct {
	repeats []Repeat
	latency *stats.Histogram
	flushes *stats.Histogram
	records int64
	reasons map[string]int64
	batches [][]int // of each repeat
	probes  []float64
}

func newSum() *sum {
	return &sum{latency: stats.NewHistogram(), flushes: stats.NewHistogram(), reasons: map[string]int64{}}
}

// add takes a repeat in, and F as it was measured before it, in seconds (0:
// not measured).
func (s *sum) add(m measured, writers int, f float64) {
	if f > 0 {
		s.probes = append(s.probes, f)
		share := m.repeat.CommitsPerSecond * f / float64(writers)
		m.repeat.ProbeFlush, m.repeat.IdealFraction = &f, &share
	}
	s.repeats = append(s.repeats, m.repeat)
	s.latency.Merge(m.latency)
	s.flushes.Merge(m.flushes)
	s.records += m.records
	s.batches = append(s.batches, m.batches)
	for why, n := range m.reasons {
		s.reasons[why] += n
	}
}

// row is the cell's line in the report: medians over the repeats, counts and
// times over all of them.
func (s *sum) row(c cell, config Config) Row {
	r := Row{
		Policy: c.policy, Sync: config.Sync.String(), Writers: c.writers, RecordBytes: config.RecordBytes,
		FlushP50: s.flushes.Latency().P50, Latency: s.latency.Latency(),
		Durable: config.Sync != wal.SyncNone, Reasons: s.reasons, Repeats: s.repeats,
	}
	var rates, shares []float64
	for _, m := range s.repeats {
		r.Seconds += m.Seconds
		r.Commits += m.Commits
		r.Flushes += m.Flushes
		r.Errors += m.Errors
		rates = append(rates, m.CommitsPerSecond)
		if m.IdealFraction != nil {
			shares = append(shares, *m.IdealFraction)
		}
	}
	r.CommitsPerSecond = stats.Median(rates)
	r.Low, r.High, _ = stats.Spread(rates)
	if r.Flushes > 0 {
		r.CommitsPerFlush = float64(s.records) / float64(r.Flushes)
	}
	r.ProbeFlush, r.IdealFraction = median(s.probes), median(shares)
	s.cohorts(&r)
	return r
}

// cohorts looks for two cohorts in each repeat, and shows a stretch of the
// one that has the most flushes. Most repeats must agree.
func (s *sum) cohorts(r *Row) {
	if r.Policy == "per-write" {
		return
	}
	split, longest := 0, []int(nil)
	for _, b := range s.batches {
		if stats.TwoCohorts(b, r.Writers) {
			split++
		}
		if len(b) > len(longest) {
			longest = b
		}
	}
	r.TwoCohorts = split*2 > len(s.batches)
	if lag, ok := stats.Lag1(longest); ok {
		r.BatchLag1 = &lag
	}
	if mid := len(longest) / 2; len(longest) > 0 {
		r.Batches = longest[mid:min(mid+stretch, len(longest))]
	}
}

// stretch is how many batch sizes a row shows.
const stretch = 16

func median(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	m := stats.Median(values)
	return &m
}
