package logtool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verified is what Verify prints, and its exit code.
func verified(t *testing.T, dir string) (string, int) {
	t.Helper()
	var out strings.Builder
	err := Verify(t.Context(), dir, false, &out)
	var finding *Finding
	switch {
	case err == nil:
		return out.String(), 0
	case errors.As(err, &finding):
		return out.String(), finding.ExitCode()
	}
	t.Fatal(err)
	return "", 0
}

// The finding on every kind of damage, to a log of 150 lines in several
// segments, closed or as a killed process leaves it. Verify changes nothing.
func TestVerifyFindings(t *testing.T) {
	const lines = 150
	closed, _ := appended(t, numbered(lines))
	killed := unclosed(t, numbered(lines))
	for _, c := range []struct {
		name   string
		closed bool
		damage func(t *testing.T, dir string)
		code   int
		says   string
	}{
		{"closed", true, func(*testing.T, string) {}, 0, "clean      closed cleanly"},
		{"killed", false, func(*testing.T, string) {}, 0, "clean      not closed"},
		{"last record cut", false, func(t *testing.T, dir string) {
			last := recordAt(t, dir, lines)
			change(t, segmentOf(dir, last), func(b []byte) []byte { return b[:last.Offset()+payload+20] })
		}, ExitTorn, "torn       "},
		{"last record filled with zeros from its middle", false, func(t *testing.T, dir string) {
			last := recordAt(t, dir, lines)
			change(t, segmentOf(dir, last), func(b []byte) []byte {
				clear(b[last.Offset()+payload+20:])
				return b
			})
		}, ExitTorn, "torn       "},
		{"last record flipped, which nothing promises", false, func(t *testing.T, dir string) {
			flip(t, dir, recordAt(t, dir, lines))
		}, ExitTorn, "torn       "},
		{"last record flipped, which the close promises", true, func(t *testing.T, dir string) {
			flip(t, dir, recordAt(t, dir, lines))
		}, ExitCorrupt, "corrupt    "},
		{"a middle record flipped", true, func(t *testing.T, dir string) { flip(t, dir, recordAt(t, dir, lines/2)) }, ExitCorrupt, "corrupt    "},
		{"a middle record flipped, killed", false, func(t *testing.T, dir string) { flip(t, dir, recordAt(t, dir, lines/2)) }, ExitCorrupt, "corrupt    "},
		{"a middle segment missing", true, func(t *testing.T, dir string) {
			remove(t, segmentOf(dir, recordAt(t, dir, lines/2)))
		}, ExitCorrupt, "is missing"},
		{"a middle segment cut short", true, func(t *testing.T, dir string) {
			change(t, segmentOf(dir, recordAt(t, dir, lines/2)), func(b []byte) []byte { return b[:1000] })
		}, ExitCorrupt, "cut short"},
		{"a middle segment empty", true, func(t *testing.T, dir string) {
			change(t, segmentOf(dir, recordAt(t, dir, lines/2)), func(b []byte) []byte { return nil })
		}, ExitCorrupt, "corrupt    "},
		{"a newer format", true, func(t *testing.T, dir string) {
			change(t, segmentOf(dir, recordAt(t, dir, lines)), newer)
		}, ExitUnknown, "unsupported format version 2"},
		{"no log", true, func(t *testing.T, dir string) {
			segments, _ := filepath.Glob(filepath.Join(dir, "*.wal"))
			for _, name := range segments {
				remove(t, name)
			}
		}, ExitUnknown, "holds no log"},
		{"a directory for a segment", true, func(t *testing.T, dir string) {
			name := segmentOf(dir, recordAt(t, dir, lines/2))
			remove(t, name)
			if err := os.Mkdir(name, 0o700); err != nil {
				t.Fatal(err)
			}
		}, ExitUnknown, "no regular file"},
		{"no permission", true, func(t *testing.T, dir string) {
			name := segmentOf(dir, recordAt(t, dir, lines/2))
			if err := os.Chmod(name, 0); err != nil {
				t.Fatal(err)
			}
			if f, err := os.Open(name); err == nil {
				f.Close()
				t.Skip("this user may read a file of mode 0")
			}
		}, ExitUnknown, "denied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, origin := filepath.Join(t.TempDir(), "log"), killed
			if c.closed {
				origin = closed
			}
			if err := os.CopyFS(dir, os.DirFS(origin)); err != nil {
				t.Fatal(err)
			}
			c.damage(t, dir)
			before := fingerprint(t, dir)
			got, code := verified(t, dir)
			if code != c.code || !strings.Contains(got, c.says) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, c.code, c.says, got)
			}
			if after := fingerprint(t, dir); after != before {
				t.Errorf("verify changed the log:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

// A report has the figures of the log it is on, with LSNs as dump prints
// them.
func TestVerifyReports(t *testing.T) {
	dir, printed := appended(t, "a\n\nbcd\n")
	lsn := first(printed)
	got, _ := verified(t, dir)
	for _, want := range []string{
		"segments   1\n", "records    3, of 4 bytes\n", "first      LSN " + lsn[0] + "\n", "last       LSN " + lsn[2] + "\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("report lacks %q:\n%s", want, got)
		}
	}
}

// A torn tail is cut by the next append, as verify said it would be.
func TestVerifyForetellsRecovery(t *testing.T) {
	dir := unclosed(t, numbered(150))
	flip(t, dir, recordAt(t, dir, 150))
	if _, code := verified(t, dir); code != ExitTorn {
		t.Fatalf("exit code %d, want %d", code, ExitTorn)
	}
	if err := Append(t.Context(), small(dir), strings.NewReader("next\n"), &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	if got, code := verified(t, dir); code != 0 {
		t.Errorf("after an append: exit code %d\n%s", code, got)
	}
	if got, want := dumped(t, dir, "raw"), numbered(149)+"next\n"; got != want {
		t.Errorf("the log holds %d bytes, want %d", len(got), len(want))
	}
}

func TestVerifyOfWhatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "none"), file} {
		if got, code := verified(t, name); code != ExitUnknown || !strings.HasPrefix(got, "unknown    ") {
			t.Errorf("%s: exit code %d, want %d:\n%s", name, code, ExitUnknown, got)
		}
	}
}

// A stop is no finding.
func TestVerifyStops(t *testing.T) {
	cause := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	var out strings.Builder
	if err := Verify(ctx, filepath.Join(t.TempDir(), "none"), false, &out); err != cause || out.Len() > 0 {
		t.Errorf("error %v, want %v; printed %q", err, cause, out.String())
	}
}

func TestVerifyFailsWithItsOutput(t *testing.T) {
	dir, _ := appended(t, "a\n")
	if err := Verify(t.Context(), dir, false, &failing{}); !errors.Is(err, errGone) {
		t.Errorf("error %v, want %v", err, errGone)
	}
}
