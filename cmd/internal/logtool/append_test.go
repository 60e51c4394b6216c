package logtool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"walbench.example/commit"
	"walbench.example/wal"
)

// What ends in a newline is a record, and so is what ends with the input;
// nothing but the newline is taken from it.
func TestAppendTakesLinesAsRecords(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"lines", "a\nbc\n", []string{"a", "bc"}},
		{"no last newline", "a\nbc", []string{"a", "bc"}},
		{"empty lines", "\na\n\n", []string{"", "a", ""}},
		{"carriage returns stay", "a\r\n\r\n", []string{"a\r", "\r"}},
		{"zero bytes stay", "a\x00b\n\x00\n", []string{"a\x00b", "\x00"}},
		{"no text", "\xff\xfe\n", []string{"\xff\xfe"}},
	} {
		dir, printed := appended(t, c.in)
		log, err := wal.Open(dir, wal.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var want strings.Builder
		for r, err := range log.Records(0) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(r.Data))
			fmt.Fprintf(&want, "%d %d\n", uint64(r.LSN), len(got))
		}
		log.Close()
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: records %q, want %q", c.name, got, c.want)
		}
		if printed != want.String() {
			t.Errorf("%s: printed %q, want %q", c.name, printed, want.String())
		}
	}
}

func TestAppendTakesALineOfTheLargestRecord(t *testing.T) {
	largest := strings.Repeat("x", int(wal.MaxRecord(wal.MinSegmentSize)))
	for _, last := range []string{"\n", ""} {
		dir, _ := appended(t, largest+"\n"+largest+last)
		if got, want := dumped(t, dir, "raw"), largest+"\n"+largest+"\n"; got != want {
			t.Errorf("the log holds %d bytes, want %d", len(got), len(want))
		}
	}
}

// The line that is too long is named, and the lines before it are in the log
// and reported.
func TestAppendRefusesALineThatNoSegmentHolds(t *testing.T) {
	longer := strings.Repeat("x", int(wal.MaxRecord(wal.MinSegmentSize))+1)
	for _, tail := range []string{"", "\n", "\nlater\n", strings.Repeat("x", 1<<20)} {
		dir := filepath.Join(t.TempDir(), "log")
		var out bytes.Buffer
		c := small(dir)
		c.Writers = 4
		err := Append(t.Context(), c, strings.NewReader("a\nb\n"+longer+tail), &out)
		if !errors.Is(err, wal.ErrTooLarge) || !strings.Contains(err.Error(), "line 3: ") {
			t.Errorf("error %v, want line 3 and %v", err, wal.ErrTooLarge)
		}
		reported, found := sorted(first(out.String())), first(dumped(t, dir, "text"))
		if !slices.Equal(reported, found) {
			t.Errorf("reported %v, the log holds %v", reported, found)
		}
	}
}

func TestAppendReportsEachLineOnce(t *testing.T) {
	const lines, writers = 10_000, 16
	dir := filepath.Join(t.TempDir(), "log")
	c := AppendConfig{Dir: dir, Writers: writers, SegmentBytes: 64 << 10}
	var out bytes.Buffer
	if err := Append(t.Context(), c, strings.NewReader(numbered(lines)), &out); err != nil {
		t.Fatal(err)
	}
	raw := strings.SplitAfter(dumped(t, dir, "raw"), "\n")
	line := make(map[string]string) // by LSN
	for i, lsn := range first(dumped(t, dir, "text")) {
		line[lsn] = raw[i]
	}
	seen := make(map[int]bool)
	for report := range strings.Lines(out.String()) {
		var lsn string
		var number int
		if _, err := fmt.Sscanf(report, "%s %d\n", &lsn, &number); err != nil {
			t.Fatalf("%q: %v", report, err)
		}
		if seen[number] {
			t.Errorf("line %d is reported twice", number)
		}
		seen[number] = true
		if want := fmt.Sprintf("%049d\n", number); line[lsn] != want {
			t.Fatalf("at LSN %s the log holds %q, reported was line %d", lsn, line[lsn], number)
		}
	}
	if len(seen) != lines || len(line) != lines {
		t.Errorf("%d lines are reported and %d are in the log, want %d", len(seen), len(line), lines)
	}
}

// A line is reported before the next one is there.
func TestAppendReportsAtOnce(t *testing.T) {
	in, feed := io.Pipe()
	watched, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Append(t.Context(), small(t.TempDir()), in, out) }()
	report := make([]byte, 100)
	for number := 1; number <= 3; number++ {
		io.WriteString(feed, "x\n")
		n, err := watched.Read(report)
		if got := string(report[:n]); err != nil || !strings.HasSuffix(got, " "+strconv.Itoa(number)+"\n") {
			t.Fatalf("after line %d: %q, %v", number, got, err)
		}
	}
	feed.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAppendKeepsSegmentsToTheirSize(t *testing.T) {
	dir, _ := appended(t, numbered(200))
	segments, err := filepath.Glob(filepath.Join(dir, "*.wal"))
	if err != nil {
		t.Fatal(err)
	}
	if len(segments) < 3 {
		t.Errorf("10,000 bytes are in %v, want segments of 4 KiB", segments)
	}
}

// A lone line waits as long as its policy says, and is then reported.
func TestAppendFollowsItsPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := small(t.TempDir())
		c.Policy = commit.Window(time.Hour, 0, 0)
		begun := time.Now()
		if err := Append(t.Context(), c, strings.NewReader("a\n"), io.Discard); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took < time.Hour {
			t.Errorf("a line was durable after %v, want the window of an hour", took)
		}
	})
}

// A method that there is not here is refused before anything is made.
func TestAppendRefusesASyncMethodThatIsNotThere(t *testing.T) {
	refused := 0
	for _, word := range []string{"none", "fsync", "fdatasync", "dsync", "fullfsync"} {
		method, err := wal.ParseSync(word)
		if err != nil {
			t.Fatal(err)
		}
		c := small(filepath.Join(t.TempDir(), "log"))
		c.Sync = method
		err = Append(t.Context(), c, strings.NewReader("a\n"), io.Discard)
		if err == nil {
			continue
		}
		refused++
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: error %v", word, err)
		}
		if found, _ := filepath.Glob(c.Dir); len(found) > 0 {
			t.Errorf("%s is refused and yet made %v", word, found)
		}
	}
	if refused == 0 {
		t.Error("every method is there: dsync and fullfsync have no platform in common")
	}
}
