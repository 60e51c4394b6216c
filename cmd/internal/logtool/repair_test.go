package logtool

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"walbench.example/wal"
)

// repaired is what Repair prints, and its exit code.
func repaired(t *testing.T, dir string, yes bool) (string, int) {
	t.Helper()
	var out strings.Builder
	err := Repair(dir, yes, &out)
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

// A dry run changes nothing and says what would be done; with consent it is
// done, what was dropped is where it was said to be, and the log goes on.
func TestRepairAsksFirst(t *testing.T) {
	dir, _ := appended(t, numbered(150))
	middle := recordAt(t, dir, 75)
	flip(t, dir, middle)
	before := fingerprint(t, dir)
	dry, code := repaired(t, dir, false)
	if code != ExitCorrupt || fingerprint(t, dir) != before {
		t.Errorf("dry run: exit code %d, want %d, and a log that stays:\n%s", code, ExitCorrupt, dry)
	}
	damaged, err := os.ReadFile(segmentOf(dir, middle))
	if err != nil {
		t.Fatal(err)
	}
	done, code := repaired(t, dir, true)
	if code != 0 {
		t.Errorf("repair: exit code %d:\n%s", code, done)
	}
	copied := segmentOf(dir, middle) + ".damaged-1"
	for _, text := range []string{"74 records, of 3626 bytes", "75 readable records, of 3675 bytes", copied} {
		if !strings.Contains(dry, text) || !strings.Contains(done, text) {
			t.Errorf("%q is missing in\n%s\nor\n%s", text, dry, done)
		}
	}
	if aside, err := os.ReadFile(copied); err != nil || string(aside) != string(damaged) {
		t.Errorf("the copy is not the damaged segment: %v", err)
	}
	if got, want := dumped(t, dir, "raw"), numbered(74); got != want {
		t.Errorf("the log holds %d bytes, want %d", len(got), len(want))
	}
	if again, code := repaired(t, dir, true); code != 0 || again != "nothing to do: the log has no damage\n" {
		t.Errorf("a second repair: exit code %d:\n%s", code, again)
	}
	if err := Append(t.Context(), small(dir), strings.NewReader("next\n"), &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	if got, code := verified(t, dir); code != 0 {
		t.Errorf("after an append: exit code %d\n%s", code, got)
	}
}

// No repair is offered for a log that this program does not know or cannot
// read, nor for none; a torn tail needs none.
func TestRepairLeavesOthersAlone(t *testing.T) {
	closed, _ := appended(t, numbered(150))
	torn := unclosed(t, numbered(150))
	flip(t, torn, recordAt(t, torn, 150))
	newest := filepath.Join(t.TempDir(), "newer")
	if err := os.CopyFS(newest, os.DirFS(closed)); err != nil {
		t.Fatal(err)
	}
	flip(t, newest, recordAt(t, newest, 10))
	change(t, segmentOf(newest, recordAt(t, closed, 150)), newer)
	for _, c := range []struct {
		dir  string
		want int
	}{
		{closed, 0}, {torn, 0}, {newest, ExitUnknown}, {t.TempDir(), ExitUnknown}, {filepath.Join(t.TempDir(), "none"), ExitUnknown},
	} {
		before := fingerprint(t, c.dir)
		if text, code := repaired(t, c.dir, true); code != c.want {
			t.Errorf("%s: exit code %d, want %d:\n%s", c.dir, code, c.want, text)
		}
		if after := fingerprint(t, c.dir); after != before {
			t.Errorf("%s was changed:\n%s\nbefore:\n%s", c.dir, after, before)
		}
	}
}

func TestRepairBesideAWriterIsRefused(t *testing.T) {
	dir, _ := appended(t, numbered(150))
	log, err := wal.Open(dir, wal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	flip(t, dir, recordAt(t, dir, 75))
	if err := Repair(dir, true, &strings.Builder{}); !errors.Is(err, wal.ErrLocked) {
		t.Errorf("error %v, want %v", err, wal.ErrLocked)
	}
}
