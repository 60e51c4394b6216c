package wal_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"walbench.example/commit"
	"walbench.example/wal"
	"walbench.example/wal/crashfs"
)

const (
	worldDir    = "db/log"
	worldBlocks = 4 << 10 // size of segments
)

// world is a disk, a log on it, and the book of what the log owes. Places are
// counts of the changes of the disk.
type world struct {
	seed uint64
	rand *rand.Rand // of the sessions, one after the other
	disk *crashfs.FS

	mu      sync.Mutex
	entries []*entry
	trims   []trim
	serial  int
	err     error // the first broken promise seen while living

	armed   bool // a fault may have hit the session
	durable wal.LSN
}

// entry is a record, or a batch, that was appended.
type entry struct {
	recs  [][]byte
	lsn   wal.LSN // of the last record
	begun int     // it cannot be there before
	acked int     // from there on it must be
	shown bool    // not because of a Commit that returned nil, but because Open showed it
	dead  int     // from there on it must not be: a recovery did not show it
}

const never = math.MaxInt

// trim is a request to give up what is below lsn: from begun on it may be gone.
type trim struct {
	lsn   wal.LSN
	begun int
}

// broken is a broken promise.
func broken(promise int, format string, args ...any) error {
	return fmt.Errorf("promise %d: %w", promise, fmt.Errorf(format, args...))
}

func newWorld(seed uint64) *world {
	return &world{seed: seed, rand: rand.New(rand.NewPCG(seed, 1)), disk: crashfs.New()}
}

func (w *world) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

// live lives one life: two sessions on one disk, without a crash in between.
func (w *world) live(t *testing.T) {
	for range 2 {
		synctest.Test(t, func(*testing.T) {
			w.disk.Intercept(w.takeTime)
			defer w.disk.Intercept(nil)
			w.session()
		})
		if w.err != nil {
			return
		}
	}
}

// takeTime makes each call that changes the disk take its own time.
func (w *world) takeTime(o crashfs.Op) error {
	if o.Changes() {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %v", w.seed, o)
		d := 1 + h.Sum64()%100_000
		if o.Kind == crashfs.Sync {
			d *= 5
		}
		time.Sleep(time.Duration(d))
	}
	return nil
}

// reborn returns a world that goes on from a power cut somewhere in this life.
func (w *world) reborn() *world {
	place := w.rand.IntN(w.disk.Changes() + 1)
	for at, crash := range w.disk.Cuts() {
		if at < place {
			continue
		}
		after := &world{seed: w.seed, rand: w.rand, disk: crash(crashfs.Seed(w.rand.Uint64())), serial: w.serial}
		for _, e := range w.entries {
			if e.begun > at || e.dead <= at {
				continue
			}
			acked := never
			if e.acked <= at {
				acked = 0
			}
			after.entries = append(after.entries, &entry{recs: e.recs, lsn: e.lsn, acked: acked, shown: e.shown, dead: never})
		}
		for _, t := range w.trims {
			if t.begun <= at {
				after.trims = append(after.trims, trim{lsn: t.lsn})
			}
		}
		return after
	}
	panic("no such place")
}

// session opens the log, holds what it shows against the book, lets writers
// and others work, and closes it.
func (w *world) session() {
	log, err := wal.Open(worldDir, wal.Options{FS: w.disk, SegmentSize: worldBlocks, BufferSize: 8 << 10})
	if err != nil {
		w.fail(broken(7, "open: %w", err))
		return
	}
	if err := w.takeOver(log); err != nil {
		w.fail(errors.Join(err, log.Close()))
		return
	}
	w.arm()
	policies := []commit.Policy{commit.Adaptive(), commit.Greedy(), commit.PerWrite(), commit.Window(300*time.Microsecond, 3, 0)}
	c, err := commit.New(log, commit.Options{Policy: policies[w.rand.IntN(len(policies))], MaxPending: 1 << 10 << w.rand.IntN(5)})
	if err != nil {
		w.fail(err)
		return
	}
	w.work(log, c)
	cerr := c.Close()
	lerr := log.Close()
	hits := w.disarm()
	if err := errors.Join(cerr, lerr); err != nil && !hits {
		w.fail(broken(13, "close: %w", err))
	}
	if hits && w.rand.IntN(2) == 0 {
		w.disk.DropCaches()
	}
	if cerr == nil && lerr == nil {
		w.closedWell()
	}
}

// takeOver reads what a log shows after Open: it must be there from now on,
// and what it does not show must never be there again, trimmed or not: Open
// has synced the directory.
func (w *world) takeOver(log *wal.Log) error {
	now := w.disk.Changes()
	v := &verdict{world: w, at: now}
	shown, err := v.read(log)
	if err != nil {
		return err
	}
	for _, e := range w.entries {
		if e.dead != never {
			continue
		}
		if slices.Contains(shown, e) {
			e.shown = e.acked == never
			e.acked = min(e.acked, now)
		} else {
			e.dead = now
		}
	}
	w.durable = log.Durable()
	return nil
}

// closedWell says that all appended was acknowledged by Close.
func (w *world) closedWell() {
	now := w.disk.Changes()
	for _, e := range w.entries {
		if e.dead == never {
			e.acked = min(e.acked, now)
		}
	}
}

