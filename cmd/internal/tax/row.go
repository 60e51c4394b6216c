package tax

import (
	"slices"
	"time"

	"walbench.example/cmd/internal/stats"
)

// Row is one arm of the durability tax: a way to make an append durable, on a
// growing or a prepared file, with one record size. Rates are medians over the
// repeats, which it carries; percentiles are of all repeats together.
type Row struct {
	Mode        string `json:"mode"`           // none, fdatasync, fsync, O_DSYNC, O_SYNC, F_FULLFSYNC, fdatasync/10, ...
	Call        string `json:"call,omitempty"` // what really ran, such as "fcntl(2) F_FULLFSYNC"
	File        string `json:"file"`           // growing or prepared
	RecordBytes int    `json:"record_bytes"`

	// NA says why the arm could not be measured here. The figures are then
	// absent, never zero.
	NA string `json:"not_available,omitempty"`

	// Error is the failure that ended the run in this arm. What was measured
	// before it stands; the append that failed is not part of it.
	Error string `json:"error,omitempty"`

	Writes       int64          `json:"writes"` // appends measured in all repeats together
	Append       *stats.Latency `json:"append_seconds"`
	BatchRecords int            `json:"batch_records,omitempty"`
	Batch        *stats.Latency `json:"batch_wall_seconds"` // of whole batches, syncs included

	RecordsPerSecond *float64 `json:"records_per_second"`      // batch records over the p50 batch wall time
	BytesPerSecond   *float64 `json:"bytes_per_second"`        // payload bytes, which are all that is written
	RatioToNone      *float64 `json:"ratio_to_none"`           // time per append over that of none, same file and size
	Low              *float64 `json:"records_per_second_low"`  // spread over the repeats, see stats.Spread
	High             *float64 `json:"records_per_second_high"` // nil with fewer than three repeats

	// AcknowledgedBeforeSync marks the every-N arms and none: an append
	// returns before the sync that covers it, so up to LostAtMost records
	// may be gone after a power cut (-1: any number).
	AcknowledgedBeforeSync bool     `json:"acknowledged_before_sync"`
	LostAtMost             int      `json:"lost_at_most"`
	TiedWith               []string `json:"tied_with,omitempty"` // modes on the same file and size that stats.Tied cannot tell apart

	Repeats []Repeat `json:"repeats"`
}

// Repeat is one repeat of one arm: one turn, its warm-up left out everywhere.
type Repeat struct {
	Writes           int64         `json:"writes"`
	Seconds          float64       `json:"seconds"`       // of all its writes and syncs
	BatchSeconds     []float64     `json:"batch_seconds"` // wall time of each whole batch
	Append           stats.Latency `json:"append_seconds"`
	RecordsPerSecond *float64      `json:"records_per_second"` // nil if no batch was whole
}

// notReached stands in rows whose turn never came.
const notReached = "not reached: the run ended before"

// rows returns a row for each arm, in their order.
func rows(arms []*arm) []Row {
	rows := make([]Row, len(arms))
	for i, a := range arms {
		rows[i] = a.row()
	}
	for i := range rows {
		for j, a := range arms {
			if rows[i].File != a.file || rows[i].RecordBytes != a.shape.RecordBytes {
				continue
			}
			if a.mode == "none" {
				rows[i].RatioToNone = ratio(rows[j].RecordsPerSecond, rows[i].RecordsPerSecond)
			}
			if i != j && stats.Tied(arms[i].rates(), a.rates()) {
				rows[i].TiedWith = append(rows[i].TiedWith, a.mode)
			}
		}
	}
	return rows
}

func (a *arm) row() Row {
	row := Row{
		Mode:        a.mode,
		Call:        a.call,
		File:        a.file,
		RecordBytes: a.shape.RecordBytes,
		NA:          a.na,
		Repeats:     slices.Concat([]Repeat{}, a.repeats),
	}
	switch {
	case a.mode == "none":
		row.AcknowledgedBeforeSync, row.LostAtMost = true, -1
	case a.every > 1:
		row.AcknowledgedBeforeSync, row.LostAtMost = true, a.every-1
	}
	if a.failure != nil {
		row.Error = a.failure.Error()
	}
	for _, repeat := range a.repeats {
		row.Writes += repeat.Writes
	}
	if row.Writes == 0 {
		if row.NA == "" && row.Error == "" {
			row.NA = notReached
		}
		return row
	}
	latency, walls := a.latency.Latency(), a.walls()
	row.Append, row.Batch, row.BatchRecords = &latency, &walls, a.batch
	rates := a.rates()
	if len(rates) == 0 {
		return row
	}
	perSecond := stats.Median(rates)
	bytesPerSecond := perSecond * float64(a.shape.RecordBytes)
	row.RecordsPerSecond, row.BytesPerSecond = &perSecond, &bytesPerSecond
	if low, high, ok := stats.Spread(rates); ok {
		row.Low, row.High = &low, &high
	}
	return row
}

// walls returns the wall times of the whole batches of all repeats.
func (a *arm) walls() stats.Latency {
	walls := stats.NewHistogram()
	for _, repeat := range a.repeats {
		for _, seconds := range repeat.BatchSeconds {
			walls.Record(time.Duration(seconds * float64(time.Second)))
		}
	}
	return walls.Latency()
}

// rates returns the records per second of the repeats that have them.
func (a *arm) rates() []float64 {
	var rates []float64
	for _, repeat := range a.repeats {
		if repeat.RecordsPerSecond != nil {
			rates = append(rates, *repeat.RecordsPerSecond)
		}
	}
	return rates
}

func ratio(over, under *float64) *float64 {
	if over == nil || under == nil || *under == 0 {
		return nil
	}
	quotient := *over / *under
	return &quotient
}
