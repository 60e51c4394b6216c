package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"walbench.example/cmd/internal/tax"
)

// Tax writes the durability tax: for each record size how long one append
// takes, then how many there are in a second, a line for each arm with the
// growing and the prepared file side by side.
func Tax(w io.Writer, rows []tax.Row) error {
	var b strings.Builder
	for _, bytes := range recordSizes(rows) {
		arms := armsOf(rows, bytes)
		fmt.Fprintf(&b, "Durability tax: one writer, %s records, closed loop, %d repeats\n\n",
			size(int64(bytes)), repeatsOf(rows, bytes))
		b.WriteString("  Time of one append, from the call to its return\n\n")
		b.WriteString(latencyTable(arms).text())
		b.WriteString("\n  Appends per second, from the p50 of the wall time of a batch\n\n")
		b.WriteString(rateTable(arms).text())
		b.WriteByte('\n')
		b.WriteString(sentence(howToReadTax(arms)))
		b.WriteString(tiedSentence("growing", arms))
		b.WriteString(tiedSentence("prepared", arms))
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// arm is one line: the rows of one mode on both kinds of file. A row that is
// not there is nil.
type arm struct {
	mode              string
	growing, prepared *tax.Row
}

func (a arm) row(file string) *tax.Row {
	if file == "growing" {
		return a.growing
	}
	return a.prepared
}

func recordSizes(rows []tax.Row) []int {
	var sizes []int
	for _, r := range rows {
		if !slices.Contains(sizes, r.RecordBytes) {
			sizes = append(sizes, r.RecordBytes)
		}
	}
	return sizes
}

func repeatsOf(rows []tax.Row, size int) int {
	repeats := 0
	for _, r := range rows {
		if r.RecordBytes == size {
			repeats = max(repeats, len(r.Repeats))
		}
	}
	return repeats
}

// armsOf pairs the rows of one record size, in the order they came.
func armsOf(rows []tax.Row, size int) []arm {
	var arms []arm
	for i := range rows {
		r := &rows[i]
		if r.RecordBytes != size {
			continue
		}
		at := slices.IndexFunc(arms, func(a arm) bool { return a.mode == r.Mode })
		if at < 0 {
			at = len(arms)
			arms = append(arms, arm{mode: r.Mode})
		}
		if r.File == "growing" {
			arms[at].growing = r
		} else {
			arms[at].prepared = r
		}
	}
	return arms
}

func latencyTable(arms []arm) *table {
	t := &table{columns: []column{{"", "arm"}}}
	for _, file := range []string{"growing", "prepared"} {
		for _, head := range []string{"p50", "p95", "p99", "max"} {
			t.columns = append(t.columns, column{file + " file", head})
		}
	}
	fill(t, arms, func(r *tax.Row) []string {
		if r.Append == nil {
			return []string{"-", "-", "-", "-"}
		}
		a := r.Append
		return []string{percentile(a.P50, a.N), percentile(a.P95, a.N), percentile(a.P99, a.N), percentile(a.Max, a.N)}
	})
	return t
}

func rateTable(arms []arm) *table {
	t := &table{columns: []column{{"", "arm"}}}
	for _, file := range []string{"growing", "prepared"} {
		for _, head := range []string{"rec/s", "±", "MB/s", "tax"} {
			t.columns = append(t.columns, column{file + " file", head})
		}
	}
	fill(t, arms, func(r *tax.Row) []string {
		width := ""
		if r.Low != nil && r.High != nil && r.RecordsPerSecond != nil {
			width = spread(*r.Low, *r.High, *r.RecordsPerSecond)
		}
		mb := func(v float64) string { return number(v / 1e6) }
		return []string{optional(r.RecordsPerSecond, number), width, optional(r.BytesPerSecond, mb), optional(r.RatioToNone, times)}
	})
	return t
}

// fill adds a line for each arm. An arm that is on neither file becomes a
// note with the reason; one that is missing on one file gets a note below.
func fill(t *table, arms []arm, figures func(*tax.Row) []string) {
	half := (len(t.columns) - 1) / 2
	for _, a := range arms {
		if reason, never := unavailable(a); never {
			t.remark(a.mode, notAvailable+": "+reason)
			continue
		}
		cells := []string{a.mode + mark(a)}
		for _, r := range []*tax.Row{a.growing, a.prepared} {
			switch {
			case r == nil:
				cells = append(cells, slices.Repeat([]string{"-"}, half)...)
			case r.NA != "":
				cells = append(cells, slices.Repeat([]string{notAvailable}, half)...)
			default:
				cells = append(cells, figures(r)...)
			}
		}
		t.add(cells...)
		for _, r := range []*tax.Row{a.growing, a.prepared} {
			if r != nil && r.NA != "" {
				t.remark("", fmt.Sprintf("%s, %s file, %s: %s", a.mode, r.File, notAvailable, r.NA))
			}
		}
	}
}

// unavailable reports whether an arm was measured on no kind of file, for
// one reason.
func unavailable(a arm) (reason string, never bool) {
	g, p := a.growing, a.prepared
	switch {
	case g == nil:
		return p.NA, p.NA != ""
	case p == nil || p.NA == g.NA:
		return g.NA, g.NA != ""
	default:
		return "", false
	}
}

// mark is the star of the arms that acknowledge before they sync.
func mark(a arm) string {
	for _, r := range []*tax.Row{a.growing, a.prepared} {
		if r != nil && r.AcknowledgedBeforeSync {
			return "*"
		}
	}
	return ""
}

func howToReadTax(arms []arm) string {
	text := "How to read it: an arm's tax is its time per append over that of none on the same kind of file; " +
		"± is half the spread over the repeats; MB is 10^6 bytes of payload; " +
		"a prepared file was written in full beforehand, so that a sync finds no new blocks to record."
	var lossy []string
	for _, a := range arms {
		r := a.growing
		if r == nil {
			r = a.prepared
		}
		if r.AcknowledgedBeforeSync && r.LostAtMost > 0 {
			lossy = append(lossy, fmt.Sprintf("%s %s", a.mode, count(int64(r.LostAtMost))))
		}
	}
	if len(lossy) > 0 {
		text += " * acknowledged before the sync: of every N, up to N-1 acknowledged records are lost in a power cut (" +
			strings.Join(lossy, ", ") + "), with none whatever the system had not yet written by itself."
	}
	return text
}
