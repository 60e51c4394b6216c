package wal

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOneOpenerAtATime opens a directory a second time in this process, by
// every name it has: ErrLocked, until Close (promise 10).
func TestOneOpenerAtATime(t *testing.T) {
	top := t.TempDir()
	path := filepath.Join(top, "log")
	l := mustOpen(t, path, Options{SegmentSize: small})
	names := []string{path, path + string(filepath.Separator), filepath.Join(top, ".", "log")}
	link := filepath.Join(top, "link")
	if err := os.Symlink(path, link); err == nil {
		names = append(names, link)
	}
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil {
			names = append(names, rel)
		}
	}
	for _, name := range names {
		second, err := Open(name, Options{SegmentSize: small})
		if wantErr(t, err, ErrLocked); err == nil {
			second.Close()
		}
	}
	put(t, l, []byte("x")) // the loser did no harm
	mustClose(t, l)
	for _, name := range names {
		mustClose(t, mustOpen(t, name, Options{SegmentSize: small}))
	}
}

// A file system in memory locks too.
func TestOneOpenerAtATimeInMemory(t *testing.T) {
	d := newDisk()
	l := openOn(t, d)
	_, err := Open(logDir, Options{FS: d})
	wantErr(t, err, ErrLocked)
	mustClose(t, l)
	openOn(t, d)
}

// A failed Open holds no lock.
func TestFailedOpenUnlocks(t *testing.T) {
	_, img := sample(t, true, 1)
	name := segmentName(2)
	d := img.with(name, img[name][:10]).disk()
	for range 2 {
		_, err := Open(logDir, Options{FS: d})
		wantErr(t, err, ErrCorrupt)
	}
}
