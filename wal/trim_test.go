package wal

import (
	"errors"
	"iter"
	"syscall"
	"testing"

	"walbench.example/wal/crashfs"
)

// TestTrimAllReopensEmpty trims to Next: the log is empty, reopens empty, goes
// on where it was, and hands out no LSN twice.
func TestTrimAllReopensEmpty(t *testing.T) {
	for _, clean := range []bool{true, false} {
		d := newDisk()
		g := &ledger{t: t, log: openOn(t, d)}
		for range 3 {
			for range 15 {
				g.put(1, 200)
			}
			last := g.batches[len(g.batches)-1].lsn
			if err := g.log.Trim(g.log.Next()); err != nil {
				t.Fatal(err)
			}
			g.trimmed = len(g.batches)
			next := g.log.Next()
			if first := g.log.First(); first != next || next <= last {
				t.Errorf("an empty log begins at %v and ends at %v; its last record was %v", first, next, last)
			}
			if clean {
				mustClose(t, g.log)
			} else {
				after := d.crash(crashfs.None)
				mustClose(t, g.log)
				d = after
			}
			g.log = openOn(t, d)
			if g.log.Next() != next || g.log.First() != next {
				t.Errorf("clean=%v: reopened from %v to %v, want the empty log at %v", clean, g.log.First(), g.log.Next(), next)
			}
			if n := len(d.image().segments()); n > 2 {
				t.Errorf("an empty log has %d segments", n)
			}
		}
	}
}

func TestTrimKeepsWhatIsAsked(t *testing.T) {
	d := newDisk()
	l := openOn(t, d)
	g := &ledger{t: t, log: l}
	for range 40 {
		g.put(1, 250)
	}
	for i, b := range g.batches {
		if err := l.Trim(b.lsn); err != nil {
			t.Fatal(err)
		}
		if first := l.First(); first > b.lsn || first.Segment() < b.lsn.Segment() && first.Offset() > small {
			t.Errorf("First is %v after Trim(%v)", first, b.lsn)
		}
		if lsns, _ := collect(t, l, b.lsn); len(lsns) != len(g.batches)-i || lsns[0] != b.lsn {
			t.Fatalf("%d records from %v on, want %d", len(lsns), b.lsn, len(g.batches)-i)
		}
	}
	for _, err := range l.Records(g.batches[0].lsn) {
		wantErr(t, err, ErrTrimmed)
	}
	if err := l.Trim(l.Next() + 8); err == nil {
		t.Error("a trim beyond the end was accepted")
	}
	if err := l.Trim(0); err != nil {
		t.Error(err)
	}
}

// TestFirstNeverSkipsRecords reads while the calls of a trim take place: a log
// reopened knows of its older segments only what it has looked up.
func TestFirstNeverSkipsRecords(t *testing.T) {
	g, img := sample(t, true, 4)
	d := img.disk()
	l := mustOpenStill(t, d)
	last := g.batches[len(g.batches)-1].lsn
	for number := uint32(3); number <= last.Segment(); number++ {
		keep := LSN(0)
		for _, b := range g.batches {
			if b.lsn.Segment() == number && keep == 0 {
				keep = b.lsn
			}
		}
		d.setHook(func(c call) error {
			if first := l.First(); first > keep {
				t.Errorf("First is %v before %v, the trim keeps %v", first, c, keep)
			}
			return nil
		})
		if err := l.Trim(keep); err != nil {
			t.Fatal(err)
		}
		if first := l.First(); first > keep {
			t.Errorf("First is %v after Trim(%v)", first, keep)
		}
		d.setHook(nil)
	}
}

