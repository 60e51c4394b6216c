package report

import (
	"fmt"
	"io"
	"strings"

	"walbench.example/cmd/internal/load"
	"walbench.example/cmd/internal/stats"
)

// The words of --policy, which are also the JSON's.
const (
	perWrite = "per-write"
	greedy   = "greedy"
	window   = "window"
	adaptive = "adaptive"
)

// Group writes the group-commit part: a line for each policy and number of
// writers, what the share of the ideal means, and what stands out.
func Group(w io.Writer, result *load.Result) error {
	var b strings.Builder
	b.WriteString(Hang("", fmt.Sprintf("Group commit: closed loop, %s, %s", groupSync(result), deviceText(result)), textWidth))
	b.WriteByte('\n')
	t := &table{columns: []column{{"", "policy"}, {"", "writers"}, {"", "commits/s"}, {"", "±"},
		{"", "per flush"}, {"", "of N/F"}, {"", "p50"}, {"", "p99"}}}
	for i, r := range result.Rows {
		label := r.Policy
		if i > 0 && result.Rows[i-1].Policy == r.Policy {
			label = ""
		}
		t.add(label, count(int64(r.Writers)), number(r.CommitsPerSecond),
			spread(r.Low, r.High, r.CommitsPerSecond), number(r.CommitsPerFlush),
			optional(r.IdealFraction, percent), percentile(r.Latency.P50, r.Latency.N), percentile(r.Latency.P99, r.Latency.N))
	}
	b.WriteString(t.text())
	b.WriteByte('\n')
	b.WriteString(sentence(howToReadGroup(result)))
	if cohorts := Cohorts(result.Rows); cohorts != "" {
		b.WriteString(sentence(cohorts))
	}
	for _, remark := range remarks(result) {
		b.WriteString(Hang("  warning: ", remark, textWidth))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

func groupSync(result *load.Result) string {
	if len(result.Rows) == 0 {
		return "nothing measured"
	}
	r := result.Rows[0]
	text := size(int64(r.RecordBytes)) + " records, " + r.Sync
	if !r.Durable {
		text += " (nothing is durable)"
	}
	return text
}

func deviceText(result *load.Result) string {
	if !simulated(result) {
		return "at most " + space(result.PeakBytes) + " on disk"
	}
	text := "device " + result.Device
	if result.DeviceError != nil {
		text += ", flushes up to " + seconds(*result.DeviceError) + " late (p99)"
	}
	return text
}

func simulated(result *load.Result) bool { return strings.HasPrefix(result.Device, "sim:") }

func howToReadGroup(result *load.Result) string {
	text := "How to read it: a commit's time runs from the call to its durable acknowledgement; per flush is commits " +
		"acknowledged by one flush; N/F is the ideal, all N writers in every flush of F, with F measured beside each cell " +
		"at the size of its batches; ± is half the spread over the repeats."
	if f, ok := flushTime(result.Rows); ok {
		text += fmt.Sprintf(" F of a single record is %s: one commit a flush ends at %s commits/s.", seconds(f), number(1/f))
	}
	return text
}

// flushTime is F for one record: the probe beside the cells with the smallest
// batches. That is per-write at any number of writers, else whatever ran
// with the fewest.
func flushTime(rows []load.Row) (f float64, ok bool) {
	var probes []float64
	fewest := 0
	for _, r := range rows {
		if r.ProbeFlush == nil || *r.ProbeFlush <= 0 {
			continue
		}
		writers := r.Writers
		if r.Policy == perWrite {
			writers = 1
		}
		if len(probes) == 0 || writers < fewest {
			probes, fewest = nil, writers
		}
		if writers == fewest {
			probes = append(probes, *r.ProbeFlush)
		}
	}
	if len(probes) == 0 {
		return 0, false
	}
	return stats.Median(probes), true
}

// implausible is the share of the ideal above which F cannot have been what
// the cell's flushes took.
const implausible = 1.05

// remarks are the warnings of single cells, and the notes of the run. A
// share above the ideal is shown as it was measured: it says that F was not
// what the cell's own flushes took.
func remarks(result *load.Result) []string {
	var list []string
	for _, r := range result.Rows {
		if r.IdealFraction != nil && *r.IdealFraction > implausible {
			list = append(list, fmt.Sprintf("%s at %s reached %s of N/F, which no log can: the F beside it (%s) was "+
				"slower than the cell's own flushes (%s at p50). Compare commits/s, not shares.",
				r.Policy, writerText(r.Writers), percent(*r.IdealFraction),
				optional(r.ProbeFlush, seconds), optional(r.FlushP50, seconds)))
		}
		if r.Errors > 0 {
			list = append(list, fmt.Sprintf("%s at %s met %s errors; failed commits are not counted.",
				r.Policy, writerText(r.Writers), count(r.Errors)))
		}
	}
	return append(list, result.Notes...)
}

func writerText(n int) string {
	if n == 1 {
		return "1 writer"
	}
	return count(int64(n)) + " writers"
}
