//go:build unix

package wal

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// used returns the bytes of the files of a log and of the disk that they take.
func used(t *testing.T, path string) (bytes, disk int64) {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		bytes += info.Size()
		disk += int64(info.Sys().(*syscall.Stat_t).Blocks) * 512
	}
	return bytes, disk
}

// TestOpenReservesOneSegment opens an empty log, and one that was closed: one
// segment may be reserved, and no zeros are written.
func TestOpenReservesOneSegment(t *testing.T) {
	path := t.TempDir()
	for life := range 4 {
		l := mustOpen(t, path, Options{})
		bytes, disk := used(t, path)
		if disk > DefaultSegmentSize+64<<10 {
			t.Errorf("life %d: %d bytes of disk are taken, a segment is %d", life, disk, DefaultSegmentSize)
		}
		if bytes > 4<<10 {
			t.Errorf("life %d: the files are %d bytes long", life, bytes)
		}
		mustClose(t, l)
	}
}

// TestFullFileSystem fills a file system of 256 KiB to the last byte: appends
// are rejected, Open, reading and trimming work, and trimming frees the space.
func TestFullFileSystem(t *testing.T) {
	path := smallFileSystem(t)
	o := Options{SegmentSize: 32 << 10}
	g := &ledger{t: t, log: mustOpen(t, filepath.Join(path, "log"), o)}
	fill := func() (err error) {
		for err == nil && len(g.batches) < 10000 {
			if err = g.append(1, 500); err == nil {
				err = g.sync()
			}
		}
		return err
	}
	wantErr(t, fill(), ErrNoSpace)
	stuff(t, filepath.Join(path, "stuff"))
	for range 2 {
		g.close()
		g.log = mustOpen(t, g.log.dir.path, o)
		if _, err := g.check(g.log, len(g.batches)); err != nil {
			t.Fatal(err)
		}
	}
	wantErr(t, fill(), ErrNoSpace)
	g.trimmed = len(g.batches)
	held := len(g.batches)
	if err := g.log.Trim(g.batches[held-1].lsn); err != nil {
		t.Fatalf("Trim on a full disk: %v", err)
	}
	wantErr(t, fill(), ErrNoSpace)
	if len(g.batches) < held+50 {
		t.Errorf("trimming made room for %d records", len(g.batches)-held)
	}
	g.close()
}

// stuff takes what space is left.
func stuff(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for n := 4096; n > 0; {
		if _, err := f.WriteString(strings.Repeat("x", n)); err != nil {
			n /= 2
		}
	}
}
