package report

import (
	"fmt"
	"strings"

	"walbench.example/cmd/internal/load"
)

// Cohorts says in one sentence whether greedy group commit split its writers
// into two cohorts that take turns, and what that costs. It returns "" when
// greedy was not measured with two writers or more.
//
// Why there are two: a flusher that starts again the moment the disk is free
// leaves before the writers it has just acknowledged are back. They gather
// while it is away and go with the next flush, when the others are the ones
// just acknowledged; so it stays.
func Cohorts(rows []load.Row) string {
	var measured, split *load.Row
	for i := range rows {
		r := &rows[i]
		if r.Policy != greedy || r.Writers < 2 {
			continue
		}
		measured = r
		if r.TwoCohorts && (split == nil || closeTo8(r.Writers) < closeTo8(split.Writers)) {
			split = r
		}
	}
	switch {
	case measured == nil:
		return ""
	case split == nil:
		return "Greedy showed no two alternating cohorts here: the sizes of its batches do not take turns."
	}
	text := fmt.Sprintf("Greedy at %s runs in two cohorts that take turns (%s): a flush that starts at once "+
		"misses the writers just acknowledged, who wait for the next one, so a commit takes about two flushes and N writers get about N/(2F)",
		writerText(split.Writers), batchEvidence(split))
	if split.IdealFraction != nil && *split.IdealFraction <= implausible {
		text += ", here " + percent(*split.IdealFraction) + " of N/F"
	}
	return text + "."
}

// closeTo8 prefers the cell whose batches a reader can still add up.
func closeTo8(writers int) int {
	if writers < 8 {
		return 8 - writers
	}
	return writers - 8
}

// batchEvidence shows a stretch of batch sizes and how they correlate with
// their neighbours.
func batchEvidence(r *load.Row) string {
	var parts []string
	if len(r.Batches) > 0 {
		words := make([]string, 0, 8)
		for _, n := range r.Batches[:min(len(r.Batches), 8)] {
			words = append(words, fmt.Sprint(n))
		}
		parts = append(parts, "batches "+strings.Join(words, " "))
	}
	if r.BatchLag1 != nil {
		parts = append(parts, fmt.Sprintf("lag-1 autocorrelation %.2f", *r.BatchLag1))
	}
	if len(parts) == 0 {
		return "by the sizes of its batches"
	}
	return strings.Join(parts, ", ")
}
