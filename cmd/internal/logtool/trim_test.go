package logtool

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"walbench.example/wal"
)

// trimmed is what Trim prints.
func trimmed(t *testing.T, dir string, lsn wal.LSN) string {
	t.Helper()
	var out strings.Builder
	if err := Trim(dir, lsn, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// end is the end of a log.
func end(t *testing.T, dir string) wal.LSN {
	t.Helper()
	log, err := wal.Open(dir, wal.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	return log.Next()
}

// Whole segments go, and nothing at or above the position.
func TestTrimRemovesWholeSegments(t *testing.T) {
	dir, _ := appended(t, numbered(150))
	before := dumped(t, dir, "text")
	lsn := recordAt(t, dir, 80)
	said := trimmed(t, dir, lsn)
	after := dumped(t, dir, "text")
	if !strings.HasSuffix(before, after) {
		t.Fatalf("what is left is no end of what was:\n%s", after)
	}
	least := place(t, after, 1)
	if least > lsn || least.Segment() != lsn.Segment() {
		t.Errorf("trimmed to %v, the log begins at %v, want the first record of that segment", lsn, least)
	}
	if want := fmt.Sprintf("first LSN %d, end LSN ", uint64(least)); !strings.HasPrefix(said, want) {
		t.Errorf("trim said %q, want %q", said, want)
	}
	if got, code := verified(t, dir); code != 0 {
		t.Errorf("a trimmed log verifies with exit code %d:\n%s", code, got)
	}
}

func TestTrimOfNothing(t *testing.T) {
	dir, _ := appended(t, numbered(150))
	before := dumped(t, dir, "text")
	for _, lsn := range []wal.LSN{1, place(t, before, 1)} {
		trimmed(t, dir, lsn)
		if after := dumped(t, dir, "text"); after != before {
			t.Errorf("trim to %v left:\n%s\nwant:\n%s", lsn, after, before)
		}
	}
}

// A log trimmed to its end is empty, is still a log, and never gives an LSN
// twice.
func TestTrimOfAll(t *testing.T) {
	dir, _ := appended(t, numbered(150))
	next := end(t, dir)
	said := trimmed(t, dir, next)
	var left, right uint64
	if _, err := fmt.Sscanf(said, "first LSN %d, end LSN %d\n", &left, &right); err != nil || left != right || left < uint64(next) {
		t.Errorf("trim said %q, want an empty log at %d or above (%v)", said, uint64(next), err)
	}
	if got := dumped(t, dir, "text"); got != "" {
		t.Errorf("left:\n%s", got)
	}
	if got, code := verified(t, dir); code != 0 {
		t.Errorf("an empty log verifies with exit code %d:\n%s", code, got)
	}
	var printed strings.Builder
	if err := Append(t.Context(), small(dir), strings.NewReader("a\n"), &printed); err != nil {
		t.Fatal(err)
	}
	if lsn := place(t, printed.String(), 1); lsn < next {
		t.Errorf("the next record is at %v, below the trimmed %v", lsn, next)
	}
}

// A position that is not there is refused, in the numbers that the user
// knows, before a torn tail is cut or anything else is changed.
func TestTrimRefusesAPositionPastTheEnd(t *testing.T) {
	dir := unclosed(t, numbered(150))
	flip(t, dir, recordAt(t, dir, 150))
	next := end(t, dir)
	before := fingerprint(t, dir)
	err := Trim(dir, next+1, io.Discard)
	if want := fmt.Sprintf("LSN %d is past the end of the log, LSN %d", uint64(next+1), uint64(next)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	if after := fingerprint(t, dir); after != before {
		t.Errorf("a refused trim changed the log:\n%s\nbefore:\n%s", after, before)
	}
}

func TestTrimMakesNoLog(t *testing.T) {
	empty := t.TempDir()
	for _, dir := range []string{empty, filepath.Join(empty, "none")} {
		if err := Trim(dir, 1, io.Discard); err == nil {
			t.Errorf("%s: no error", dir)
		}
	}
	if got := fingerprint(t, empty); got != "" {
		t.Errorf("trim left %s", got)
	}
}

func TestTrimAndAppendRespectTheLock(t *testing.T) {
	dir, _ := appended(t, numbered(150))
	log, err := wal.Open(dir, wal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := Trim(dir, 1, io.Discard); !errors.Is(err, wal.ErrLocked) {
		t.Errorf("trim: error %v, want %v", err, wal.ErrLocked)
	}
	if err := Append(t.Context(), small(dir), strings.NewReader("a\n"), io.Discard); !errors.Is(err, wal.ErrLocked) {
		t.Errorf("append: error %v, want %v", err, wal.ErrLocked)
	}
}
