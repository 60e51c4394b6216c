package wal_test

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"walbench.example/wal/crashfs"
)

var (
	crashImages = flag.Int("crash.images", 1000, "how many different images of a crash TestCrashLosesNothingAcknowledged recovers from")
	crashSeed   = flag.Uint64("crash.seed", 1, "seed of its first life")
	crashLives  = flag.Int("crash.lives", 0, "end after so many lives; 0: when there are images enough")
)

// TestCrashLosesNothingAcknowledged lives through lives of a log by seed, and
// cuts the power at each place of each life.
//
// A life runs in virtual time: several writers commit records and batches,
// another goroutine trims, another reads, all over commit, wal and a disk
// whose calls take a time that the seed sets, and some of which fail. Sessions
// end by Close, whatever happened in them, and the next one opens the same
// disk, or what a power cut left of it. So there is one order of calls for
// each seed, and a failure replays.
//
// Then, for every change that the disk saw, the disk is taken as a power cut
// there leaves it, by several seeds, and recovered: see crashcheck_test.go for
// what must be true of it. Images that read the same count once.
func TestCrashLosesNothingAcknowledged(t *testing.T) {
	c := &tally{t: t, seen: map[uint64]bool{}, want: *crashImages}
	lives := 0
	for seed := *crashSeed; !t.Failed() && (*crashLives == 0 && c.images() < c.want || lives < *crashLives); seed++ {
		liveAndCheck(t, seed, c)
		lives++
	}
	t.Logf("%d lives, %d different images of crashes: %d acknowledged records checked, %d torn tails (%d bytes), %d dead segments, %d second crashes; lost: %d",
		lives, len(c.seen), c.acked, c.torn, c.tornBytes, c.dead, c.again, c.lost)
	if c.torn == 0 && !t.Failed() {
		t.Error("no image had a torn tail: this test has not tested what it is for")
	}
}

// liveAndCheck lives the lives of one seed, each on the disk that a crash of
// the one before left, and checks every crash of each.
func liveAndCheck(t *testing.T, seed uint64, c *tally) {
	w := newWorld(seed)
	for generation := range generations {
		w.live(t)
		err := w.err
		if err == nil {
			err = c.crashes(w)
		}
		if err != nil {
			t.Errorf("seed %d, life %d: %v\nagain: go test ./wal -run '^%s$' -crash.seed=%d -crash.lives=1", seed, generation, err, t.Name(), seed)
			return
		}
		if generation+1 < generations {
			w = w.reborn()
		}
	}
}

// generations is how many lives a seed lives.
const generations = 3

// tally counts what was checked.
type tally struct {
	t    *testing.T
	want int

	mu        sync.Mutex
	seen      map[uint64]bool // hashes of images
	acked     int
	torn      int
	tornBytes int64
	dead      int
	again     int
	lost      int
	err       error // of the earliest place
	errSeed   uint64
}

func (c *tally) images() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.seen)
}

// cutSeeds is how many images are taken of each place.
const cutSeeds = 2

// crashes checks images of every place in the life of a world.
func (c *tally) crashes(w *world) error {
	jobs := make(chan func())
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for job := range jobs {
				job()
			}
		})
	}
	for at, crash := range w.disk.Cuts() {
		for k := range uint64(cutSeeds) {
			seed := w.seed<<20 + uint64(at)*cutSeeds + k
			image := crash(crashfs.Seed(seed))
			if *crashLives == 0 && c.images() >= c.want {
				continue
			}
			jobs <- func() { c.image(w, at, seed, image) }
		}
	}
	close(jobs)
	workers.Wait()
	return c.err
}

func (c *tally) image(w *world, at int, seed uint64, image *crashfs.FS) {
	sum := image.Sum()
	hash := uint64(0)
	for _, b := range sum[:8] {
		hash = hash<<8 | uint64(b)
	}
	c.mu.Lock()
	known := c.seen[hash]
	c.seen[hash] = true
	c.mu.Unlock()
	if known {
		return
	}
	v := &verdict{world: w, at: at, seed: seed}
	err := v.check(image)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acked += v.acked
	c.dead += v.dead
	c.again += v.again
	if v.tornBytes > 0 {
		c.torn++
		c.tornBytes += v.tornBytes
	}
	if err != nil {
		c.lost++
		if c.err == nil || seed < c.errSeed {
			c.err, c.errSeed = fmt.Errorf("power cut after change %d, keeping by %d: %w", at, seed, err), seed
		}
	}
}
