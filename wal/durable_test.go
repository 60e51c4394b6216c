package wal

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"

	"walbench.example/wal/crashfs"
)

// TestSyncedRecordSurvivesWithItsNames cuts the power, keeping nothing that
// was not synced, right after each Sync: the record, the name of its segment
// and those of the directories that Open made must be there (promise 1).
func TestSyncedRecordSurvivesWithItsNames(t *testing.T) {
	for _, dir := range []string{logDir, logDir + "/"} {
		d := newDisk()
		l, err := Open(dir, Options{FS: d, SegmentSize: small})
		if err != nil {
			t.Fatal(err)
		}
		g := &ledger{t: t, log: l}
		for range 30 {
			g.put(1, 300)
			after := d.crash(crashfs.None)
			r, err := Open(logDir, Options{FS: after, SegmentSize: small})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := g.check(r, g.acked); err != nil {
				t.Fatal(err)
			}
			mustClose(t, r)
		}
		mustClose(t, l)
	}
}

// A directory that an earlier Open made, and whose name it did not live to
// sync, is synced by the next one.
func TestOpenSyncsTheNameOfItsDirectory(t *testing.T) {
	for _, dir := range []string{logDir, logDir + "/"} {
		d := newDisk()
		if err := d.MkdirAll(logDir, 0o700); err != nil {
			t.Fatal(err)
		}
		mustSyncDir(t, d, ".")
		l, err := Open(dir, Options{FS: d, SegmentSize: small})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.crash(crashfs.None).Stat(logDir); err != nil {
			t.Errorf("Open(%q) left the directory's name undurable: %v", dir, err)
		}
		mustClose(t, l)
	}
}

// TestDurableOnlyGrows watches Durable and what Records shows while the disk
// is asked to write and sync: neither may be ahead of the last barrier that
// returned nil (promise 2).
func TestDurableOnlyGrows(t *testing.T) {
	d := newDisk()
	l := mustOpenStill(t, d)
	var last LSN
	check := func() {
		if now := l.Durable(); now < last {
			t.Errorf("durable went from %v to %v", last, now)
		} else {
			last = now
		}
	}
	for i := range 40 {
		before := l.Durable()
		lsn, err := l.Append(payload(i, 250))
		if errors.Is(err, ErrFull) {
			if err := l.Sync(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		d.setHook(func(c call) error {
			check()
			// The barrier of this record's own segment is still to come.
			if c.verb == "sync" || c.verb == "write" {
				if l.Durable() > lsn {
					t.Errorf("%v is said to be durable before %v", lsn, c)
				}
				for r, err := range l.Records(0) {
					if err != nil || r.LSN >= lsn {
						t.Errorf("Records shows %v (%v) before %v", r.LSN, err, c)
					}
				}
			}
			return nil
		})
		if l.Durable() != before {
			t.Errorf("Append moved durable from %v to %v", before, l.Durable())
		}
		err = l.Flush(nil)
		d.setHook(nil)
		settle(l)
		if err != nil {
			t.Fatal(err)
		}
		if check(); last <= lsn {
			t.Errorf("durable is %v after the flush of %v", last, lsn)
		}
	}
}

func TestFailedFlushIsNeverShown(t *testing.T) {
	d := newDisk()
	l := openOn(t, d)
	put(t, l, []byte("durable"))
	durable := l.Durable()
	d.setHook(failing("sync", "00000001.wal", syscall.EIO))
	if _, err := l.Append([]byte("lost")); err != nil {
		t.Fatal(err)
	}
	wantErr(t, l.Sync(), syscall.EIO)
	if l.Durable() != durable {
		t.Errorf("durable went from %v to %v by a failed sync", durable, l.Durable())
	}
	wantRecords(t, l, [][]byte{[]byte("durable")})
}

// failing makes one kind of call on one file fail.
func failing(verb, name string, err error) func(call) error {
	return func(c call) error {
		if c.verb == verb && c.name == name {
			return err
		}
		return nil
	}
}

// TestAcknowledgedBytesNeverChange watches every write and truncation of a
// segment: it must leave the bytes below the durable end as they are
// (promise 3). Recovery writes them again, unchanged.
func TestAcknowledgedBytesNeverChange(t *testing.T) {
	d := newDisk()
	var l *Log
	watch := func(c call) error {
		number, ok := parseSegmentName(c.name)
		if !ok {
			return nil
		}
		img := d.image()[c.name]
		end := int64(len(img))
		if l != nil && l.Durable().Segment() == number {
			end = min(end, l.Durable().Offset())
		} else if l == nil || l.Durable().Segment() < number {
			return nil
		}
		switch {
		case c.verb == "truncate" && c.off < end && l.Durable().Segment() == number:
			t.Errorf("%v below %d", c, end)
		case c.verb == "write" && c.off < end:
			if n := min(end-c.off, int64(len(c.data))); !bytes.Equal(img[c.off:c.off+n], c.data[:n]) && lastUsed(img[c.off:c.off+n]) > 0 {
				t.Errorf("%v changes bytes below %d", c, end)
			}
		}
		return nil
	}
	for life := range 6 {
		l = mustOpenStill(t, d)
		d.setHook(watch)
		for i := range 20 {
			put(t, l, payload(i, 30*i))
			settle(l)
		}
		d.setHook(nil)
		if life%2 == 0 {
			after := d.crash(crashfs.Seed(uint64(life)))
			mustClose(t, l)
			d = after
			continue
		}
		mustClose(t, l)
	}
}

// TestConcurrentUse appends, syncs, reads and trims at once; the records come
// back whole, and nothing looks corrupt. Run it with -race.
func TestConcurrentUse(t *testing.T) {
	l := mustOpen(t, t.TempDir(), Options{SegmentSize: small, Sync: SyncNone})
	const writers, each = 4, 150
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				rec := fmt.Appendf(nil, "%d/%d %s", w, i, bytes.Repeat([]byte{'x'}, i))
				_, err := l.Append(rec)
				for errors.Is(err, ErrFull) {
					if err = l.Sync(); err == nil {
						_, err = l.Append(rec)
					}
				}
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() { // trims all but the last segments
		for !closed(done) {
			if err := l.Trim(makeLSN(max(l.Durable().Segment(), 2)-1, 0)); err != nil {
				t.Errorf("Trim: %v", err)
				return
			}
		}
	})
	others.Go(func() { // reads
		for !closed(done) {
			var last LSN
			for r, err := range l.Records(0) {
				if err != nil {
					if !errors.Is(err, ErrTrimmed) {
						t.Errorf("Records: %v", err)
						return
					}
					break
				}
				if r.LSN <= last || len(r.Data) == 0 {
					t.Errorf("record %v after %v", r.LSN, last)
				}
				last = r.LSN
			}
			if f, n := l.First(), l.Next(); f > n {
				t.Errorf("first %v is above next %v", f, n)
			}
			l.Stats()
		}
	})
	others.Go(func() { // looks at it as another process would
		for !closed(done) {
			if _, err := Verify(l.dir.path, Options{}); err != nil && !errors.Is(err, ErrTrimmed) {
				t.Errorf("Verify beside the writer: %v", err)
				return
			}
		}
	})
	wg.Wait()
	close(done)
	others.Wait()
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
