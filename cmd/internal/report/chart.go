package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/guptarohit/asciigraph"

	"walbench.example/cmd/internal/load"
)

const (
	chartColumns = 62
	chartRows    = 14
)

// series is one line of the chart. It is drawn with a letter of its own, so
// that it is told from the others without colour; the colour comes on top.
type series struct {
	name   string
	letter string
	color  asciigraph.AnsiColor
	values []float64 // log10 of commits/s for each column of the chart; NaN: nothing to draw
}

// letters of the policies, in the order they are drawn: where lines meet, the
// later one shows.
var letters = []series{
	{name: perWrite, letter: "p", color: asciigraph.Red},
	{name: window, letter: "w", color: asciigraph.Blue},
	{name: greedy, letter: "g", color: asciigraph.Goldenrod},
	{name: adaptive, letter: "a", color: asciigraph.Green},
}

// Chart draws commits/s over the number of writers, a line for each policy
// and one for the ceiling of one commit a flush. Both axes are logarithmic:
// going past the ceiling in proportion to the writers is a straight line up
// where each step doubles them. It writes nothing when there
// are fewer than two numbers of writers to draw over.
func Chart(w io.Writer, rows []load.Row, color bool) error {
	writers := writerCounts(rows)
	if len(writers) < 2 {
		return nil
	}
	lines, legend := chartLines(rows, writers)
	if len(lines) == 0 {
		return nil
	}
	if !color {
		for i := range lines {
			lines[i].color = asciigraph.Default
		}
	}
	_, err := fmt.Fprintf(w, "  commits/s over writers, both on a logarithmic scale\n\n%s\n\n  %s\n\n",
		plot(lines, writers), legend)
	return err
}

func writerCounts(rows []load.Row) []int {
	var counts []int
	for _, r := range rows {
		if !slices.Contains(counts, r.Writers) {
			counts = append(counts, r.Writers)
		}
	}
	slices.Sort(counts)
	return counts
}

// chartLines returns what is to be drawn and its legend. The ceiling comes
// last and is dashed: per-write lies on it, and both must show.
func chartLines(rows []load.Row, writers []int) (lines []series, legend string) {
	var names []string
	for _, s := range letters {
		steps := slices.Repeat([]float64{math.NaN()}, len(writers))
		found := false
		for _, r := range rows {
			if r.Policy == s.name && r.CommitsPerSecond > 0 {
				steps[slices.Index(writers, r.Writers)] = math.Log10(r.CommitsPerSecond)
				found = true
			}
		}
		if found {
			s.values = stretch(steps)
			lines = append(lines, s)
			names = append(names, s.letter+" "+s.name)
		}
	}
	if f, ok := flushTime(rows); ok && len(lines) > 0 {
		lines = append(lines, series{letter: "-", color: asciigraph.Default, values: dashed(math.Log10(1 / f))})
		names = append(names, fmt.Sprintf("- ceiling, 1/F = %s/s", number(1/f)))
	}
	return lines, strings.Join(names, "   ")
}

// stretch interpolates the steps over the columns of the chart. Between a
// step and one that was not measured there is nothing.
func stretch(steps []float64) []float64 {
	columns := make([]float64, chartColumns)
	for x := range columns {
		at := float64(x) * float64(len(steps)-1) / (chartColumns - 1)
		left := min(int(at), len(steps)-2)
		part := at - float64(left)
		switch {
		case part == 0:
			columns[x] = steps[left]
		case part == 1:
			columns[x] = steps[left+1]
		default:
			columns[x] = steps[left] + part*(steps[left+1]-steps[left])
		}
	}
	return columns
}

// dashed is a level line with gaps. asciigraph draws a lone value with one
// character on its column and one before it.
func dashed(level float64) []float64 {
	columns := make([]float64, chartColumns)
	for x := range columns {
		columns[x] = math.NaN()
		if x%4 == 0 {
			columns[x] = level
		}
	}
	return columns
}

func plot(lines []series, writers []int) string {
	var data [][]float64
	var colors []asciigraph.AnsiColor
	var chars []asciigraph.CharSet
	for _, s := range lines {
		data = append(data, s.values)
		colors = append(colors, s.color)
		chars = append(chars, asciigraph.CreateCharSet(s.letter))
	}
	return asciigraph.PlotMany(data, asciigraph.Height(chartRows),
		asciigraph.SeriesColors(colors...), asciigraph.SeriesChars(chars...),
		asciigraph.YAxisValueFormatter(func(v float64) string { return number(math.Pow(10, v)) }),
		asciigraph.XAxisRange(0, float64(len(writers)-1)), asciigraph.XAxisTickCount(len(writers)),
		asciigraph.XAxisValueFormatter(func(v float64) string { return count(int64(writers[int(v+0.5)])) }))
}
