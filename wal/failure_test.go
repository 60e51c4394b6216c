package wal

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"syscall"
	"testing"

	"walbench.example/wal/crashfs"
)

// TestFailedFlushIsFinal fails the write or the sync of a flush in each way,
// once: from then on every call must return that same error, and the file must
// never be written or synced again, not by Close either (promise 4). What was
// durable can still be read, and the next Open recovers it.
func TestFailedFlushIsFinal(t *testing.T) {
	for _, test := range []struct {
		verb string
		err  error
		want error
	}{
		{"sync", syscall.EIO, syscall.EIO},
		{"sync", syscall.ENOSPC, syscall.ENOSPC},
		{"write", syscall.EIO, syscall.EIO},
		{"write", crashfs.ShortWrite{N: 17}, io.ErrShortWrite},
		{"write", crashfs.ShortWrite{N: 0}, io.ErrShortWrite},
	} {
		t.Run(fmt.Sprintf("%s %v", test.verb, test.err), func(t *testing.T) {
			d := newDisk()
			l := openOn(t, d)
			put(t, l, []byte("durable"))
			var calls atomic.Int64
			d.setHook(func(c call) error {
				if c.name != "00000001.wal" || c.verb != "write" && c.verb != "sync" {
					return nil
				}
				if calls.Add(1); c.verb == test.verb {
					return test.err
				}
				return nil
			})
			if _, err := l.Append([]byte("lost")); err != nil {
				t.Fatal(err)
			}
			first := l.Sync()
			wantErr(t, first, test.want)
			before := calls.Load()
			_, aerr := l.Append([]byte("more"))
			_, berr := l.AppendBatch([][]byte{{}})
			for name, err := range map[string]error{"Append": aerr, "AppendBatch": berr, "Sync": l.Sync(), "Flush": l.Flush(nil), "Trim": l.Trim(l.First())} {
				if err != first {
					t.Errorf("%s after the failure: %v, want the first error %v", name, err, first)
				}
			}
			wantRecords(t, l, [][]byte{[]byte("durable")})
			wantErr(t, l.Close(), test.want)
			if n := calls.Load(); n != before {
				t.Errorf("the file was written or synced %d times more", n-before)
			}
			d.setHook(nil)
			r := openOn(t, d)
			if _, recs := collect(t, r, 0); string(recs[0]) != "durable" {
				t.Errorf("recovered %q", recs)
			}
		})
	}
}

// TestFailedCrossingIsFinal fails a flush that crosses, in the segment it
// leaves and in the one it enters.
func TestFailedCrossingIsFinal(t *testing.T) {
	for _, name := range []string{"00000001.wal", "00000002.wal"} {
		for _, verb := range []string{"write", "sync"} {
			d := newDisk()
			l := mustOpenStill(t, d)
			g := &ledger{t: t, log: l}
			for l.next == nil {
				g.put(1, 200)
				settle(l)
			}
			for l.filling.from == nil {
				if err := g.append(1, 200); err != nil {
					t.Fatal(err)
				}
			}
			durable := l.Durable()
			d.setHook(failing(verb, name, syscall.EIO))
			first := l.Sync()
			wantErr(t, first, syscall.EIO)
			if l.Durable() > durable && name == "00000001.wal" {
				t.Errorf("%s %s failed, and durable went from %v to %v", verb, name, durable, l.Durable())
			}
			d.setHook(nil)
			if err := l.Sync(); err != first {
				t.Errorf("Sync after %s %s failed: %v", verb, name, err)
			}
			wantErr(t, l.Close(), syscall.EIO)
			r := openOn(t, d.crash(crashfs.None))
			if _, err := g.check(r, g.acked); err != nil {
				t.Errorf("%s %s: %v", verb, name, err)
			}
		}
	}
}

