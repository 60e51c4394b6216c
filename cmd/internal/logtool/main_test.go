package logtool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"walbench.example/wal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// small is a configuration whose log soon has several segments.
func small(dir string) AppendConfig {
	return AppendConfig{Dir: dir, Writers: 1, SegmentBytes: wal.MinSegmentSize}
}

// appended makes a log of the lines and returns its directory, and what
// Append printed.
func appended(t *testing.T, text string) (dir, printed string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "log")
	var out bytes.Buffer
	if err := Append(t.Context(), small(dir), strings.NewReader(text), &out); err != nil {
		t.Fatal(err)
	}
	return dir, out.String()
}

// numbered is n lines that differ, of 50 bytes with their newline.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%049d\n", i+1)
	}
	return b.String()
}

// dumped is what Dump prints.
func dumped(t *testing.T, dir, format string) string {
	t.Helper()
	var out bytes.Buffer
	if err := Dump(t.Context(), dir, format, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// first is the first field of each line.
func first(text string) []string {
	var fields []string
	for line := range strings.Lines(text) {
		field, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		fields = append(fields, field)
	}
	return fields
}

// sorted compares what may come in any order.
func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

// fingerprint is the names, modes, sizes and contents of a directory: it
// changes when anything in there does.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(filepath.Join(dir, e.Name())) // of what cannot be read, the rest tells
		fmt.Fprintf(&b, "%s %v %v %x\n", e.Name(), info.Mode(), info.ModTime(), sha256.Sum256(text))
	}
	return b.String()
}

// unclosed is a log as a killed process leaves it: the copy of one that is
// still open, with all the lines durable.
func unclosed(t *testing.T, text string) string {
	t.Helper()
	live, copied := filepath.Join(t.TempDir(), "live"), filepath.Join(t.TempDir(), "log")
	in, feed := io.Pipe()
	watched, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Append(context.Background(), small(live), in, out) }()
	go io.WriteString(feed, text)
	one := make([]byte, 1)
	for left := strings.Count(text, "\n"); left > 0; {
		if _, err := watched.Read(one); err != nil {
			t.Fatal(err)
		}
		if one[0] == '\n' {
			left--
		}
	}
	if err := os.CopyFS(copied, os.DirFS(live)); err != nil {
		t.Fatal(err)
	}
	feed.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return copied
}
