// Package stats turns samples into the few numbers a reader can trust:
// percentiles that enough samples support, a median, a spread over repeats,
// and the signs that a series of batches came from two cohorts of writers.
//
// Every rule that decides what is shown, and what is not, stands in the doc
// comment of the function that applies it, so that a report can cite it.
package stats

// Latency is the shape of one arm's or cell's latencies, in seconds. A nil
// percentile had too few samples to be told (see Histogram.Latency): it prints
// as n/a and is null in JSON.
type Latency struct {
	P50 *float64 `json:"p50"`
	P95 *float64 `json:"p95"`
	P99 *float64 `json:"p99"`
	Max *float64 `json:"max"` // exact; nil without samples
	N   int64    `json:"samples"`
}
