package wal

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"walbench.example/wal/crashfs"
)

// The tests of this file damage the image of a log in every way of one kind
// and open it. Three outcomes are right: exactly the records; a
// *CorruptionError; or a prefix, reported, that reaches to the highest promise
// that the damage spared.

// verdict opens a damaged log. spared is the highest position that intact
// frames promise. From each outcome that was not seen before the log must be
// able to go on.
func (v *victim) verdict(img image, spared LSN) error {
	g := v.ledger
	d := img.disk()
	l, err := openStill(d)
	var c *CorruptionError
	if errors.As(err, &c) {
		if c.Segment == "" || c.Reason == "" || !errors.Is(err, ErrCorrupt) {
			return fmt.Errorf("a corruption without a place: %v", err)
		}
		if !sameImage(img, d.image()) {
			return fmt.Errorf("Open changed a corrupt log (%v)", err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("Open: %w", err)
	}
	defer l.Close()
	held, err := g.check(l, 0)
	if errors.As(err, &c) {
		return nil
	}
	if err != nil {
		return err
	}
	if n := len(g.batches); held < n {
		if l.Recovery().Clean {
			return fmt.Errorf("%d of %d batches, and recovery says clean: %+v", held, n, l.Recovery())
		}
		if lsn := g.batches[held].lsn; lsn < spared {
			return fmt.Errorf("batch %d at %v is lost in silence: %v was promised", held, lsn, spared)
		}
	}
	if err := l.Close(); err != nil {
		return fmt.Errorf("Close: %w", err)
	}
	r := l.Recovery()
	outcome := fmt.Sprint(held, r.Clean, r.End, r.TornBytes > 0, len(r.Dead))
	v.mu.Lock()
	seen := v.seen[outcome]
	v.seen[outcome] = true
	v.mu.Unlock()
	if seen {
		return nil
	}
	return g.goOn(d, held)
}

// victim is a log to be damaged.
type victim struct {
	*ledger
	image image

	mu   sync.Mutex
	seen map[string]bool
}

func sameImage(a, b image) bool {
	return maps.EqualFunc(a.without(lockName), b.without(lockName), bytes.Equal)
}

// promises returns the highest promise of the frames of an image that stand
// wholly outside a range of one file.
func promises(img image, name string, from, to int) LSN {
	var best LSN
	for _, n := range img.segments() {
		number, _ := parseSegmentName(n)
		h, err := decodeHeader(img[n])
		if err != nil {
			continue
		}
		for off := int64(headerSize); off < int64(len(img[n])); {
			f, ok := decodeFrame(img[n][off:], makeLSN(number, off), h.seed())
			if !ok {
				break
			}
			if n != name || off+f.size() <= int64(from) || off >= int64(to) {
				best = max(best, promise(f))
			}
			off += f.size()
		}
	}
	return best
}

// everyVictim runs a test on logs that were closed and that were not, with a
// last segment of more than one sector and of less.
func everyVictim(t *testing.T, test func(t *testing.T, v *victim)) {
	type kind struct {
		clean bool
		last  int
	}
	kinds := []kind{{true, 4}, {true, 1}, {false, 4}}
	for _, kind := range kinds {
		t.Run(fmt.Sprintf("clean=%v/last=%d", kind.clean, kind.last), func(t *testing.T) {
			g, img := sample(t, kind.clean, kind.last)
			if n := len(img.segments()); n < 3 {
				t.Fatalf("the sample has %d segments, want 3 or more", n)
			}
			v := &victim{ledger: g, image: img, seen: map[string]bool{}}
			if err := v.verdict(img, g.batches[len(g.batches)-1].lsn+1); err != nil {
				t.Fatalf("undamaged: %v", err)
			}
			test(t, v)
		})
	}
}

// every runs test for each number below n, on all processors, and fails with
// the error of the smallest.
func every(t *testing.T, n int, test func(i int) error) {
	t.Helper()
	var (
		next    atomic.Int64
		workers sync.WaitGroup
		mu      sync.Mutex
		first   = n
		failure error
	)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				if uint32(i)*2654435761>>16%rareUnderRace != 0 { // scattered
					continue
				}
				if err := test(i); err != nil {
					mu.Lock()
					defer mu.Unlock()
					if i < first {
						first, failure = i, err
					}
					return
				}
			}
		})
	}
	workers.Wait()
	if failure != nil {
		t.Fatal(failure)
	}
}

func TestFlippedBitIsFoundOrHarmless(t *testing.T) {
	everyVictim(t, func(t *testing.T, v *victim) {
		img := v.image
		for _, name := range img.segments() {
			every(t, 8*len(img[name]), func(i int) error {
				damaged := img.with(name, bytes.Clone(img[name]))
				damaged[name][i/8] ^= 1 << (i % 8)
				if err := v.verdict(damaged, promises(img, name, i/8, i/8+1)); err != nil {
					return fmt.Errorf("%s, bit %d of byte %d flipped: %w", name, i%8, i/8, err)
				}
				return nil
			})
		}
	})
}

