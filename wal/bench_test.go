package wal

import (
	"errors"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/vfs"
)

const benchRecord = 200

// nowhere is a disk whose segments swallow what is written.
type nowhere struct{ *disk }

func (n nowhere) OpenReadWrite(name string, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := n.disk.OpenReadWrite(name, o...)
	return swallower{f}, err
}

type swallower struct{ vfs.File }

func (s swallower) WriteAt(p []byte, off int64) (int, error) { return len(p), nil }
func (s swallower) Sync() error                              { return nil }
func (s swallower) SyncData() error                          { return nil }
func (s swallower) Preallocate(_, _ int64) error             { return nil }

// appending returns a function that appends and, when the buffer is full,
// flushes: the steady state of a writer.
func appending(tb testing.TB, append func(l *Log) error) func() {
	l := mustOpen(tb, logDir, Options{FS: nowhere{newDisk()}, SegmentSize: MaxSegmentSize, BufferSize: 1 << 20})
	return func() {
		err := append(l)
		if errors.Is(err, ErrFull) {
			if err = l.Sync(); err == nil {
				err = append(l)
			}
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	rec := make([]byte, benchRecord)
	do := appending(t, func(l *Log) error { _, err := l.Append(rec); return err })
	for range 20000 { // both buffers have grown
		do()
	}
	if n := testing.AllocsPerRun(20000, do); n != 0 {
		t.Errorf("Append allocates %v times", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	rec := make([]byte, benchRecord)
	do := appending(b, func(l *Log) error { _, err := l.Append(rec); return err })
	b.ReportAllocs()
	b.SetBytes(benchRecord)
	for b.Loop() {
		do()
	}
}

func BenchmarkAppendBatch(b *testing.B) {
	recs := make([][]byte, 16)
	for i := range recs {
		recs[i] = make([]byte, benchRecord)
	}
	do := appending(b, func(l *Log) error { _, err := l.AppendBatch(recs); return err })
	b.ReportAllocs()
	b.SetBytes(16 * benchRecord)
	for b.Loop() {
		do()
	}
}

// BenchmarkSync is one durable append on a real disk, trimmed as it goes.
func BenchmarkSync(b *testing.B) {
	l := mustOpen(b, b.TempDir(), Options{})
	rec := make([]byte, benchRecord)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		put(b, l, rec)
		if i%50000 == 49999 {
			if err := l.Trim(l.Durable() - 1); err != nil {
				b.Fatal(err)
			}
		}
	}
	s := l.Stats()
	b.ReportMetric(float64(s.GrowingWrites)/float64(b.N), "growing/op")
}

// BenchmarkReplay opens a log of 256 MiB of records and reads them all, from
// the page cache.
func BenchmarkReplay(b *testing.B) {
	const total = 256 << 20
	path := b.TempDir()
	l := mustOpen(b, path, Options{Sync: SyncNone})
	rec := make([]byte, benchRecord)
	for n := 0; n < total; n += benchRecord {
		_, err := l.Append(rec)
		for errors.Is(err, ErrFull) {
			if err = l.Sync(); err == nil {
				_, err = l.Append(rec)
			}
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	mustClose(b, l)
	b.SetBytes(total)
	b.ReportAllocs()
	for b.Loop() {
		l := mustOpen(b, path, Options{})
		n := 0
		for r, err := range l.Records(0) {
			if err != nil {
				b.Fatal(err)
			}
			n += len(r.Data)
		}
		if n < total {
			b.Fatal(io.ErrUnexpectedEOF)
		}
		mustClose(b, l)
	}
}
