package wal

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"walbench.example/wal/crashfs"
)

// TestCloseEndsEverything closes a log while appends, flushes, reads and trims
// are under way: each gets its answer, what was acknowledged is there, and
// every later call says ErrClosed (promise 13). goleak sees to the goroutines.
func TestCloseEndsEverything(t *testing.T) {
	for round := range 30 {
		d := newDisk()
		l, err := Open(logDir, Options{FS: d, SegmentSize: small})
		if err != nil {
			t.Fatal(err)
		}
		put(t, l, payload(0, 10))
		var (
			wg    sync.WaitGroup
			mu    sync.Mutex
			acked []LSN
			begun = make(chan struct{}, 4)
		)
		loop := func(f func() error) {
			wg.Go(func() {
				begin := sync.OnceFunc(func() { begun <- struct{}{} })
				defer begin()
				for {
					if err := f(); errors.Is(err, ErrClosed) {
						return
					} else if err != nil && !errors.Is(err, ErrFull) {
						t.Errorf("round %d: %v", round, err)
						return
					}
					begin()
				}
			})
		}
		loop(func() error {
			lsn, err := l.Append(payload(round, 100))
			if err != nil {
				if errors.Is(err, ErrFull) {
					return l.Sync()
				}
				return err
			}
			if err := l.Sync(); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			acked = append(acked, lsn)
			return nil
		})
		loop(l.Sync)
		loop(func() error { return l.Trim(0) })
		loop(func() error {
			for _, err := range l.Records(0) {
				if err != nil {
					return err
				}
			}
			return nil
		})
		for range 4 {
			<-begun
		}
		mustClose(t, l)
		wg.Wait()
		wantClosed(t, l)
		wantSurvivors(t, d.crash(crashfs.None), acked)
	}
}

// wantClosed calls everything on a log that was closed.
func wantClosed(t *testing.T, l *Log) {
	t.Helper()
	wantErr(t, l.Close(), ErrClosed)
	_, err := l.Append(nil)
	wantErr(t, err, ErrClosed)
	_, err = l.AppendBatch([][]byte{nil})
	wantErr(t, err, ErrClosed)
	wantErr(t, l.Sync(), ErrClosed)
	wantErr(t, l.Trim(0), ErrClosed)
	for _, err := range l.Records(0) {
		wantErr(t, err, ErrClosed)
	}
}

// wantSurvivors opens a log that was closed: the records acknowledged are there.
func wantSurvivors(t *testing.T, d *disk, acked []LSN) {
	t.Helper()
	l := openOn(t, d)
	if r := l.Recovery(); !r.Clean {
		t.Errorf("recovery after Close: %+v", r)
	}
	held, _ := collect(t, l, 0)
	for _, lsn := range acked {
		if !slices.Contains(held, lsn) {
			t.Errorf("%v was acknowledged and is gone", lsn)
		}
	}
	mustClose(t, l)
}

// Close makes durable what was appended and not flushed, by every method.
func TestCloseFlushes(t *testing.T) {
	for _, m := range []SyncMethod{SyncDefault, SyncNone, SyncFsync} {
		d := newDisk()
		l := mustOpen(t, logDir, Options{FS: d, SegmentSize: small, Sync: m})
		for _, rec := range []string{"a", "b"} {
			if _, err := l.Append([]byte(rec)); err != nil {
				t.Fatal(err)
			}
			if m == SyncNone && rec == "a" {
				if err := l.Sync(); err != nil {
					t.Fatal(err)
				}
			}
		}
		mustClose(t, l)
		wantRecords(t, openOn(t, d.crash(crashfs.None)), [][]byte{[]byte("a"), []byte("b")})
	}
}

// An iterator that is under way goes on to its end.
func TestCloseLetsIteratorsFinish(t *testing.T) {
	g, img := sample(t, true, 4)
	l := openOn(t, img.disk())
	n := 0
	for _, err := range l.Records(0) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 1 {
			mustClose(t, l)
		}
	}
	want := 0
	for _, b := range g.batches {
		want += len(b.recs)
	}
	if n != want {
		t.Errorf("%d records, want %d", n, want)
	}
}
