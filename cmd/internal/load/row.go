package load

import "walbench.example/cmd/internal/stats"

// Row is one cell of the group-commit part: a policy with N closed-loop
// writers. Its figures are medians over the repeats, which it carries.
type Row struct {
	Policy      string `json:"policy"` // per-write, greedy, window, adaptive
	Sync        string `json:"sync"`
	Writers     int    `json:"writers"`
	RecordBytes int    `json:"record_bytes"`

	Seconds          float64  `json:"seconds"` // measured, over all repeats
	Commits          int64    `json:"commits"` // acknowledged durable, over all repeats
	CommitsPerSecond float64  `json:"commits_per_second"`
	Low, High        float64  `json:"-"` // spread of commits per second over the repeats
	Flushes          int64    `json:"flushes"`
	FlushP50         *float64 `json:"flush_seconds_p50"` // of the cell's own flushes
	CommitsPerFlush  float64  `json:"commits_per_flush"`

	// ProbeFlush is F: the median write + sync of one batch-sized write on a
	// prepared file, measured in the same repeat. Ideal is N/F.
	ProbeFlush    *float64 `json:"probe_flush_seconds"`
	IdealFraction *float64 `json:"ideal_fraction"`

	Latency stats.Latency `json:"latency_seconds"` // call to durable acknowledgement
	Durable bool          `json:"durable"`
	Errors  int64         `json:"errors"`

	// BatchLag1 is the lag-1 autocorrelation of the batch sizes. Near -1 the
	// writers form two cohorts that take turns; Batches shows a stretch.
	BatchLag1  *float64         `json:"batch_lag1,omitempty"`
	Batches    []int            `json:"batches_sample,omitempty"`
	TwoCohorts bool             `json:"two_cohorts"`
	Reasons    map[string]int64 `json:"flush_reasons"` // why flushes started

	Repeats []Repeat `json:"repeats"`
}

// Repeat is one repeat of one cell.
type Repeat struct {
	Seconds          float64       `json:"seconds"`
	Commits          int64         `json:"commits"`
	CommitsPerSecond float64       `json:"commits_per_second"`
	Flushes          int64         `json:"flushes"`
	FlushP50         *float64      `json:"flush_seconds_p50"`
	ProbeFlush       *float64      `json:"probe_flush_seconds"`
	IdealFraction    *float64      `json:"ideal_fraction"`
	Latency          stats.Latency `json:"latency_seconds"`
	Errors           int64         `json:"errors"`
}

// Result is what one run of the group part yields.
type Result struct {
	Rows         []Row    `json:"rows"`
	SegmentBytes int64    `json:"segment_bytes"`
	AllFlushes   int64    `json:"all_flushes"` // of the log in this run, warm-ups included
	PeakBytes    int64    `json:"peak_bytes"`  // most the log used on disk at any time
	Device       string   `json:"device"`      // real or sim:200us
	DeviceError  *float64 `json:"device_accuracy_seconds,omitempty"`
	Notes        []string `json:"notes,omitempty"` // e.g. share of the ideal above 1.05, with the cell
	Interrupted  bool     `json:"interrupted,omitempty"`
}
