package wal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"

	"walbench.example/wal"
	"walbench.example/wal/crashfs"
)

// verdict is on one image: the disk of a world as a power cut left it.
type verdict struct {
	world *world
	at    int // the place of the power cut
	seed  uint64

	acked     int // acknowledged records that had to be there
	tornBytes int64
	dead      int
	again     int
}

// check recovers from an image.
//
//   - A read-only open shows a prefix of what was appended, with all that was
//     acknowledged, in whole batches, and changes nothing.
//   - So does an open for writing, and it shows the same.
//   - A record can be appended and made durable.
//   - A second power cut, anywhere in all that, loses nothing that was
//     acknowledged; after Open, nothing that Open has shown; after the sync of
//     the new record, not that either.
//   - After Close the log opens clean, with everything.
//   - A bit of it that rots then is found, and nothing wrong is shown.
func (v *verdict) check(image *crashfs.FS) error {
	seen, err := v.lookOnly(image)
	if err != nil {
		return err
	}
	log, err := wal.Open(worldDir, options(image))
	if err != nil {
		return broken(7, "a crash alone is no corruption: %w", err)
	}
	shown, err := v.read(log)
	if err == nil && !slices.Equal(seen, shown) {
		err = broken(6, "a read-only open showed %d entries, an open for writing %d", len(seen), len(shown))
	}
	opened := image.Changes()
	fresh := &entry{recs: [][]byte{[]byte("appended after the crash")}, acked: never, dead: never}
	if err == nil {
		err = appendTo(log, fresh)
	}
	synced := image.Changes()
	if err == nil {
		err = v.crashAgain(image, shown, fresh, opened, synced)
	}
	if cerr := log.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		shown = append(slices.Clone(shown), fresh)
		err = reopen(image, shown)
	}
	if err == nil {
		err = rot(image, shown, rand.New(rand.NewPCG(v.seed, 3)))
	}
	return err
}

func options(disk *crashfs.FS) wal.Options {
	return wal.Options{FS: disk, SegmentSize: worldBlocks}
}

// lookOnly opens an image read-only.
func (v *verdict) lookOnly(image *crashfs.FS) ([]*entry, error) {
	before := image.Sum()
	log, err := wal.Open(worldDir, wal.Options{FS: image, ReadOnly: true})
	if errors.Is(err, fs.ErrNotExist) || err != nil && strings.Contains(err.Error(), "holds no log") {
		return nil, v.complete(nil) // nothing was durable yet
	}
	if err != nil {
		return nil, broken(7, "a crash alone is no corruption: %w", err)
	}
	defer log.Close()
	shown, err := v.read(log)
	if err == nil && (image.Sum() != before || image.Changes() != 0) {
		err = broken(6, "a read-only open changed the disk")
	}
	r := log.Recovery()
	v.tornBytes, v.dead = r.TornBytes, len(r.Dead)
	return shown, err
}

// read returns the entries that a log shows, once they are found to be what
// they must be.
func (v *verdict) read(log *wal.Log) ([]*entry, error) {
	owed := v.world.owed(v.at)
	var shown []*entry
	next, part := -1, 0
	for r, err := range log.Records(0) {
		if err != nil {
			return nil, broken(7, "a crash alone is no corruption: %w", err)
		}
		if next < 0 {
			next = slices.IndexFunc(owed, func(e *entry) bool { return bytes.Equal(e.recs[0], r.Data) })
		}
		if next < 0 || next >= len(owed) {
			return nil, broken(8, "%v %.60q is no record that may be there", r.LSN, r.Data)
		}
		e := owed[next]
		if !bytes.Equal(r.Data, e.recs[part]) {
			return nil, broken(5, "%v is %.60q, want record %d of %v, %.60q", r.LSN, r.Data, part, e.lsn, e.recs[part])
		}
		if part++; part == len(e.recs) {
			if r.LSN != e.lsn {
				return nil, broken(5, "the record acknowledged as %v is at %v", e.lsn, r.LSN)
			}
			shown, next, part = append(shown, e), next+1, 0
		}
	}
	if part > 0 {
		return nil, broken(5, "a batch is there in part: %d records of %v", part, owed[next].lsn)
	}
	return shown, v.complete(shown)
}

// complete checks that nothing acknowledged is missing but what was trimmed,
// from the front.
func (v *verdict) complete(shown []*entry) error {
	trimmed := v.world.trimmed(v.at)
	for _, e := range v.world.owed(v.at) {
		if e.acked > v.at {
			continue
		}
		v.acked += len(e.recs)
		if !slices.Contains(shown, e) && e.lsn >= trimmed {
			if e.shown {
				return broken(6, "%v was shown by Open at change %d and is gone; %d entries are there", e.lsn, e.acked, len(shown))
			}
			return broken(1, "%v was acknowledged at change %d and is gone; %d entries are there", e.lsn, e.acked, len(shown))
		}
	}
	for _, e := range v.world.owed(v.at) {
		if len(shown) > 0 && e.lsn < shown[0].lsn && e.lsn >= trimmed {
			return broken(5, "%v is missing before %v", e.lsn, shown[0].lsn)
		}
	}
	return nil
}

