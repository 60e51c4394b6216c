package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares text with testdata/name, and holds every line to the
// width that text promises.
func golden(t *testing.T, name string, width int, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > width {
			t.Errorf("line of %d columns, want at most %d:\n%s", n, width, line)
		}
		if strings.TrimRight(line, " ") != line {
			t.Errorf("line ends in spaces: %q", line)
		}
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, []byte(text)) {
		t.Errorf("%s differs (go test -update writes it anew)\n--- got\n%s\n--- want\n%s", path, text, want)
	}
}

func TestTextIsAsGolden(t *testing.T) {
	whole, slow, simulated, memory := sampleDocument(), slowDocument(), simulatedDocument(), memoryDocument()
	for _, block := range []struct {
		name  string
		width int
		write func(*bytes.Buffer) error
	}{
		{"environment.txt", textWidth, func(b *bytes.Buffer) error { return Environment(b, whole) }},
		{"environment-unknown.txt", textWidth, func(b *bytes.Buffer) error { return Environment(b, simulated) }},
		{"environment-memory.txt", textWidth, func(b *bytes.Buffer) error { return Environment(b, memory) }},
		{"warnings.txt", textWidth, func(b *bytes.Buffer) error { return Warnings(b, whole.Warnings) }},
		{"warnings-quiet.txt", textWidth, func(b *bytes.Buffer) error { return WarningCodes(b, whole.Warnings) }},
		{"tax.txt", textWidth, func(b *bytes.Buffer) error { return Tax(b, whole.Tax.Rows) }},
		{"tax-slow.txt", tableWidth, func(b *bytes.Buffer) error { return Tax(b, slow.Tax.Rows) }},
		{"group.txt", textWidth, func(b *bytes.Buffer) error { return Group(b, whole.Group) }},
		{"group-slow.txt", tableWidth, func(b *bytes.Buffer) error { return Group(b, slow.Group) }},
		{"group-simulated.txt", textWidth, func(b *bytes.Buffer) error { return Group(b, simulated.Group) }},
		{"chart.txt", textWidth, func(b *bytes.Buffer) error { return Chart(b, whole.Group.Rows, false) }},
		{"chart-one-policy.txt", textWidth, func(b *bytes.Buffer) error { return Chart(b, simulated.Group.Rows, false) }},
		{"verdict.txt", textWidth, func(b *bytes.Buffer) error { return WriteVerdict(b, Verdict(whole)) }},
	} {
		t.Run(block.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := block.write(&b); err != nil {
				t.Fatal(err)
			}
			golden(t, block.name, block.width, b.String())
		})
	}
}

func TestVerdictIsThreeSentencesWhateverIsMissing(t *testing.T) {
	taxOnly, groupOnly, perWriteOnly, none := sampleDocument(), sampleDocument(), sampleDocument(), &Document{}
	taxOnly.Group = nil
	groupOnly.Tax = nil
	perWriteOnly.Group.Rows = perWriteOnly.Group.Rows[:1]
	var b strings.Builder
	for _, c := range []struct {
		name string
		doc  *Document
	}{
		{"whole", sampleDocument()}, {"tax only", taxOnly}, {"group only", groupOnly}, {"one cell", perWriteOnly},
		{"nothing", none}, {"slow disk", slowDocument()}, {"simulated", simulatedDocument()}, {"memory", memoryDocument()},
	} {
		sentences := Verdict(c.doc)
		if len(sentences) != 3 {
			t.Errorf("%s: %d sentences, want 3", c.name, len(sentences))
		}
		for _, s := range sentences {
			if !strings.HasSuffix(s, ".") || strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
				t.Errorf("%s: not a plain sentence: %q", c.name, s)
			}
		}
		b.WriteString(c.name + "\n")
		if err := WriteVerdict(&b, sentences); err != nil {
			t.Fatal(err)
		}
		b.WriteString("\n")
	}
	golden(t, "verdicts.txt", textWidth, b.String())
}

func TestChartHasNoColourUnlessAsked(t *testing.T) {
	rows := sampleDocument().Group.Rows
	for _, color := range []bool{false, true} {
		var b strings.Builder
		if err := Chart(&b, rows, color); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "\x1b"); got != color {
			t.Errorf("color %v: escape sequences %v", color, got)
		}
	}
}

func TestChartNeedsTwoNumbersOfWriters(t *testing.T) {
	var b strings.Builder
	if err := Chart(&b, sampleDocument().Group.Rows[:1], false); err != nil || b.Len() > 0 {
		t.Errorf("wrote %q, %v; want nothing", b.String(), err)
	}
}

func TestCohortsSpeaksOnlyOfGreedyWithCompany(t *testing.T) {
	rows := sampleDocument().Group.Rows
	for i := range rows {
		rows[i].Policy = adaptive
		rows[i].TwoCohorts = true
	}
	if got := Cohorts(rows); got != "" {
		t.Errorf("without greedy: %q, want nothing", got)
	}
	rows[0].Policy, rows[0].Writers = greedy, 1
	if got := Cohorts(rows); got != "" {
		t.Errorf("greedy with one writer: %q, want nothing", got)
	}
	rows[1].Policy, rows[1].Writers, rows[1].TwoCohorts = greedy, 4, false
	if got := Cohorts(rows); !strings.Contains(got, "no two alternating cohorts") {
		t.Errorf("greedy without cohorts: %q", got)
	}
}

func TestShareAboveIdealIsShownAndWarned(t *testing.T) {
	doc := sampleDocument()
	doc.Group.Rows[0].IdealFraction = ptr(1.234)
	var b strings.Builder
	if err := Group(&b, doc.Group); err != nil {
		t.Fatal(err)
	}
	if strings.Count(b.String(), "123 %") != 2 || !strings.Contains(b.String(), "warning: per-write at 1 writer ") {
		t.Errorf("share of 1.234 is not both shown and warned of:\n%s", b.String())
	}
}