// TestTrimNeverRecyclesUnderAReader trims the segment that an iterator is in
// and those it is about to enter, some in the middle of that, and fills the
// log until the files have been written anew: the reader gets its records or
// ErrTrimmed, and never finds damage.
func TestTrimNeverRecyclesUnderAReader(t *testing.T) {
	for _, enter := range []string{"after", "during"} {
		d := newDisk()
		l, err := open(logDir, Options{FS: d, SegmentSize: 4 * windowSize}.withDefaults(), [16]byte{})
		if err != nil {
			t.Fatal(err)
		}
		close(l.prepare.done)
		g := &ledger{t: t, log: l}
		for l.Durable().Segment() < 5 {
			g.put(1, windowSize/5)
			settle(l)
		}
		want := map[LSN]string{}
		for _, b := range g.batches {
			want[b.lsn] = string(b.recs[0])
		}
		next, stop := iter.Pull2(l.Records(0))
		step := func() (LSN, bool) {
			r, err, ok := next()
			if !ok || errors.Is(err, ErrTrimmed) {
				return 0, false
			}
			if err != nil || string(r.Data) != want[r.LSN] {
				t.Fatalf("entering %s: %v is %.20q (%v), want %.20q", enter, r.LSN, r.Data, err, want[r.LSN])
			}
			return r.LSN, true
		}
		for lsn, _ := step(); lsn.Segment() < 2; lsn, _ = step() {
		}
		entered := false
		if enter == "during" {
			d.setHook(func(c call) error {
				number, ok := parseSegmentName(c.name)
				if !ok || c.to != spareName || entered {
					return nil
				}
				entered = true
				for lsn, ok := step(); ok && lsn.Segment() < number; lsn, ok = step() {
				}
				return nil
			})
		}
		if err := l.Trim(makeLSN(5, 0)); err != nil {
			t.Fatal(err)
		}
		d.setHook(nil)
		if enter == "during" && !entered {
			t.Fatal("nothing was recycled: the test does not test")
		}
		for l.Durable().Segment() < 9 {
			g.put(1, windowSize/5)
			settle(l)
		}
		for _, ok := step(); ok; _, ok = step() {
		}
		stop()
		mustClose(t, l)
	}
}

// A trim that the file system refuses leaves the log as it was from there on.
func TestFailedTrimKeepsTheRest(t *testing.T) {
	d := newDisk()
	l := openOn(t, d)
	g := &ledger{t: t, log: l}
	for l.Durable().Segment() < 5 {
		g.put(1, 250)
	}
	for g.batches[g.trimmed].lsn.Segment() < 3 {
		g.trimmed++
	}
	d.setHook(func(c call) error {
		if c.name == "00000003.wal" && (c.verb == "rename" || c.verb == "remove") {
			return syscall.EACCES
		}
		return nil
	})
	wantErr(t, l.Trim(makeLSN(5, 0)), syscall.EACCES)
	d.setHook(nil)
	if _, err := g.check(l, len(g.batches)); err != nil {
		t.Fatal(err)
	}
	if first, want := l.First(), g.batches[g.trimmed].lsn; first != want {
		t.Errorf("First is %v, want %v", first, want)
	}
	if err := l.Trim(makeLSN(5, 0)); err != nil || l.First().Segment() != 5 {
		t.Errorf("a second trim: %v, First is %v", err, l.First())
	}
}

// TestStaleBytesAreNeverRead goes round in recycled files full of valid frames
// of their former segments, and crashes with every length of the newest
// segment's own bytes: nothing stale may show (promise 8).
func TestStaleBytesAreNeverRead(t *testing.T) {
	d := newDisk()
	l := mustOpenStill(t, d)
	g := &ledger{t: t, log: l}
	for l.Stats().SegmentsRecycled < 3 {
		g.put(1, 300)
		settle(l)
		if n := len(g.batches); n > 20 {
			g.trimmed = n - 15
			if err := l.Trim(g.batches[g.trimmed].lsn); err != nil {
				t.Fatal(err)
			}
		}
	}
	for seed := range uint64(60) {
		g.put(1, int(seed)*5)
		settle(l)
		stale := 0
		for name, b := range d.image() {
			if h, err := decodeHeader(b); err == nil && h.flags&flagRecycled != 0 && name != spareName {
				stale++
			}
		}
		if stale == 0 {
			t.Fatal("nothing is recycled: the test does not test")
		}
		if err := g.append(2, 100); err != nil {
			t.Fatal(err)
		}
		d.setHook(func(c call) error {
			if c.verb != "sync" {
				return nil
			}
			r, err := openStill(d.crash(crashfs.Seed(seed)))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if _, err := g.check(r, g.acked); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return r.Close()
		})
		if err := g.sync(); err != nil {
			t.Fatal(err)
		}
		d.setHook(nil)
	}
}

// Records of zeros and of no bytes are records, and zeros are none.
func TestZerosAreNoRecord(t *testing.T) {
	want := [][]byte{{}, make([]byte, 16), {}, make([]byte, 512), make([]byte, 1)}
	d := newDisk()
	l := openOn(t, d)
	for _, rec := range want {
		put(t, l, rec)
	}
	d = d.crash(crashfs.None)
	l = openOn(t, d)
	wantRecords(t, l, want)
	if r := l.Recovery(); r.TornBytes != 0 {
		t.Errorf("zeros read as torn: %+v", r)
	}
}
