package report

import (
	"strings"
	"unicode/utf8"
)

// table lays out rows of cells under headings: the first column is the label
// and stands left, figures stand right. Columns of one group stand together
// under its name.
type table struct {
	columns []column
	rows    []row
}

type column struct {
	group string // "" for none
	head  string
}

// row has a cell for each column, or a label and a note in place of all the
// others.
type row struct {
	cells []string
	note  string
}

func (t *table) add(cells ...string)       { t.rows = append(t.rows, row{cells: cells}) }
func (t *table) remark(label, note string) { t.rows = append(t.rows, row{[]string{label}, note}) }

// text returns the table, each line indented by two spaces.
func (t *table) text() string {
	widths := t.widths()
	gap := 2
	if t.width(widths, gap) > textWidth {
		gap = 1
	}
	var b strings.Builder
	if t.columns[len(t.columns)-1].group != "" {
		t.writeGroups(&b, widths, gap)
	}
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.head
	}
	t.writeRow(&b, row{cells: heads}, widths, gap)
	for _, r := range t.rows {
		t.writeRow(&b, r, widths, gap)
	}
	return b.String()
}

func (t *table) widths() []int {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = utf8.RuneCountInString(c.head)
	}
	for _, r := range t.rows {
		for i, cell := range r.cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func (t *table) width(widths []int, gap int) int {
	total := 2 + widths[0]
	for i := 1; i < len(widths); i++ {
		total += t.gapBefore(i, gap) + widths[i]
	}
	return total
}

// gapBefore sets groups apart by twice the gap.
func (t *table) gapBefore(i, gap int) int {
	if before := t.columns[i-1].group; before != "" && before != t.columns[i].group {
		return 2 * gap
	}
	return gap
}

// writeGroups writes the line of group names, each over its columns and
// drawn out to their width.
func (t *table) writeGroups(b *strings.Builder, widths []int, gap int) {
	b.WriteString(strings.Repeat(" ", 2+widths[0]))
	for i := 1; i < len(t.columns); {
		group, span := t.columns[i].group, widths[i]
		b.WriteString(strings.Repeat(" ", t.gapBefore(i, gap)))
		for i++; i < len(t.columns) && t.columns[i].group == group; i++ {
			span += gap + widths[i]
		}
		b.WriteString(drawn(group, span))
	}
	b.WriteByte('\n')
}

// drawn centres a name in a line of the given width: "-- growing --".
func drawn(name string, width int) string {
	if name == "" {
		return strings.Repeat(" ", width)
	}
	dashes := max(width-utf8.RuneCountInString(name)-2, 0)
	return strings.Repeat("-", dashes/2) + " " + name + " " + strings.Repeat("-", dashes-dashes/2)
}

func (t *table) writeRow(b *strings.Builder, r row, widths []int, gap int) {
	line := "  " + padRight(r.cells[0], widths[0])
	if r.note != "" {
		b.WriteString(Hang(line+strings.Repeat(" ", gap+2), r.note, tableWidth))
		return
	}
	for i := 1; i < len(r.cells); i++ {
		line += strings.Repeat(" ", t.gapBefore(i, gap)) + padLeft(r.cells[i], widths[i])
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}
