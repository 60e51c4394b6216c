package load

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"walbench.example/cmd/internal/stats"
	"walbench.example/wal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func quick(dir string) Config {
	return Config{
		Dir: dir, Policies: []string{"per-write", "greedy", "window", "adaptive"}, Window: Window{Delay: time.Millisecond},
		Writers: []int{1, 3}, Sync: wal.PlatformSync(), RecordBytes: 200, Cell: 20 * time.Millisecond, Repeats: 2,
		SegmentBytes: 64 << 10, Device: "sim:100us",
	}
}

// A run has a row for each cell, and the counts in a row agree with one
// another, on a simulated and on a real device.
func TestRowsAddUp(t *testing.T) {
	for _, device := range []string{"sim:100us", "real"} {
		c := quick(t.TempDir())
		c.Device = device
		var last Progress
		res, err := Run(t.Context(), c, func(p Progress) { last = p })
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Rows) != len(c.Policies)*len(c.Writers) {
			t.Fatalf("%s: %d rows", device, len(res.Rows))
		}
		if last.Done <= 0.5 || last.Done >= 1 {
			t.Errorf("last progress %v", last.Done)
		}
		if (res.DeviceError != nil) != (device != "real") || res.PeakBytes == 0 {
			t.Errorf("%s: device error %v, peak %d bytes", device, res.DeviceError, res.PeakBytes)
		}
		var flushes int64
		for _, r := range res.Rows {
			var commits int64
			for _, m := range r.Repeats {
				commits += m.Commits
			}
			flushes += r.Flushes
			switch {
			case len(r.Repeats) != c.Repeats || commits != r.Commits || r.Latency.N != commits:
				t.Errorf("%s %d: %d commits, %d in %d repeats, %d latencies", r.Policy, r.Writers, r.Commits, commits, len(r.Repeats), r.Latency.N)
			case r.Policy == "per-write" && r.Flushes > 0 && r.CommitsPerFlush != 1:
				t.Errorf("per-write put %v commits into a flush", r.CommitsPerFlush)
			case r.CommitsPerFlush > float64(r.Writers):
				t.Errorf("%s %d: %v commits a flush", r.Policy, r.Writers, r.CommitsPerFlush)
			case r.IdealFraction == nil || !r.Durable || r.Errors != 0:
				t.Errorf("%s %d: %+v", r.Policy, r.Writers, r)
			}
		}
		if res.AllFlushes < flushes {
			t.Errorf("%d flushes in all, %d in cells", res.AllFlushes, flushes)
		}
	}
}

// Medians are over repeats; counts and times are sums; the share of the ideal
// is commits/s times F over N.
func TestRowArithmetic(t *testing.T) {
	s := newSum()
	for i, rate := range []float64{1000, 3000, 1100} {
		m := measured{latency: stats.NewHistogram(), flushes: stats.NewHistogram(), records: 40, reasons: map[string]int64{"idle": 10}}
		m.repeat = Repeat{Seconds: 2, Commits: int64(2 * rate), CommitsPerSecond: rate, Flushes: 10}
		s.add(m, 4, []float64{0.001, 0.002, 0.003}[i])
	}
	r := s.row(cell{"greedy", 4}, quick(""))
	if r.CommitsPerSecond != 1100 || r.Seconds != 6 || r.Commits != 10200 || r.Flushes != 30 || r.CommitsPerFlush != 4 {
		t.Errorf("row %+v", r)
	}
	// Shares 0.25, 1.5 and 0.825: nothing is clipped, the median is shown.
	if math.Abs(*r.IdealFraction-0.825) > 1e-9 || *r.ProbeFlush != 0.002 || *r.Repeats[1].IdealFraction != 1.5 {
		t.Errorf("share %v, F %v", *r.IdealFraction, *r.ProbeFlush)
	}
	if r.Reasons["idle"] != 30 {
		t.Errorf("reasons %v", r.Reasons)
	}
}