func TestCutFileIsTornOrFound(t *testing.T) {
	everyVictim(t, func(t *testing.T, v *victim) {
		img := v.image
		for _, name := range img.segments() {
			every(t, len(img[name]), func(n int) error {
				damaged := img.with(name, img[name][:n])
				if err := v.verdict(damaged, promises(img, name, n, len(img[name]))); err != nil {
					return fmt.Errorf("%s, cut to %d bytes: %w", name, n, err)
				}
				return nil
			})
		}
	})
}

func TestZeroedSectorIsTornOrFound(t *testing.T) {
	everyVictim(t, func(t *testing.T, v *victim) {
		img := v.image
		for _, name := range img.segments() {
			for from := 0; from < len(img[name]); from += crashfs.SectorSize {
				damaged := img.with(name, bytes.Clone(img[name]))
				to := min(from+crashfs.SectorSize, len(img[name]))
				clear(damaged[name][from:to])
				if err := v.verdict(damaged, promises(img, name, from, to)); err != nil {
					t.Fatalf("%s, sector at %d zeroed: %v", name, from, err)
				}
			}
		}
	})
}

func TestZeroedFirstSectorOfTheOnlySegmentIsCorrupt(t *testing.T) {
	d := newDisk()
	g := &ledger{t: t, log: openOn(t, d)}
	g.put(1, 10)
	g.close()
	img := d.image()
	clear(img[img.segments()[0]])
	_, err := Open(logDir, Options{FS: img.disk()})
	wantErr(t, err, ErrCorrupt)
}

// A removed front reads as a trim, and what comes before it is no loss then.
func TestRemovedSegmentIsATrimOrAHole(t *testing.T) {
	everyVictim(t, func(t *testing.T, v *victim) {
		g, img := v.ledger, v.image
		names := img.segments()
		for i, name := range names {
			damaged := img.without(name)
			l, err := Open(logDir, Options{FS: damaged.disk(), SegmentSize: small})
			number, _ := parseSegmentName(name)
			inUse := number <= g.batches[len(g.batches)-1].lsn.Segment()
			if i > 0 && inUse {
				wantErr(t, err, ErrCorrupt)
				continue
			}
			if err != nil {
				t.Fatalf("without %s: %v", name, err)
			}
			trimmed := *g
			if inUse {
				trimmed.trimmed = len(g.batches)
			}
			if _, err := trimmed.check(l, len(g.batches)); err != nil {
				t.Errorf("without %s: %v", name, err)
			}
			mustClose(t, l)
		}
	})
}

func TestCopiedSegmentIsFoundOrIgnored(t *testing.T) {
	everyVictim(t, func(t *testing.T, v *victim) {
		g, img := v.ledger, v.image
		for _, name := range img.segments() {
			for _, to := range append(img.segments(), "00000009.wal", "0000000a.wal.bak", "copy") {
				if to == name {
					continue
				}
				damaged := img.with(to, img[name])
				if err := v.verdict(damaged, g.batches[len(g.batches)-1].lsn); err != nil {
					t.Errorf("%s copied to %s: %v", name, to, err)
				}
			}
		}
	})
}

func TestSegmentOfAnotherLogIsCorrupt(t *testing.T) {
	_, a := sample(t, true, 4)
	d := newDisk()
	other := &ledger{t: t, log: openOn(t, d)}
	for len(d.image().segments()) < len(a.segments()) {
		other.put(1, 200)
	}
	other.close()
	b := d.image()
	for _, name := range a.segments() {
		mixed := a.with(name, b[name])
		_, err := Open(logDir, Options{FS: mixed.disk()})
		wantErr(t, err, ErrCorrupt)
	}
}

func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got error %v, want %v", err, want)
	}
}

// TestFramesOfAnotherLogAreNoFrames writes the frames of another log behind
// the end of one, at the very LSNs they carry: they are not read (promise 8).
func TestFramesOfAnotherLogAreNoFrames(t *testing.T) {
	logs := [2]image{}
	for i := range logs {
		d := newDisk()
		g := &ledger{t: t, log: openOn(t, d)}
		for range 1 + 2*i {
			g.put(1, 100)
		}
		logs[i] = d.image()
		mustClose(t, g.log)
	}
	name := segmentName(1)
	one, other := logs[0][name], logs[1][name]
	spliced := append(bytes.Clone(one), other[len(one):]...)
	l := openOn(t, logs[0].with(name, spliced).disk())
	if lsns, _ := collect(t, l, 0); len(lsns) != 1 {
		t.Errorf("%d records, want 1", len(lsns))
	}
	if r := l.Recovery(); r.TornBytes == 0 {
		t.Errorf("the frames are no torn tail: %+v", r)
	}
}