// arm sets one of the faults that a session may meet, or none.
func (w *world) arm() {
	f := crashfs.Fault{Skip: w.rand.IntN(12), Err: syscall.EIO, Name: "*.wal"}
	switch w.rand.IntN(12) {
	case 0, 1:
		f.Kind = crashfs.Sync
	case 2:
		f.Kind = crashfs.Write
	case 3:
		f.Kind, f.Err = crashfs.Write, crashfs.ShortWrite{N: w.rand.IntN(700), Err: syscall.EIO}
	case 4:
		f.Kind, f.Name = crashfs.Sync, "log"
	case 5:
		f.Kind, f.Name, f.Skip = crashfs.Sync, "next", w.rand.IntN(3)
	case 6:
		f.Kind, f.Name = crashfs.Rename, ""
		f.Skip = w.rand.IntN(4)
	case 7:
		f.Kind, f.Name = crashfs.Remove, ""
		f.Skip = w.rand.IntN(3)
	case 8:
		w.disk.SetFree(int64(w.rand.IntN(4 * worldBlocks)))
		w.armed = true
		return
	default:
		return
	}
	w.armed = true
	w.disk.Fail(f)
}

// disarm reports whether a fault may have hit.
func (w *world) disarm() bool {
	w.disk.Heal()
	w.disk.SetFree(math.MaxInt64)
	armed := w.armed
	w.armed = false
	return armed
}

// work runs the goroutines of a session to their end.
func (w *world) work(log *wal.Log, c *commit.Committer) {
	var all, writers sync.WaitGroup
	done := make(chan struct{})
	for n := range 1 + w.rand.IntN(6) {
		r := rand.New(rand.NewPCG(w.rand.Uint64(), uint64(n)))
		writers.Go(func() { w.write(log, c, n, r) })
	}
	trimming := rand.New(rand.NewPCG(w.rand.Uint64(), 1))
	all.Go(func() { w.trim(log, trimming, done) })
	all.Go(func() { w.watch(log, done) })
	writers.Wait()
	close(done)
	all.Wait()
}

// think waits for a time that no other goroutine waits for.
func think(r *rand.Rand, longest time.Duration) {
	time.Sleep(1 + time.Duration(r.Int64N(int64(longest))))
}

// write is one writer.
func (w *world) write(log *wal.Log, c *commit.Committer, number int, r *rand.Rand) {
	ctx := context.Background()
	for range 3 + r.IntN(10) {
		think(r, 400*time.Microsecond)
		e := w.newEntry(number, r)
		var err error
		if len(e.recs) == 1 {
			e.lsn, err = c.Commit(ctx, e.recs[0])
		} else {
			e.lsn, err = c.CommitBatch(ctx, e.recs)
		}
		stamp, durable := w.disk.Changes(), log.Durable()
		rejected := err != nil && !errors.Is(err, commit.ErrIndeterminate)
		w.mu.Lock()
		if !rejected {
			w.entries = append(w.entries, e)
		}
		if err == nil {
			e.acked = stamp
		}
		w.mu.Unlock()
		switch {
		case err == nil && durable <= e.lsn:
			w.fail(broken(1, "%v was acknowledged, and durable is all below %v", e.lsn, durable))
			return
		case err == nil:
		case !w.armed:
			w.fail(broken(4, "commit: %w", err))
			return
		case !errors.Is(err, wal.ErrNoSpace):
			return
		}
	}
}

func (w *world) newEntry(writer int, r *rand.Rand) *entry {
	e := &entry{begun: w.disk.Changes(), acked: never, dead: never}
	w.mu.Lock()
	w.serial++
	serial := w.serial
	w.mu.Unlock()
	for i := range 1 + r.IntN(3)*r.IntN(2) {
		rec := fmt.Appendf(nil, "writer %d, entry %d, record %d;", writer, serial, i)
		for range r.IntN(1 + r.IntN(700)) {
			rec = append(rec, byte(r.Uint32()))
		}
		if i > 0 && r.IntN(8) == 0 {
			rec = nil
		}
		e.recs = append(e.recs, rec)
	}
	return e
}

// trim trims now and then, at an acknowledged record or everything.
func (w *world) trim(log *wal.Log, r *rand.Rand, done <-chan struct{}) {
	for {
		think(r, 3*time.Millisecond)
		select {
		case <-done:
			return
		default:
		}
		lsn := log.Next()
		w.mu.Lock()
		if len(w.entries) > 0 && r.IntN(4) > 0 {
			lsn = w.entries[r.IntN(len(w.entries))].lsn
		}
		w.trims = append(w.trims, trim{lsn, w.disk.Changes()})
		w.mu.Unlock()
		if lsn > log.Next() {
			continue
		}
		if err := log.Trim(lsn); err != nil && !w.armed {
			w.fail(broken(4, "trim: %w", err))
		}
	}
}

// watch reads while others write: what is shown is durable, and that only
// grows.
func (w *world) watch(log *wal.Log, done <-chan struct{}) {
	durable := w.durable
	for {
		time.Sleep(777 * time.Microsecond)
		select {
		case <-done:
			return
		default:
		}
		if now := log.Durable(); now < durable {
			w.fail(broken(2, "durable went from %v to %v", durable, now))
		} else {
			durable = now
		}
		for rec, err := range log.Records(0) {
			if err == nil && rec.LSN >= log.Durable() {
				w.fail(broken(2, "a reader was shown %v, durable is all below %v", rec.LSN, log.Durable()))
			}
			if err != nil && !errors.Is(err, wal.ErrTrimmed) {
				w.fail(broken(3, "a reader met %w", err))
			}
		}
	}
}
