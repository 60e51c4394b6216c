package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"walbench.example/cmd/internal/load"
	"walbench.example/cmd/internal/tax"
)

// Verdict returns three plain sentences with this machine's figures: what
// one durable commit costs, where one commit a flush ends, and how far group
// commit went past that. Each also reads well alone, and says so when its
// part was not measured.
func Verdict(d *Document) []string {
	return []string{costSentence(d), ceilingSentence(d), pastSentence(d)}
}

// WriteVerdict writes the sentences, numbered.
func WriteVerdict(w io.Writer, sentences []string) error {
	var b strings.Builder
	b.WriteString("Verdict\n")
	for i, s := range sentences {
		b.WriteString(Hang(fmt.Sprintf("  %d. ", i+1), s, textWidth))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// durableModes are the arms that say what a durable append costs, the
// strongest first: on macOS fsync alone leaves the record in the drive's
// cache, elsewhere F_FULLFSYNC is not available and fdatasync is the least
// that is durable.
var durableModes = []string{"F_FULLFSYNC", "fdatasync", "fsync", "O_DSYNC", "O_SYNC"}

// durableRow finds the arm the verdict is about; nil if none has a figure.
func durableRow(rows []tax.Row) *tax.Row {
	for _, mode := range durableModes {
		for _, file := range []string{"prepared", "growing"} {
			at := slices.IndexFunc(rows, func(r tax.Row) bool { return r.Mode == mode && r.File == file })
			if at < 0 {
				continue
			}
			if _, _, ok := appendTime(&rows[at]); ok {
				return &rows[at]
			}
		}
	}
	return nil
}

// appendTime is the p50 of one append, or its mean where too few were
// measured for percentiles.
func appendTime(r *tax.Row) (t float64, how string, ok bool) {
	switch {
	case r.NA != "":
		return 0, "", false
	case r.Append != nil && r.Append.P50 != nil && *r.Append.P50 > 0:
		return *r.Append.P50, "p50", true
	case r.RecordsPerSecond != nil && *r.RecordsPerSecond > 0:
		return 1 / *r.RecordsPerSecond, "mean", true
	default:
		return 0, "", false
	}
}

func costSentence(d *Document) string {
	if r := durableRow(d.taxRows()); r != nil {
		return taxCost(d, r)
	}
	if d.Group != nil {
		if f, ok := flushTime(d.Group.Rows); ok {
			return fmt.Sprintf("One durable commit costs at least one flush, which took %s%s.", seconds(f), where(d.Group))
		}
	}
	return "What one durable commit costs was not measured."
}

func taxCost(d *Document, r *tax.Row) string {
	t, how, _ := appendTime(r)
	what := fmt.Sprintf("%s (%s of a %s append with %s, %s file)", seconds(t), how, size(int64(r.RecordBytes)), r.Mode, r.File)
	if e := d.Environment; e != nil && !e.Durable {
		return fmt.Sprintf("Nothing is durable on %s: an append and its sync cost %s there, which says nothing about a disk.",
			fileSystemName(e.FileSystem), what)
	}
	text := "One durable commit costs " + what
	if r.RatioToNone != nil {
		text += fmt.Sprintf(", %s times an append that is not synced", number(*r.RatioToNone))
	}
	return text + "."
}

// fileSystemName is the first word of a file system: the rest explains it.
func fileSystemName(text string) string {
	name, _, _ := strings.Cut(text, " ")
	return name
}

// where says that a figure comes from no disk.
func where(g *load.Result) string {
	if simulated(g) {
		return " on the simulated device " + g.Device
	}
	return " here"
}

func ceilingSentence(d *Document) string {
	if d.Group != nil {
		if f, ok := flushTime(d.Group.Rows); ok {
			text := fmt.Sprintf("With one flush (%s) for each commit, a log ends at %s commits/s%s, however many writers it has",
				seconds(f), number(1/f), where(d.Group))
			if r := best(d.Group.Rows, perWrite); r != nil {
				text += fmt.Sprintf("; per-write reached %s", number(r.CommitsPerSecond))
			}
			return text + "."
		}
	}
	if r := durableRow(d.taxRows()); r != nil {
		t, _, _ := appendTime(r)
		return fmt.Sprintf("With one %s for each commit, a log therefore ends at about %s commits/s, however many writers it has.",
			r.Mode, number(1/t))
	}
	return "The ceiling of one commit a flush was not measured."
}

func pastSentence(d *Document) string {
	if d.Group == nil {
		return "Group commit was not measured."
	}
	r := bestGroup(d.Group.Rows)
	if r == nil {
		return "Group commit was not measured."
	}
	at := fmt.Sprintf("%s commits/s with %s", number(r.CommitsPerSecond), writerText(r.Writers))
	latency := "at a latency of " + percentile(r.Latency.P50, r.Latency.N) + " (p50)"
	if r.Latency.P99 != nil {
		latency += " and " + seconds(*r.Latency.P99) + " (p99)"
	}
	f, ok := flushTime(d.Group.Rows)
	switch ratio := r.CommitsPerSecond * f; {
	case !ok:
		return fmt.Sprintf("Group commit (%s) made %s, %s.", r.Policy, at, latency)
	case ratio <= 1:
		return fmt.Sprintf("Group commit did not go past the ceiling: %s made %s, %s times the ceiling, %s.", r.Policy, at, number(ratio), latency)
	default:
		return fmt.Sprintf("Group commit went past it: %s made %s, %s times the ceiling, %s%s.",
			r.Policy, at, number(ratio), latency, againstGreedy(d.Group.Rows, r))
	}
}

// againstGreedy compares with what nearly every log does, at the same number
// of writers.
func againstGreedy(rows []load.Row, r *load.Row) string {
	at := slices.IndexFunc(rows, func(g load.Row) bool { return g.Policy == greedy && g.Writers == r.Writers })
	if at < 0 || r.Policy == greedy || rows[at].CommitsPerSecond <= 0 {
		return ""
	}
	return "; greedy made " + number(rows[at].CommitsPerSecond)
}

// best is the row of a policy with the most commits/s; nil if there is none.
func best(rows []load.Row, policy string) *load.Row {
	var top *load.Row
	for i := range rows {
		r := &rows[i]
		if r.Policy == policy && r.CommitsPerSecond > 0 && (top == nil || r.CommitsPerSecond > top.CommitsPerSecond) {
			top = r
		}
	}
	return top
}

// bestGroup is the best row of any policy that puts commits together.
func bestGroup(rows []load.Row) *load.Row {
	var top *load.Row
	for _, policy := range []string{adaptive, greedy, window} {
		if r := best(rows, policy); r != nil && (top == nil || r.CommitsPerSecond > top.CommitsPerSecond) {
			top = r
		}
	}
	return top
}
