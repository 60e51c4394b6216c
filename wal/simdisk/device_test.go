package simdisk

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/vfs"
)

func create(t testing.TB, fs *FS, name string) *file {
	t.Helper()
	f, err := fs.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	return f.(*file)
}

// took returns how long a sync takes on the clock of the bubble.
func took(t testing.TB, sync func() error) time.Duration {
	t.Helper()
	began := time.Now()
	if err := sync(); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

func TestFlushTakesItsTime(t *testing.T) {
	const flush = 200 * time.Microsecond
	synctest.Test(t, func(t *testing.T) {
		fs := New(Options{Flush: flush, PerByte: 2.5, Wait: SleepUntil})
		f, other := create(t, fs, "f"), create(t, fs, "other")
		dir, err := fs.OpenDir("/")
		if err != nil {
			t.Fatal(err)
		}
		write := func(f vfs.File, n int, off int64) {
			if _, err := f.WriteAt(make([]byte, n), off); err != nil {
				t.Fatal(err)
			}
		}
		syncTo := func() error { _, err := f.SyncTo(1); return err }

		steps := []struct {
			what  string
			write func()
			sync  func() error
			want  time.Duration
		}{
			{"nothing written", func() {}, f.Sync, flush},
			{"1000 bytes", func() { write(f, 1000, 0) }, f.Sync, flush + 2500},
			{"the same bytes again", func() {}, f.Sync, flush},
			{"written over", func() { write(f, 400, 0) }, f.SyncData, flush + 1000},
			{"two writes", func() { write(f, 100, 0); write(f, 100, 50) }, f.Sync, flush + 500},
			{"a hole", func() { write(f, 4, 1<<20) }, f.Sync, flush + 10},
			{"a prefix", func() { write(f, 8, 0) }, syncTo, flush + 20},
			{"truncated", func() { _ = f.Truncate(10) }, f.Sync, flush},
			{"a directory", func() { write(f, 1000, 0) }, dir.Sync, flush},
			{"another file", func() {}, other.Sync, flush},
			{"left over", func() {}, f.Sync, flush + 2500},
		}
		for i, s := range steps {
			s.write()
			if got := took(t, s.sync); got != s.want {
				t.Errorf("%s: a sync took %v, want %v", s.what, got, s.want)
			}
			if got := fs.Flushes(); got != int64(i+1) {
				t.Errorf("%s: %d flushes, want %d", s.what, got, i+1)
			}
		}
		if got, want := fs.Accuracy(), (Accuracy{Flushes: int64(len(steps))}); got != want {
			t.Errorf("accuracy in virtual time: %+v, want %+v", got, want)
		}
		if full, err := dir.SyncTo(1); full || err != nil || fs.Flushes() != int64(len(steps)) {
			t.Errorf("SyncTo of a directory: %v, %v and %d flushes, want nothing to happen", full, err, fs.Flushes())
		}
	})
}

func TestFlushesQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := New(Options{Flush: time.Millisecond, Wait: SleepUntil})
		began := time.Now()
		var mu sync.Mutex
		ended := make(map[time.Duration]int)
		var all sync.WaitGroup
		for i := range 8 {
			f := create(t, fs, string(rune('a'+i)))
			all.Go(func() {
				if err := f.Sync(); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				ended[time.Since(began)]++
			})
		}
		all.Wait()
		for i := range 8 {
			if at := time.Duration(i+1) * time.Millisecond; ended[at] != 1 {
				t.Errorf("%d flushes ended at %v, want 1 (all: %v)", ended[at], at, ended)
			}
		}
		// The device has caught up: a later flush waits for nobody.
		time.Sleep(time.Hour)
		if got := took(t, create(t, fs, "late").Sync); got != time.Millisecond {
			t.Errorf("a flush on an idle device took %v, want 1ms", got)
		}
	})
}