// owed returns the entries that may be there after a crash at a place, in the
// order of the log.
func (w *world) owed(at int) []*entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	var owed []*entry
	for _, e := range w.entries {
		if e.begun <= at && at < e.dead {
			owed = append(owed, e)
		}
	}
	slices.SortFunc(owed, func(a, b *entry) int {
		if a.lsn < b.lsn {
			return -1
		}
		return 1
	})
	return owed
}

// trimmed returns below what everything may be gone after a crash at a place.
func (w *world) trimmed(at int) wal.LSN {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lsn wal.LSN
	for _, t := range w.trims {
		if t.begun <= at {
			lsn = max(lsn, t.lsn)
		}
	}
	return lsn
}

func appendTo(log *wal.Log, e *entry) error {
	for {
		var err error
		if e.lsn, err = log.Append(e.recs[0]); err == nil {
			break
		}
		if !errors.Is(err, wal.ErrFull) {
			return broken(4, "append after a crash: %w", err)
		}
		if err := log.Sync(); err != nil {
			return broken(4, "sync after a crash: %w", err)
		}
	}
	if err := log.Sync(); err != nil {
		return broken(4, "sync after a crash: %w", err)
	}
	return nil
}

// crashAgain cuts the power a second time, at two places: somewhere in the
// recovery, and after it.
func (v *verdict) crashAgain(image *crashfs.FS, shown []*entry, fresh *entry, opened, synced int) error {
	r := rand.New(rand.NewPCG(v.seed, 2))
	places := []int{r.IntN(opened + 1), opened + r.IntN(synced-opened+1), synced}
	for at, crash := range image.Cuts() {
		if !slices.Contains(places, at) {
			continue
		}
		v.again++
		after := &world{}
		for _, e := range v.world.owed(v.at) {
			acked := never
			if e.acked <= v.at || at >= opened && slices.Contains(shown, e) {
				acked = 0
			}
			if at >= opened && !slices.Contains(shown, e) {
				continue
			}
			after.entries = append(after.entries, &entry{recs: e.recs, lsn: e.lsn, acked: acked, shown: e.acked > v.at || e.shown, dead: never})
		}
		if at >= opened {
			f := *fresh
			if at >= synced {
				f.acked = 0
			}
			after.entries = append(after.entries, &f)
		}
		after.trims = []trim{{lsn: v.world.trimmed(v.at)}}
		again := crash(crashfs.Seed(r.Uint64()))
		log, err := wal.Open(worldDir, options(again))
		if err != nil {
			return fmt.Errorf("second crash, after change %d of %d: %w", at, synced, broken(7, "a crash alone is no corruption: %w", err))
		}
		_, err = (&verdict{world: after}).read(log)
		if cerr := log.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return fmt.Errorf("second crash, after change %d (Open ended at %d, the sync at %d): %w", at, opened, synced, err)
		}
	}
	return nil
}

// reopen checks that a log closed well is clean and whole.
func reopen(disk *crashfs.FS, want []*entry) error {
	log, err := wal.Open(worldDir, options(disk))
	if err != nil {
		return broken(13, "open after Close: %w", err)
	}
	defer log.Close()
	if r := log.Recovery(); !r.Clean || r.TornBytes > 0 {
		return broken(13, "after Close: %+v", r)
	}
	after := &world{}
	for _, e := range want {
		after.entries = append(after.entries, &entry{recs: e.recs, lsn: e.lsn, dead: never})
	}
	_, err = (&verdict{world: after}).read(log)
	return err
}

// rot flips a bit of a record in a log that was closed well, so that all of it
// is promised: reading must end there with a *wal.CorruptionError.
func rot(disk *crashfs.FS, shown []*entry, r *rand.Rand) error {
	victim := shown[r.IntN(len(shown))]
	last := victim.recs[len(victim.recs)-1]
	off := victim.lsn.Offset() + int64(r.IntN(frameHeader+len(last)))
	name := fmt.Sprintf("%s/%08x.wal", worldDir, victim.lsn.Segment())
	f, err := disk.OpenReadWrite(name)
	if err != nil {
		return err
	}
	var b [1]byte
	if _, err := f.ReadAt(b[:], off); err != nil {
		return err
	}
	b[0] ^= 1 << r.IntN(8)
	if _, err := f.WriteAt(b[:], off); err != nil {
		return err
	}
	err = readRotten(disk, shown)
	var corrupt *wal.CorruptionError
	if !errors.As(err, &corrupt) {
		return broken(7, "a flipped bit at %v+%d was not found: %v", victim.lsn, off-victim.lsn.Offset(), err)
	}
	return nil
}

// frameHeader is how many bytes of a frame stand before its record.
const frameHeader = 16

// readRotten reads a log to its end, or to where it is damaged.
func readRotten(disk *crashfs.FS, shown []*entry) error {
	log, err := wal.Open(worldDir, options(disk))
	if err != nil {
		return err
	}
	defer log.Close()
	var recs [][]byte
	for _, e := range shown {
		recs = append(recs, e.recs...)
	}
	n := 0
	for r, err := range log.Records(0) {
		if err != nil {
			return err
		}
		if n >= len(recs) || !bytes.Equal(r.Data, recs[n]) {
			return fmt.Errorf("%v is %.60q", r.LSN, r.Data)
		}
		n++
	}
	if n < len(recs) {
		return fmt.Errorf("%d of %d records, and no error", n, len(recs))
	}
	return nil
}