// Most repeats must show two cohorts before a row says so.
func TestRowSaysTwoCohorts(t *testing.T) {
	split, whole := make([]int, 40), make([]int, 40)
	for i := range split {
		split[i], whole[i] = 1+6*(i%2), 8
	}
	for _, tt := range []struct {
		batches [][]int
		want    bool
	}{{[][]int{split, split, whole}, true}, {[][]int{split, whole, whole}, false}} {
		s := newSum()
		for _, b := range tt.batches {
			s.add(measured{latency: stats.NewHistogram(), flushes: stats.NewHistogram(), batches: b, repeat: Repeat{CommitsPerSecond: 1}}, 8, 0)
		}
		if r := s.row(cell{"greedy", 8}, quick("")); r.TwoCohorts != tt.want || len(r.Batches) != stretch {
			t.Errorf("two cohorts %v of %v, want %v", r.TwoCohorts, tt.batches, tt.want)
		}
		if r := s.row(cell{"per-write", 8}, quick("")); r.TwoCohorts || r.Batches != nil {
			t.Errorf("per-write has cohorts")
		}
	}
}

// What ends before or after the measured time does not count.
func TestOnlyTheMeasuredTimeCounts(t *testing.T) {
	r := newRecorder(2)
	for _, p := range []phase{warming, measuring, stopping} {
		r.phase.Store(p)
		r.committed(0, time.Millisecond)
		r.committed(1, time.Millisecond)
	}
	if l, n := r.totals(); n != 2 || l.Count() != 2 {
		t.Errorf("%d commits counted, %d latencies, want 2", n, l.Count())
	}
}

// A run that is stopped returns what it measured and the error of its context.
func TestStoppedRunReturnsWhatItMeasured(t *testing.T) {
	c := quick("")
	c.Cell, c.Repeats = time.Hour, 1
	ctx, cancel := context.WithCancel(t.Context())
	res, err := Run(ctx, c, func(p Progress) {
		if strings.HasPrefix(p.What, "per-write") {
			time.AfterFunc(3*minWarm, cancel)
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if len(res.Rows) > 1 {
		t.Errorf("%d rows", len(res.Rows))
	}
}

// A failed commit ends the run, is counted as an error and not as a commit.
func TestErrorEndsTheRun(t *testing.T) {
	c := quick("")
	d, err := openDevice(c)
	if err != nil {
		t.Fatal(err)
	}
	log, err := wal.Open(d.dir, wal.Options{FS: d.fs})
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil { // every append fails from here on
		t.Fatal(err)
	}
	c.Cell = time.Hour
	m, err := cell{"adaptive", 3}.run(t.Context(), log, c, func() {})
	if !errors.Is(err, wal.ErrClosed) || m.repeat.Errors == 0 || m.repeat.Commits != 0 {
		t.Errorf("error %v, %d errors, %d commits", err, m.repeat.Errors, m.repeat.Commits)
	}
}

func TestErrorOfTheDirectoryIsTold(t *testing.T) {
	c := quick(t.TempDir())
	c.Device = "real"
	if err := os.WriteFile(c.Dir+"/log", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), c, func(Progress) {}); !errors.Is(err, syscall.ENOTDIR) && err == nil {
		t.Errorf("error %v", err)
	}
}

// Records do not compress, and no two are alike, within a writer and between
// writers.
func TestPayloadsAreIncompressibleAndDistinct(t *testing.T) {
	var all, packed bytes.Buffer
	seen := map[string]bool{}
	for w := range 10 {
		p := newPayload(203, w)
		for range 500 {
			rec := p.next()
			seen[string(rec)] = true
			all.Write(rec)
		}
	}
	z := gzip.NewWriter(&packed)
	z.Write(all.Bytes())
	z.Close()
	if ratio := float64(packed.Len()) / float64(all.Len()); ratio < 0.95 || len(seen) != 5000 {
		t.Errorf("gzip ratio %.3f, %d distinct of 5000", ratio, len(seen))
	}
}

func BenchmarkPayload(b *testing.B) {
	p := newPayload(200, 0)
	for b.Loop() {
		p.next()
	}
}
