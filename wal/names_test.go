package wal

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"walbench.example/wal/crashfs"
)

// failOnce fails the first call of a verb on a name.
func failOnce(verb, name string) func(call) error {
	failed := false
	return func(c call) error {
		if c.verb == verb && c.name == name && !failed {
			failed = true
			return syscall.EIO
		}
		return nil
	}
}

// fill appends until the log ends in segment n.
func fill(t *testing.T, l *Log, n uint32) {
	t.Helper()
	for i := 0; l.Next().Segment() < n; i++ {
		put(t, l, payload(i, 900))
	}
}

// A failed sync of the directory is final, as that of a file is: which names
// are durable is not known. Trim says so again and again, whether or not it
// has more to do, and never acknowledges a removal that a crash undoes.
func TestFailedDirectorySyncEndsTrimming(t *testing.T) {
	for _, upTo := range []uint32{2, 4} {
		d := newDisk()
		l := openOn(t, d)
		fill(t, l, 5)
		d.setHook(failOnce("sync", "."))
		to := makeLSN(upTo, 0)
		for range 3 {
			wantErr(t, l.Trim(to), syscall.EIO)
		}
		for seed := range uint64(20) {
			r, err := Open(logDir, Options{FS: d.crash(crashfs.Seed(seed)), SegmentSize: small})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			r.Close()
		}
		put(t, l, []byte("the segment in use is none the worse"))
	}
}

// No append makes a segment whose name may not last, nor leaves one behind
// for each try.
func TestFailedDirectorySyncMakesNoSegments(t *testing.T) {
	d := newDisk()
	l := openOn(t, d)
	d.setHook(failOnce("sync", "."))
	refused := 0
	for i := 0; i < 200; i++ {
		_, err := l.Append(payload(i, 900))
		if err != nil && !errors.Is(err, ErrFull) {
			wantErr(t, err, syscall.EIO)
			refused++
		}
		if err := l.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	names, err := d.List(logDir)
	if err != nil {
		t.Fatal(err)
	}
	segments := 0
	for _, name := range names {
		if strings.HasSuffix(name, segmentSuffix) {
			segments++
		}
	}
	if refused == 0 || segments > 2 {
		t.Errorf("%d appends refused, %d segments left", refused, segments)
	}
}

// An Open that fails to make or to sync a directory above the log's leaves
// nothing for the next one to build on that may vanish (promise 1).
func TestDirectoriesAreMadeFromTheTop(t *testing.T) {
	for _, verb := range []string{"sync", "mkdir"} {
		d := newDisk()
		d.setHook(failOnce(verb, ".."))
		if l, err := Open(logDir, Options{FS: d}); err == nil {
			l.Close()
			t.Fatalf("%s failed and Open did not", verb)
		}
		l := openOn(t, d)
		put(t, l, []byte("acknowledged"))
		after := openOn(t, d.crash(crashfs.None))
		wantRecords(t, after, [][]byte{[]byte("acknowledged")})
	}
}

// Trim of everything lasts, without a sync method too.
func TestTrimAllWithoutBarrierLasts(t *testing.T) {
	d := newDisk()
	l := mustOpen(t, logDir, Options{FS: d, SegmentSize: small, Sync: SyncNone})
	fill(t, l, 3)
	if err := l.Trim(l.Next()); err != nil {
		t.Fatal(err)
	}
	next := l.Next()
	if l.First() != next {
		t.Errorf("first %v, next %v after trimming all", l.First(), next)
	}
	after := openOn(t, d.crash(crashfs.None))
	if after.First() < next {
		t.Errorf("first %v after a crash, want at least %v", after.First(), next)
	}
	wantRecords(t, after, nil)
}

// Trim beside an iterator tells of a failure.
func TestTrimBesideAnIteratorFails(t *testing.T) {
	for _, c := range []call{{verb: "remove", name: "00000001.wal"}, {verb: "sync", name: "."}} {
		d := newDisk()
		l := openOn(t, d)
		fill(t, l, 3)
		for _, err := range l.Records(0) {
			if err != nil {
				t.Fatal(err)
			}
			d.setHook(failOnce(c.verb, c.name))
			wantErr(t, l.Trim(makeLSN(2, 0)), syscall.EIO)
			break
		}
	}
}

// Segments without a link, and nothing else, are no empty directory: the
// first segment of a log has its link before its name.
func TestSegmentsWithoutALinkAreNoNewLog(t *testing.T) {
	d := newDisk()
	if err := d.MkdirAll(logDir, 0); err != nil {
		t.Fatal(err)
	}
	f, err := d.OpenReadWrite(logDir + "/00000003.wal")
	if err != nil {
		t.Fatal(err)
	}
	h := header{version: formatVersion, segment: 3, id: [16]byte{9}}
	if _, err := f.WriteAt(h.appendTo(nil), 0); err != nil {
		t.Fatal(err)
	}
	_, err = Open(logDir, Options{FS: d})
	wantErr(t, err, ErrCorrupt)
}

// The log goes on when somebody has removed its spare.
func TestVanishedSpareIsDoneWithout(t *testing.T) {
	d := newDisk()
	l := openOn(t, d)
	fill(t, l, 4)
	if err := l.Trim(makeLSN(3, 0)); err != nil {
		t.Fatal(err)
	}
	l.prepare.mu.Lock()
	l.prepare.spare = true
	err := l.dir.remove(spareName)
	l.prepare.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	fill(t, l, 8)
}

// A life that lost a name does not end clean: the next one would go on with
// segments by names that may not last.
func TestLostNameIsNoCleanClose(t *testing.T) {
	d := newDisk()
	l := openOn(t, d)
	fill(t, l, 3)
	d.setHook(failOnce("sync", "."))
	wantErr(t, l.Trim(makeLSN(2, 0)), syscall.EIO)
	wantErr(t, l.Close(), syscall.EIO)
	l = openOn(t, d)
	if l.Recovery().Clean {
		t.Error("clean after a failed sync of the directory")
	}
}
