package wal

import (
	"errors"
	"sync/atomic"
	"testing"

	"walbench.example/wal/crashfs"
)

func TestSyncNames(t *testing.T) {
	for m := SyncDefault; m <= SyncFull; m++ {
		if got, err := ParseSync(m.String()); err != nil || got != m {
			t.Errorf("%v parses as %v, %v", m, got, err)
		}
	}
	if _, err := ParseSync("o_sync"); err == nil {
		t.Error("an unknown method was parsed")
	}
}

// TestSyncMethodsWorkOrAreRefused opens a real log by every method: one that
// this platform lacks is refused at Open, by name, and never replaced.
func TestSyncMethodsWorkOrAreRefused(t *testing.T) {
	for m := SyncDefault; m <= SyncFull; m++ {
		path := t.TempDir()
		l, err := Open(path, Options{Sync: m, SegmentSize: small})
		if errors.Is(err, errors.ErrUnsupported) {
			if m.Call() != "" {
				t.Errorf("%v is %s here, and was refused: %v", m, m.Call(), err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", m, err)
			continue
		}
		lsn := put(t, l, []byte("x"))
		if got, want := l.Durable() > lsn, m != SyncNone; got != want {
			t.Errorf("%v: durable is %v after the sync of %v", m, l.Durable(), lsn)
		}
		mustClose(t, l)
		wantRecords(t, mustOpen(t, path, Options{SegmentSize: small}), [][]byte{[]byte("x")})
	}
	if PlatformSync() == SyncNone || PlatformSync().Call() == "" {
		t.Errorf("the default is %v (%s)", PlatformSync(), PlatformSync().Call())
	}
}

// TestSyncIsOneBarrierForAll counts barriers: one for all that has gathered,
// and none when there is nothing new.
func TestSyncIsOneBarrierForAll(t *testing.T) {
	d := newDisk()
	l := mustOpenStill(t, d)
	var syncs atomic.Int64
	d.setHook(func(c call) error {
		if c.verb == "sync" {
			syncs.Add(1)
		}
		return nil
	})
	for range 10 {
		if _, err := l.Append([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if syncs.Load() != 0 {
		t.Error("Append did I/O")
	}
	var ext Extent
	if err := l.Flush(func(e Extent) { ext = e }); err != nil || ext.Records != 10 || ext.Bytes != 10 || ext.End != l.Next() {
		t.Errorf("the flush covers %+v (%v), Next is %v", ext, err, l.Next())
	}
	for range 3 {
		if err := l.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if n := syncs.Load(); n != 1 {
		t.Errorf("%d barriers for ten records and four syncs, want 1", n)
	}
}

// SyncNone promises nothing but what a rotation or Close made durable.
func TestSyncNonePromisesNothing(t *testing.T) {
	d := newDisk()
	l := mustOpen(t, logDir, Options{FS: d, SegmentSize: small, Sync: SyncNone})
	start := l.Durable()
	put(t, l, []byte("x"))
	if l.Durable() != start {
		t.Errorf("durable went to %v without a barrier", l.Durable())
	}
	var last LSN
	for l.Durable() == start {
		last = put(t, l, make([]byte, 500))
	}
	r := openOn(t, d.crash(crashfs.None))
	if end := r.Recovery().End; end < l.Durable() && end.Segment() == l.Durable().Segment() || last == 0 {
		t.Errorf("recovered up to %v, durable was %v", end, l.Durable())
	}
}
