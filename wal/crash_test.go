package wal

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
)

var (
	crashSeed  = flag.Uint64("crash.seed", 1, "first seed of TestCrashLosesNothingAcknowledged")
	crashSeeds = flag.Uint64("crash.seeds", 8, "how many seeds it takes from there")
)

// TestCrashLosesNothingAcknowledged lives through many lives of a log, by
// seed: batches, syncs, trims, clean and failed closes, and crashes. Before
// each call that changes the disk it cuts the power in a copy of it, keeping
// any subset of what was not synced, and recovers: all that was acknowledged
// must be there, in whole batches, and nothing else (promise 5). It cuts the
// power again during that recovery, and after it: what Open has shown must
// survive (promise 6). Trimming must never look like a hole.
func TestCrashLosesNothingAcknowledged(t *testing.T) {
	for seed := *crashSeed; seed < *crashSeed+*crashSeeds; seed++ {
		w := &world{t: t, rand: rand.New(rand.NewPCG(seed, 1)), disk: newDisk()}
		if err := w.live(); err != nil {
			t.Fatalf("seed %d: %v\nagain: go test -run %s -crash.seed %d -crash.seeds 1", seed, err, t.Name(), seed)
		}
	}
}

// world is a disk, a log on it, and what is to be true of them.
type world struct {
	t    testing.TB
	rand *rand.Rand
	disk *disk
	book ledger
	trim int   // the first batch that the trim under way must keep
	err  error // of the first crash that did harm
}

// live lives five lives.
func (w *world) live() error {
	w.book.t = w.t
	for life := range 5 {
		w.disk.setHook(w.beforeCall)
		l, err := openStill(w.disk)
		if err != nil {
			return errors.Join(w.err, fmt.Errorf("life %d: %w", life, err))
		}
		w.book.log = l
		if err := errors.Join(w.act(), w.err); err != nil {
			return errors.Join(fmt.Errorf("life %d: %w", life, err), l.Close())
		}
		if err := errors.Join(w.end(), w.err); err != nil {
			return fmt.Errorf("end of life %d: %w", life, err)
		}
	}
	return nil
}

// openStill opens the log of a disk without a goroutine: its preparer works
// when settle says so, so that calls come in one order.
func openStill(d *disk) (*Log, error) {
	o := Options{FS: d, SegmentSize: small}.withDefaults()
	l, err := open(logDir, o, [16]byte{1: 7})
	if err == nil {
		close(l.prepare.done)
	}
	return l, err
}

// mustOpenStill is openStill for tests that watch the calls.
func mustOpenStill(t testing.TB, d *disk) *Log {
	t.Helper()
	l, err := openStill(d)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// settle lets the preparer do what it owes.
func settle(l *Log) {
	for l.prepare.step() {
	}
}

func (w *world) act() error {
	for range 25 {
		var err error
		switch w.rand.IntN(9) {
		default:
			err = w.book.append(1+w.rand.IntN(3), w.rand.IntN(600))
		case 0, 1, 2:
			err = w.book.sync()
		case 3:
			settle(w.book.log)
		case 4:
			err = w.cut(w.rand.IntN(3) == 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cut trims somewhere, or everything.
func (w *world) cut(all bool) error {
	b := w.book.batches
	if len(b) == w.book.trimmed {
		return nil
	}
	if w.trim = w.book.trimmed + w.rand.IntN(len(b)-w.book.trimmed); all {
		if err := w.book.sync(); err != nil {
			return err
		}
		w.trim = len(b)
		w.book.trimmed = w.trim
		return w.book.log.Trim(w.book.log.Next())
	}
	w.book.trimmed = w.trim
	return w.book.log.Trim(b[w.trim].lsn)
}

// end ends a life: cleanly, by a power cut, or by a failed sync and then
// perhaps a power cut.
func (w *world) end() error {
	l := w.book.log
	switch w.rand.IntN(3) {
	case 0:
		err := l.Close()
		w.book.acked = len(w.book.batches)
		return err
	case 1:
		w.disk.setHook(nil)
		after := w.disk.crash(coin(w.rand.Uint64()))
		if err := l.Close(); err != nil {
			return err
		}
		w.disk = after
		return w.adopt()
	}
	w.disk.setHook(func(c call) error {
		if _, segment := parseSegmentName(c.name); segment && c.verb == "sync" {
			return syscall.EIO
		}
		return nil
	})
	err := errors.Join(w.book.append(1, w.rand.IntN(400)), w.book.sync())
	w.disk.setHook(nil)
	if cerr := l.Close(); !errors.Is(err, syscall.EIO) || !errors.Is(cerr, syscall.EIO) {
		return fmt.Errorf("a failed sync gave %v, and Close after it %v", err, cerr)
	}
	if w.rand.IntN(2) == 0 {
		w.disk = w.disk.crash(coin(w.rand.Uint64()))
	}
	return w.adopt()
}

// adopt takes over as durable what a recovery shows.
func (w *world) adopt() error {
	l, err := openStill(w.disk)
	if err != nil {
		return err
	}
	held, err := w.book.check(l, w.book.acked)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	w.book.batches, w.book.acked = w.book.batches[:held], held
	w.book.trimmed = min(w.book.trimmed, held)
	return l.Close()
}

// beforeCall cuts the power in copies of the disk.
func (w *world) beforeCall(c call) error {
	keep := coin(w.rand.Uint64())
	switch w.rand.IntN(8) {
	case 0:
		keep = keepAll
	case 1:
		keep = keepNone
	}
	if err := w.crash(keep); err != nil && w.err == nil {
		w.err = fmt.Errorf("power cut before %v: %w", c, err)
	}
	return nil
}

func (c call) String() string {
	return fmt.Sprintf("%s %s %s at %d, %d bytes", c.verb, c.name, c.to, c.off, len(c.data))
}

// crash recovers from one power cut, and from a second one on the way.
func (w *world) crash(keep func() bool) error {
	d := w.disk.crash(keep)
	var again *disk
	left := w.rand.IntN(12)
	d.setHook(func(call) error {
		if left--; left == 0 {
			again = d.crash(keep)
		}
		return nil
	})
	held, err := w.recover(d, w.book.acked)
	if err != nil {
		return err
	}
	if again != nil {
		if _, err := w.recover(again, w.book.acked); err != nil {
			return fmt.Errorf("and again in recovery: %w", err)
		}
	}
	if _, err := w.recover(d, held); err != nil {
		return fmt.Errorf("and again after recovery: %w", err)
	}
	return nil
}

// recover opens a disk and returns how many batches it holds, of which acked
// must be there. It leaves the disk as a power cut after Open does.
func (w *world) recover(d *disk, acked int) (int, error) {
	l, err := openStill(d)
	if err != nil {
		return 0, err
	}
	d.setHook(nil)
	after := d.crash(keepNone)
	held, err := w.book.check(l, acked)
	if err := errors.Join(err, l.Close()); err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cache, d.media = after.cache, after.media
	return held, nil
}