// Of two syncs of one file the second, which finds no bytes to pay for, must
// not return before the first has paid: it vouches for the same bytes.
func TestSecondSyncOfAFileWaitsForTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := New(Options{Flush: time.Millisecond, PerByte: 1000, Wait: SleepUntil})
		f := create(t, fs, "f")
		write := func(n int) {
			if _, err := f.WriteAt(make([]byte, n), 0); err != nil {
				t.Fatal(err)
			}
		}
		write(5000)
		first := make(chan time.Duration, 1)
		go func() { first <- took(t, f.Sync) }()
		synctest.Wait()
		write(2000) // while the first flush is on its way
		second := took(t, f.Sync)
		if want := 6 * time.Millisecond; <-first != want {
			t.Errorf("the first sync did not take %v", want)
		}
		if want := 9 * time.Millisecond; second != want {
			t.Errorf("the second sync took %v, want %v: the first, and its own 2000 bytes", second, want)
		}
	})
}

// A flush under way must not stop anybody but those who flush.
func TestFlushBlocksNoWriter(t *testing.T) {
	waiting, release := make(chan time.Time), make(chan struct{})
	fs := New(Options{Flush: time.Minute, Wait: func(deadline time.Time) {
		waiting <- deadline
		<-release
	}})
	f := create(t, fs, "f")
	synced := make(chan error)
	go func() { synced <- f.Sync() }()
	if left := time.Until(<-waiting); left <= 0 || left > time.Minute {
		t.Errorf("Wait was asked for %v, want a minute at most", left)
	}

	if _, err := f.WriteAt([]byte("abc"), 0); err != nil {
		t.Error(err)
	}
	if _, err := f.ReadAt(make([]byte, 3), 0); err != nil {
		t.Error(err)
	}
	if err := f.Truncate(1); err != nil {
		t.Error(err)
	}
	if _, err := f.Stat(); err != nil {
		t.Error(err)
	}
	create(t, fs, "g")
	if err := fs.Rename("f", "h"); err != nil {
		t.Error(err)
	}
	if got := fs.Flushes(); got != 0 {
		t.Errorf("%d flushes while the first is on its way, want 0", got)
	}

	close(release)
	if err := <-synced; err != nil {
		t.Error(err)
	}
	if a := fs.Accuracy(); a != (Accuracy{Flushes: 1}) {
		t.Errorf("accuracy %+v, want one flush that was not late (Wait came back early)", a)
	}
}

// What Accuracy says is how much later than asked for a sync came back.
func TestAccuracyIsTheLatenessOfSyncs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var late time.Duration
		fs := New(Options{Flush: time.Millisecond, Wait: func(deadline time.Time) {
			SleepUntil(deadline.Add(late))
		}})
		f := create(t, fs, "f")
		for range 98 {
			took(t, f.Sync)
		}
		late = 15 * time.Nanosecond
		took(t, f.Sync)
		late = time.Second
		took(t, f.Sync)
		if got, want := fs.Accuracy(), (Accuracy{Flushes: 100, P99: 15, Max: time.Second}); got != want {
			t.Errorf("accuracy %+v, want %+v", got, want)
		}
		if got, want := fs.Accuracy().String(), "100 flushes returned late by 0s (median), 15ns (p99), 1s (max)"; got != want {
			t.Errorf("accuracy reads %q, want %q", got, want)
		}
	})
}

// A waiter that oversleeps must not make the device slower for the next one.
func TestLateWaiterDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		fs := New(Options{Flush: 10 * time.Millisecond, Wait: func(deadline time.Time) {
			if calls.Add(1) == 1 {
				deadline = deadline.Add(5 * time.Millisecond)
			}
			SleepUntil(deadline)
		}})
		f := create(t, fs, "f")
		first := make(chan time.Duration, 1)
		go func() { first <- took(t, f.Sync) }()
		synctest.Wait()
		second := make(chan time.Duration, 1)
		go func() { second <- took(t, f.Sync) }()
		if got, want := <-first, 15*time.Millisecond; got != want {
			t.Errorf("the late sync took %v, want %v", got, want)
		}
		// Now the second flush is half done, and ends 5 ms from here.
		if got, want := took(t, f.Sync), 15*time.Millisecond; got != want {
			t.Errorf("a sync behind the second took %v, want %v", got, want)
		}
		if got, want := <-second, 20*time.Millisecond; got != want {
			t.Errorf("the sync behind the late one took %v, want %v", got, want)
		}
	})
}
