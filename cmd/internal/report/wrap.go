package report

import (
	"strings"
	"unicode/utf8"
)

// Widths in columns. Every line of text stays within tableWidth; sentences,
// the chart, and tables that can be made to fit stay within textWidth.
const (
	textWidth  = 80
	tableWidth = 100
)

// sentence returns text as a paragraph indented by two spaces.
func sentence(text string) string { return Hang("  ", text, textWidth) }

// Hang wraps text to width: its first line follows head, the others are
// indented by as many columns as head has. A word longer than a line gets a
// line of its own, cut to the width.
func Hang(head, text string, width int) string {
	indent := utf8.RuneCountInString(head)
	room := width - indent
	var b strings.Builder
	line := ""
	flush := func() {
		b.WriteString(strings.TrimRight(head+line, " ") + "\n")
		head, line = strings.Repeat(" ", indent), ""
	}
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room {
			flush()
		}
		for utf8.RuneCountInString(word) > room {
			runes := []rune(word)
			line, word = string(runes[:room]), string(runes[room:])
			flush()
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	flush()
	return b.String()
}

func padRight(s string, width int) string {
	return s + strings.Repeat(" ", max(width-utf8.RuneCountInString(s), 0))
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(width-utf8.RuneCountInString(s), 0)) + s
}
