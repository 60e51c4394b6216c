package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The exit codes of verify are those of the help, on a log with real damage.
func TestVerifyExitCodes(t *testing.T) {
	lines := strings.Repeat("a line of some length, so that segments fill\n", 300)
	for _, c := range []struct {
		name   string
		damage func(segments []string) error
		want   int
	}{
		{"none", func([]string) error { return nil }, 0},
		{"a middle byte", func(s []string) error { return flipByte(s[len(s)/2], 200) }, 3},
		{"a middle segment", func(s []string) error { return os.Remove(s[len(s)/2]) }, 3},
		{"all segments", func(s []string) error {
			for _, name := range s {
				if err := os.Remove(name); err != nil {
					return err
				}
			}
			return nil
		}, 4},
		// The mark of the close with half of what it marks: as if the last
		// flush had been cut by a crash.
		{"the last frames", func(s []string) error { return tearTail(s) }, 1},
	} {
		dir := filepath.Join(t.TempDir(), "log")
		if _, code := walbench(t, lines, "log", "append", dir, "--segment-size", "4KiB", "--writers", "8"); code != 0 {
			t.Fatalf("append: exit code %d", code)
		}
		segments, err := filepath.Glob(filepath.Join(dir, "*.wal"))
		if err == nil {
			err = c.damage(segments)
		}
		if err != nil {
			t.Fatal(err)
		}
		if report, got := walbench(t, "", "log", "verify", dir); got != c.want {
			t.Errorf("damage to %s: exit code %d, want %d:\n%s", c.name, got, c.want, report)
		}
		if _, got := walbench(t, "", "log", "--json", "verify", dir); got != c.want {
			t.Errorf("damage to %s: exit code %d with --json, want %d", c.name, got, c.want)
		}
	}
}

func flipByte(name string, at int) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text[at] ^= 1
	return os.WriteFile(name, text, 0o600)
}

// tearTail cuts the newest segment that holds anything in the frame before
// its last.
func tearTail(segments []string) error {
	for _, name := range slices.Backward(segments) {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		used := len(bytes.TrimRight(text[64:], "\x00")) + 64
		if used > 64 {
			return os.WriteFile(name, text[:used-40], 0o600)
		}
	}
	return errors.New("no segment holds anything")
}
