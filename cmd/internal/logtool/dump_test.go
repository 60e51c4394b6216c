package logtool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"walbench.example/wal"
)

// The three formats agree on the records, and none changes the log.
func TestDumpFormats(t *testing.T) {
	lines := []string{"a", "", "b\x00c\r", strings.Repeat("long", 900)}
	text := strings.Join(lines, "\n") + "\n"
	dir, printed := appended(t, text)
	before := fingerprint(t, dir)
	var want, wantJSON strings.Builder
	for i, lsn := range first(printed) {
		sum := sha256.Sum256([]byte(lines[i]))
		fmt.Fprintf(&want, "%s %d %x\n", lsn, len(lines[i]), sum)
		fmt.Fprintf(&wantJSON, `{"lsn":%s,"length":%d,"sha256":"%x"}`+"\n", lsn, len(lines[i]), sum)
	}
	for format, want := range map[string]string{"text": want.String(), "json": wantJSON.String(), "raw": text} {
		if got := dumped(t, dir, format); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", format, got, want)
		}
	}
	for line := range strings.Lines(dumped(t, dir, "json")) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
	if after := fingerprint(t, dir); after != before {
		t.Errorf("dump changed the log:\n%s\nbefore:\n%s", after, before)
	}
}

// What dump writes raw, append makes the same records of. Where they stand
// may differ: a log moves on to its next segment when that is ready.
func TestDumpRawIsAppendedBack(t *testing.T) {
	text := "\n\r\na\x00b\n\n" + numbered(150)
	dir, _ := appended(t, text)
	again, _ := appended(t, dumped(t, dir, "raw"))
	if got := dumped(t, again, "raw"); got != text {
		t.Errorf("the second log holds %d bytes, want %d", len(got), len(text))
	}
}

// A log that nobody closed, or that somebody still writes, is shown as it is.
func TestDumpShowsAnUnclosedLog(t *testing.T) {
	text := numbered(150)
	dir := unclosed(t, text)
	before := fingerprint(t, dir)
	if got := dumped(t, dir, "raw"); got != text {
		t.Errorf("dump shows %d bytes, want %d", len(got), len(text))
	}
	if after := fingerprint(t, dir); after != before {
		t.Errorf("dump changed the log:\n%s\nbefore:\n%s", after, before)
	}
}

// Damage ends a dump behind the last whole record before it.
func TestDumpEndsAtDamage(t *testing.T) {
	text := numbered(150)
	dir, printed := appended(t, text)
	flip(t, dir, place(t, printed, 80))
	var out bytes.Buffer
	err := Dump(t.Context(), dir, "raw", &out)
	if !errors.Is(err, wal.ErrCorrupt) {
		t.Errorf("error %v, want %v", err, wal.ErrCorrupt)
	}
	if want := text[:79*50]; out.String() != want {
		t.Errorf("dump shows %d bytes, want the %d before the damage", out.Len(), len(want))
	}
}

func TestDumpStops(t *testing.T) {
	dir, _ := appended(t, numbered(10))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if err := Dump(ctx, dir, "text", &out); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("wrote %q, error %v", out.String(), err)
	}
}

func TestDumpFailsWithItsOutput(t *testing.T) {
	dir, _ := appended(t, numbered(150))
	for _, format := range []string{"text", "json", "raw"} {
		if err := Dump(t.Context(), dir, format, &failing{}); !errors.Is(err, errGone) {
			t.Errorf("%s: error %v, want %v", format, err, errGone)
		}
	}
}

func TestDumpNeedsALog(t *testing.T) {
	empty := t.TempDir()
	for _, dir := range []string{empty, filepath.Join(empty, "none")} {
		if err := Dump(t.Context(), dir, "text", &bytes.Buffer{}); err == nil {
			t.Errorf("%s: no error", dir)
		}
	}
	if got := fingerprint(t, empty); got != "" {
		t.Errorf("dump left %s", got)
	}
}
