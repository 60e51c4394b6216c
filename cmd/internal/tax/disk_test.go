package tax

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// A short run on a real disk measures every mode that the platform has and
// leaves the directory as it was.
func TestRunOnARealDisk(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "walbench-tax-mine")
	if err := os.WriteFile(foreign, []byte("not yours"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := Config{Dir: dir, Shapes: []Shape{{RecordBytes: 200, Writes: 20}, {RecordBytes: 4096, Writes: 10}}, Repeats: 2}
	result, err := Run(t.Context(), config, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * 2 * (6 + 4); len(result.Rows) != want {
		t.Errorf("%d rows, want %d", len(result.Rows), want)
	}
	for _, row := range result.Rows {
		if row.NA != "" {
			continue
		}
		if row.RecordsPerSecond == nil || *row.RecordsPerSecond <= 0 || len(row.Repeats) != 2 || row.Call == "" {
			t.Errorf("%s %s %d: %+v", row.Mode, row.File, row.RecordBytes, row)
		}
	}
	if row := find(t, result, "F_FULLFSYNC", growing); runtime.GOOS != "darwin" && row.NA == "" {
		t.Error("F_FULLFSYNC was measured off macOS")
	}
	if names := list(t, dir); !slices.Equal(names, []string{"walbench-tax-mine"}) {
		t.Errorf("left in the directory: %v", names)
	}
}

func TestFilesOfOthersAreNotTouched(t *testing.T) {
	for _, kind := range []string{growing, prepared} {
		dir := t.TempDir()
		name := filepath.Join(dir, "walbench-tax-"+kind+".dat")
		if err := os.WriteFile(name, []byte("not yours"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Run(t.Context(), Config{Dir: dir, Budget: time.Millisecond}, nil)
		if !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: error %v, want %v", kind, err, fs.ErrExist)
		}
		if content, err := os.ReadFile(name); err != nil || string(content) != "not yours" {
			t.Errorf("%s: now %q, %v", kind, content, err)
		}
		if names := list(t, dir); len(names) != 1 {
			t.Errorf("%s: left in the directory: %v", kind, names)
		}
	}
}

func TestCancelledRunLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, Config{Dir: dir}, func(Progress) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if names := list(t, dir); len(names) != 0 {
		t.Errorf("left in the directory: %v", names)
	}
}

func TestProbeFlush(t *testing.T) {
	dir := t.TempDir()
	seconds, err := ProbeFlush(t.Context(), dir, "", 200, time.Millisecond)
	if err != nil || len(seconds) == 0 || slices.Min(seconds) <= 0 {
		t.Errorf("probe: %v, %v", seconds, err)
	}
	for _, mode := range []string{"none", "fdatasync/10", "fsync "} {
		if _, err := ProbeFlush(t.Context(), dir, mode, 200, time.Millisecond); err == nil {
			t.Errorf("probe of %q measured something", mode)
		}
	}
	if _, err := ProbeFlush(t.Context(), dir, "F_FULLFSYNC", 200, 0); runtime.GOOS != "darwin" && !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("probe of F_FULLFSYNC: error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ProbeFlush(ctx, dir, "", 200, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled probe: error %v", err)
	}
	if names := list(t, dir); len(names) != 0 {
		t.Errorf("left in the directory: %v", names)
	}
}

// The probe times a write and its barrier, and neither its warm-up nor the
// preparation of its file.
func TestProbeTimesTheFlushAlone(t *testing.T) {
	d := newFakeDisk(10*us, 190*us)
	d.slow = map[int]time.Duration{1: time.Millisecond}
	p := probe{disk: d, now: d.now, bytes: 300_000}
	seconds, err := p.run(t.Context(), fakeMethods()[1], 5*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if len(seconds) < 10 || slices.Min(seconds) < 0.000199 || slices.Max(seconds) > 0.000201 {
		t.Errorf("%d flushes of %v to %v s, want 0.0002", len(seconds), slices.Min(seconds), slices.Max(seconds))
	}
	if d.trespass != "" {
		t.Error(d.trespass)
	}
}

func TestPayloadDoesNotCompressOrRepeat(t *testing.T) {
	for _, size := range []int{8, 200, 1 << 20} {
		p := newPayload(size, 1)
		var plain, packed bytes.Buffer
		zip, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		blocks := make(map[string]bool)
		n := min(12_000, 3*payloadPool/size)
		for range n {
			record := p.next()
			seen[string(record)] = true
			plain.Write(record)
		}
		if len(seen) != n {
			t.Errorf("%d B: %d distinct of %d records", size, len(seen), n)
		}
		if _, err := zip.Write(plain.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := zip.Close(); err != nil {
			t.Fatal(err)
		}
		if ratio := float64(packed.Len()) / float64(plain.Len()); ratio < 0.95 {
			t.Errorf("%d B: compresses to %v", size, ratio)
		}
		for block := range slices.Chunk(plain.Bytes(), 4096) {
			blocks[string(block)] = true
		}
		if want := (plain.Len() + 4095) / 4096; len(blocks) != want {
			t.Errorf("%d B: %d distinct of %d blocks of 4 KiB", size, len(blocks), want)
		}
	}
}

// Records from the same place of the pool differ too: they carry a stamp.
func TestPayloadStampsRecords(t *testing.T) {
	p := newPayload(8, 1)
	seen := make(map[string]bool)
	for range 1000 {
		p.off = 0
		seen[string(p.next())] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d distinct of 1000 records", len(seen))
	}
}

func TestPayloadAllocatesNothing(t *testing.T) {
	p := newPayload(200, 1)
	if n := testing.AllocsPerRun(1000, func() { p.next() }); n != 0 {
		t.Errorf("next allocates %v times", n)
	}
}

func BenchmarkPayload(b *testing.B) {
	p := newPayload(200, 1)
	for b.Loop() {
		p.next()
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