// TestRecoveredMeansDurable fails a sync, closes the log, and opens it again
// without a crash: the record is in the cache, marked clean there. What Open
// shows must survive the power cut that follows (promise 6). Where Open cannot
// make it durable, Open fails.
func TestRecoveredMeansDurable(t *testing.T) {
	d := newDisk()
	l := openOn(t, d)
	put(t, l, []byte("durable"))
	d.setHook(failing("sync", "00000001.wal", syscall.EIO))
	if _, err := l.Append([]byte("maybe")); err != nil {
		t.Fatal(err)
	}
	wantErr(t, l.Sync(), syscall.EIO)
	wantErr(t, l.Close(), syscall.EIO)
	want := [][]byte{[]byte("durable"), []byte("maybe")}

	for _, c := range []call{{verb: "write", name: "00000001.wal"}, {verb: "sync", name: "00000001.wal"}, {verb: "sync", name: "."}} {
		d.setHook(failing(c.verb, c.name, syscall.EIO))
		if l, err := Open(logDir, Options{FS: d, SegmentSize: small}); !errors.Is(err, syscall.EIO) {
			t.Errorf("Open with a failing %s of %s: %v", c.verb, c.name, err)
			if err == nil {
				l.Close()
			}
		}
	}
	d.setHook(nil)
	ro := mustOpen(t, logDir, Options{FS: d, ReadOnly: true})
	if lsns, _ := collect(t, ro, 0); ro.Recovery().Promised > lsns[1] {
		t.Errorf("a read-only open promises %v, the sync of %v failed", ro.Recovery().Promised, lsns[1])
	}
	l = openOn(t, d)
	wantRecords(t, l, want)
	after := openOn(t, d.crash(crashfs.None))
	wantRecords(t, after, want)
}

// TestNoSpaceIsARejection fills the disk: an append that needs a next segment
// is refused with ErrNoSpace as often as it is tried, nothing else is harmed,
// and trimming frees the space (promise 4).
func TestNoSpaceIsARejection(t *testing.T) {
	d := newDisk()
	d.SetFree(3 * small)
	l := openOn(t, d)
	g := &ledger{t: t, log: l}
	fill := func() error {
		for range 1000 {
			if err := errors.Join(g.append(1, 300), g.sync()); err != nil {
				return err
			}
		}
		return errors.New("the disk never filled")
	}
	wantErr(t, fill(), ErrNoSpace)
	for range 3 {
		wantErr(t, g.append(1, 300), ErrNoSpace)
	}
	if err := g.sync(); err != nil {
		t.Fatalf("sync on a full disk: %v", err)
	}
	if _, err := g.check(l, len(g.batches)); err != nil {
		t.Fatal(err)
	}
	held := len(g.batches)
	g.trimmed = held
	if err := l.Trim(g.batches[held-1].lsn); err != nil {
		t.Fatalf("Trim on a full disk: %v", err)
	}
	wantErr(t, fill(), ErrNoSpace)
	if len(g.batches) == held {
		t.Error("trimming freed no space")
	}
	g.close()
	r := openOn(t, d)
	if _, err := g.check(r, len(g.batches)); err != nil {
		t.Fatal(err)
	}
}

// TestFullDiskOpensReadsAndTrims recovers with no byte free, after a clean
// close, and after a crash at every length of the newest file.
func TestFullDiskOpensReadsAndTrims(t *testing.T) {
	g, img := sample(t, false, 4)
	name := g.batches[len(g.batches)-1].lsn
	file := segmentName(name.Segment())
	for n := int(name.Offset()) - 400; n <= len(img[file]); n += 8 {
		d := img.with(file, img[file][:n]).disk()
		d.SetFree(0)
		l, err := Open(logDir, Options{FS: d, SegmentSize: small})
		if err != nil {
			t.Fatalf("cut at %d: Open on a full disk: %v", n, err)
		}
		held, err := g.check(l, 0)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if err := l.Trim(g.batches[held-1].lsn); err != nil {
			t.Fatalf("cut at %d: Trim on a full disk: %v", n, err)
		}
		if err := l.Close(); err != nil {
			t.Fatalf("cut at %d: Close on a full disk: %v", n, err)
		}
	}
}

// A segment that is too small for what is next, as a nearly full disk leaves
// it, is replaced: no seal may name it then.
func TestSmallSegmentIsReplacedSafely(t *testing.T) {
	g, img := sample(t, false, 1)
	last := g.batches[len(g.batches)-1].lsn.Segment()
	name := segmentName(last)
	d := img.with(name, img[name][:headerSize]).disk() // sealed, and the link was not written
	d.SetFree(600)
	l := mustOpenStill(t, d)
	held, err := g.check(l, 0)
	if err != nil {
		t.Fatal(err)
	}
	d.SetFree(1 << 20)
	d.setHook(func(c call) error {
		r, err := openStill(d.crash(crashfs.All))
		if err != nil {
			t.Errorf("power cut before %v: %v", c, err)
			return nil
		}
		if _, err := g.check(r, held); err != nil {
			t.Errorf("power cut before %v: %v", c, err)
		}
		return r.Close()
	})
	g.log, g.batches, g.acked = l, g.batches[:held], held
	g.put(1, 3000)
	d.setHook(nil)
}
