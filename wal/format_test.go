package wal

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestFormatExample makes the log of the example in FORMAT.md, compares every
// byte, and reads the example back. It never changes: version 1 stays readable.
func TestFormatExample(t *testing.T) {
	doc, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(doc), "```hex\n")
	example, after, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("FORMAT.md has no hex block")
	}
	want := parseDump(t, example)

	var id [16]byte
	for i := range id {
		id[i] = byte(i)
	}
	d := newDisk()
	l, err := open(logDir, Options{FS: d}.withDefaults(), id)
	if err != nil {
		t.Fatal(err)
	}
	close(l.prepare.done)
	put(t, l, []byte("hello"))
	if _, err := l.AppendBatch([][]byte{[]byte("a"), {}}); err != nil {
		t.Fatal(err)
	}
	mustClose(t, l)
	got := d.image()["00000001.wal"]
	if *update {
		doc := before + "```hex\n" + formatDump(got) + "```" + after
		if err := os.WriteFile("FORMAT.md", []byte(doc), 0o666); err != nil {
			t.Fatal(err)
		}
		want = got
	} else if !bytes.Equal(got, want) {
		t.Errorf("the log is\n%s\nFORMAT.md says\n%s", formatDump(got), example)
	}

	r, err := Open(logDir, Options{FS: image{"00000001.wal": want}.disk(), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	lsns, recs := collect(t, r, 0)
	if got, want := fmt.Sprintf("%v %q", lsns, recs), `[00000001:00000070 00000001:000000a0 00000001:000000b8] ["hello" "a" ""]`; got != want {
		t.Errorf("the example reads as %s, want %s", got, want)
	}
}

// formatDump is 16 bytes a line behind their offset.
func formatDump(b []byte) string {
	var s strings.Builder
	for off := 0; off < len(b); off += 16 {
		fmt.Fprintf(&s, "%04x  % x\n", off, b[off:min(off+16, len(b))])
	}
	return s.String()
}

func parseDump(t *testing.T, s string) (b []byte) {
	t.Helper()
	for line := range strings.Lines(s) {
		_, digits, _ := strings.Cut(line, "  ")
		row, err := hex.DecodeString(strings.NewReplacer(" ", "", "\n", "").Replace(digits))
		if err != nil {
			t.Fatalf("FORMAT.md: %v in %q", err, line)
		}
		b = append(b, row...)
	}
	return b
}

func TestSegmentNames(t *testing.T) {
	for _, n := range []uint32{1, 10, 0xffffffff} {
		if got, ok := parseSegmentName(segmentName(n)); !ok || got != n {
			t.Errorf("segment %d: name %s reads as %d, %v", n, segmentName(n), got, ok)
		}
	}
	for _, name := range []string{"00000000.wal", "0000000A.wal", "1.wal", "000000001.wal", "0000000g.wal", "+0000001.wal", "00000001.wa", "00000001.wal.bak", "spare", "next", "lock", ""} {
		if n, ok := parseSegmentName(name); ok {
			t.Errorf("%q reads as segment %d", name, n)
		}
	}
}
