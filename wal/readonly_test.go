package wal

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// state is everything about the files of a directory that a reader must leave
// alone.
func state(t *testing.T, path string) string {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var s strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(path, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&s, "%s %d %v %x\n", e.Name(), info.Size(), info.ModTime(), sha256.Sum256(data))
	}
	return s.String()
}

// TestReadOnlyChangesNothing opens and verifies logs in every state, in a
// directory that may not be written to: contents, names and times stay.
func TestReadOnlyChangesNothing(t *testing.T) {
	_, clean := sample(t, true, 4)
	g, crashed := sample(t, false, 4)
	end := g.batches[len(g.batches)-1].lsn
	last := segmentName(end.Segment())
	torn := crashed.with(last, crashed[last][:end.Offset()+5])
	front := bytes.Clone(clean[segmentName(1)])
	front[100] ^= 1
	corrupt := clean.with(segmentName(1), front)
	for name, img := range map[string]image{"clean": clean, "crashed": crashed, "torn": torn, "corrupt": corrupt} {
		path := t.TempDir()
		for file, data := range img {
			if err := os.WriteFile(filepath.Join(path, file), data, 0o400); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(path, 0o500); err != nil {
			t.Fatal(err)
		}
		before := state(t, path)
		l, err := Open(path, Options{ReadOnly: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		drain(l)
		_, err = l.Append(nil)
		wantErr(t, err, ErrReadOnly)
		wantErr(t, l.Sync(), ErrReadOnly)
		wantErr(t, l.Trim(l.Next()), ErrReadOnly)
		mustClose(t, l)
		wantErr(t, l.Close(), ErrClosed)
		report, err := Verify(path, Options{})
		if (name == "corrupt") != (err != nil) || (name == "torn") != (report.TornBytes > 0) || (name == "clean") != report.Clean {
			t.Errorf("%s: verify says %+v, %v", name, report, err)
		}
		if after := state(t, path); after != before {
			t.Errorf("%s: a read-only open made\n%s of\n%s", name, after, before)
		}
		os.Chmod(path, 0o700)
	}
}

// The same on a disk that refuses every call that would change it.
func TestReadOnlyMakesNoChangingCall(t *testing.T) {
	g, img := sample(t, false, 4)
	d := img.disk()
	d.setHook(func(c call) error {
		t.Errorf("a read-only open called %v", c)
		return syscall.EROFS
	})
	l := mustOpen(t, logDir, Options{FS: d, ReadOnly: true})
	if _, err := g.check(l, g.acked); err != nil {
		t.Error(err)
	}
	mustClose(t, l)
}

func TestReadOnlyNeedsALog(t *testing.T) {
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if l, err := Open(path, Options{ReadOnly: true}); err == nil {
			l.Close()
			t.Errorf("opened %s, which holds no log", path)
		}
	}
}

// TestOtherNamesAreLeftAlone has files and directories of other names in the
// log's directory: ignored, and still there afterwards.
func TestOtherNamesAreLeftAlone(t *testing.T) {
	path := t.TempDir()
	others := []string{"README", "0000000A.wal", "1.wal", "00000001.wal.bak", "00000000.wal", ".hidden", "wal"}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(path, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(path, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l := mustOpen(t, path, Options{SegmentSize: small})
		for range 20 {
			put(t, l, make([]byte, 400))
		}
		if err := l.Trim(l.Next()); err != nil {
			t.Fatal(err)
		}
		mustClose(t, l)
	}
	for _, name := range others {
		if b, err := os.ReadFile(filepath.Join(path, name)); string(b) != name {
			t.Errorf("%s: %q (%v)", name, b, err)
		}
	}
	if err := os.Mkdir(filepath.Join(path, "0000ffff.wal"), 0o700); err != nil {
		t.Fatal(err)
	}
	if l, err := Open(path, Options{SegmentSize: small}); err == nil {
		l.Close()
		t.Error("a directory with a segment's name was ignored")
	}
}
