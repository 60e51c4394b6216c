package logtool

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// documented is the document of a log, decoded, and the exit code.
func documented(t *testing.T, dir string) (VerifyDocument, int) {
	t.Helper()
	var out strings.Builder
	err := Verify(t.Context(), dir, true, &out)
	var finding *Finding
	if err != nil && !errors.As(err, &finding) {
		t.Fatal(err)
	}
	var d VerifyDocument
	dec := json.NewDecoder(strings.NewReader(out.String()))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		t.Fatalf("%v:\n%s", err, out.String())
	}
	if finding == nil {
		return d, 0
	}
	return d, finding.ExitCode()
}

// Every kind of finding has its word, its evidence, and what is whole on either
// side of the place, in a log of 150 records of 49 bytes.
func TestVerifyDocuments(t *testing.T) {
	const lines, half = 150, 75
	closed, _ := appended(t, numbered(lines))
	killed := unclosed(t, numbered(lines))
	middle, last := recordAt(t, closed, half), recordAt(t, killed, lines)
	for _, c := range []struct {
		kind          string
		origin        string
		damage        func(t *testing.T, dir string)
		before, after int64
		bad           uint64 // 0: nowhere
	}{
		{"clean", closed, func(*testing.T, string) {}, lines, 0, 0},
		{"torn", killed, func(t *testing.T, dir string) { flip(t, dir, last) }, lines - 1, 0, uint64(last)},
		{"corrupt", closed, func(t *testing.T, dir string) { flip(t, dir, middle) }, half - 1, lines - half, uint64(middle)},
		{"gap", closed, func(t *testing.T, dir string) { remove(t, segmentOf(dir, middle)) }, -1, -1, uint64(middle) &^ (1<<32 - 1)},
		{"foreign", closed, func(t *testing.T, dir string) {
			other, _ := appended(t, numbered(lines))
			change(t, segmentOf(dir, middle), func([]byte) []byte {
				b, err := os.ReadFile(segmentOf(other, middle))
				if err != nil {
					t.Fatal(err)
				}
				return b
			})
		}, -1, -1, uint64(middle) &^ (1<<32 - 1)},
		{"newer_format", closed, func(t *testing.T, dir string) { change(t, segmentOf(dir, middle), newer) }, 0, 0, 0},
		{"unknown", t.TempDir(), func(*testing.T, string) {}, 0, 0, 0},
	} {
		dir := filepath.Join(t.TempDir(), "log")
		if err := os.CopyFS(dir, os.DirFS(c.origin)); err != nil {
			t.Fatal(err)
		}
		c.damage(t, dir)
		d, code := documented(t, dir)
		_, want := verified(t, dir)
		if d.Schema != VerifySchema || d.Kind != c.kind || d.Evidence == "" || d.ExitCode != code || code != want {
			t.Errorf("%s: exit code %d, want %d: %+v", c.kind, code, want, d)
		}
		if got := d.FirstBadLSN; c.bad == 0 && got != nil || c.bad > 0 && (got == nil || *got != c.bad) {
			t.Errorf("%s: first bad LSN %v, want %d", c.kind, got, c.bad)
		}
		if c.before < 0 { // the middle segment is lost, with the records on either side of the middle
			if d.RecordsBefore >= half || d.RecordsBefore == 0 || d.RecordsAfter == 0 {
				t.Errorf("%s: %+v", c.kind, d)
			}
			continue
		}
		if d.RecordsBefore != c.before || d.BytesBefore != 49*c.before || d.RecordsAfter != c.after || d.BytesAfter != 49*c.after {
			t.Errorf("%s: want %d records before and %d after: %+v", c.kind, c.before, c.after, d)
		}
		if c.before > 0 && *d.LastGoodLSN != uint64(recordAt(t, c.origin, int(c.before))) {
			t.Errorf("%s: last good LSN %d", c.kind, *d.LastGoodLSN)
		}
	}
}
