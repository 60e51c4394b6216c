package tax

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const us = time.Microsecond

func near(got *float64, want float64) bool {
	return got != nil && math.Abs(*got-want) <= want*1e-9
}

// A write takes 1 us and a barrier 99: all figures follow.
func TestFiguresAreExact(t *testing.T) {
	for _, repeats := range []int{1, 4} {
		d := newFakeDisk(1*us, 99*us)
		config := Config{Shapes: []Shape{{RecordBytes: 1 << 20, Writes: 1000}}, Repeats: repeats}
		result, err := runFake(t.Context(), t, d, config, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			mode      string
			perAppend float64 // us
			p50, last float64
		}{
			{"none", 1, 1, 1},
			{"fdatasync", 100, 100, 100},
			{"O_DSYNC", 100, 100, 100},
			{"fdatasync/10", 10.9, 1, 100},
			{"fsync/50", 2.98, 1, 100},
		} {
			for _, file := range []string{growing, prepared} {
				row := find(t, result, want.mode, file)
				if !near(row.RecordsPerSecond, 1e6/want.perAppend) {
					t.Errorf("%d repeats, %s %s: %v records/s, want %v", repeats, want.mode, file, *row.RecordsPerSecond, 1e6/want.perAppend)
				}
				if !near(row.BytesPerSecond, (1<<20)*1e6/want.perAppend) {
					t.Errorf("%d repeats, %s %s: %v bytes/s", repeats, want.mode, file, *row.BytesPerSecond)
				}
				if !near(row.RatioToNone, want.perAppend) {
					t.Errorf("%d repeats, %s %s: ratio %v, want %v", repeats, want.mode, file, *row.RatioToNone, want.perAppend)
				}
				if math.Abs(*row.Append.P50-want.p50/1e6) > want.p50/1e9 || math.Abs(*row.Append.Max-want.last/1e6) > want.last/1e9 {
					t.Errorf("%s %s: append p50 %v, max %v; want %v and %v us", want.mode, file, *row.Append.P50, *row.Append.Max, want.p50, want.last)
				}
				if want := int64(1000 * repeats); row.Writes != want || row.Append.N != want || len(row.Repeats) != repeats {
					t.Errorf("%s %s: %d writes, %d samples, %d repeats; want %d of each in %d", row.Mode, file, row.Writes, row.Append.N, len(row.Repeats), want, repeats)
				}
				if got := row.Repeats[0].Seconds; math.Abs(got-1000*want.perAppend/1e6) > 1e-9 {
					t.Errorf("%s %s: %v s measured, want those of 1,000 appends", row.Mode, file, got)
				}
			}
		}
	}
}

// A write that stalls shows in the maximum and the seconds, not in the rate,
// and the warm-up in none of them.
func TestStallAndWarmUp(t *testing.T) {
	clean := newFakeDisk(1*us, 99*us)
	config := Config{Shapes: []Shape{{RecordBytes: 200, Writes: 400}}, Repeats: 1, Every: []int{}}
	if _, err := runFake(t.Context(), t, clean, config, nil); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name       string
		nth        int // of the writes and barriers of the turn
		max        float64
		seconds    float64
		wantInTurn bool
	}{
		{"in the warm-up", 3, 0.0001, 0.04, false},
		{"in the measured part", 101, 1.0001, 1.04, true},
	} {
		// Ops before the growing fdatasync turn are known from the same run
		// without the stall: the seed fixes the order.
		d := newFakeDisk(1*us, 99*us)
		before := 0
		for _, op := range clean.log[:indexOfTurn(clean.log, "open fdatasync growing", 2)] {
			if op == "write" || op == "barrier" {
				before++
			}
		}
		d.slow = map[int]time.Duration{before + test.nth: time.Second}
		result, err := runFake(t.Context(), t, d, config, nil)
		if err != nil {
			t.Fatal(err)
		}
		row := find(t, result, "fdatasync", growing)
		if math.Abs(*row.Append.Max-test.max) > 1e-9 || math.Abs(row.Repeats[0].Seconds-test.seconds) > 1e-9 {
			t.Errorf("stall %s: max %v, seconds %v; want %v, %v", test.name, *row.Append.Max, row.Repeats[0].Seconds, test.max, test.seconds)
		}
		if !near(row.RecordsPerSecond, 10_000) {
			t.Errorf("stall %s: %v records/s, want 10,000", test.name, *row.RecordsPerSecond)
		}
	}
}

// indexOfTurn returns the index of the nth entry equal to op.
func indexOfTurn(log []string, op string, nth int) int {
	for i, entry := range log {
		if entry == op {
			if nth--; nth == 0 {
				return i
			}
		}
	}
	return -1
}

// Every round holds each arm once, and rounds differ in order.
func TestArmsAreInterleaved(t *testing.T) {
	d := newFakeDisk(1*us, 99*us)
	result, err := runFake(t.Context(), t, d, Config{Repeats: 4, Budget: 200 * time.Millisecond, Seed: 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	measured := 0
	for _, row := range result.Rows {
		if row.NA == "" {
			measured++
		}
	}
	turns := d.turns[len(d.turns)-4*measured:]
	rounds := slices.Collect(slices.Chunk(turns, measured))
	for i, round := range rounds {
		sorted := slices.Sorted(slices.Values(round))
		if unique := slices.Compact(sorted); len(unique) != measured {
			t.Errorf("round %d has %d of %d arms", i, len(unique), measured)
		}
		if i > 0 && slices.Equal(round, rounds[i-1]) {
			t.Errorf("rounds %d and %d have the same order", i-1, i)
		}
	}
}

func TestBudgetHoldsWhateverAFlushTakes(t *testing.T) {
	for _, test := range []struct {
		flush     time.Duration
		repeats   int   // done
		samples   int64 // of fdatasync on the prepared file, at least
		p99       bool
		overshoot time.Duration
	}{
		{20 * us, 5, 8_000, true, 80 * time.Millisecond},
		{200 * us, 5, 1_500, true, 80 * time.Millisecond},
		{15 * time.Millisecond, 5, 20, false, 80 * time.Millisecond},
		{150 * time.Millisecond, 2, 2, false, 2500 * time.Millisecond},
	} {
		d := newFakeDisk(20*us, test.flush)
		const budget = 8 * time.Second
		result, err := runFake(t.Context(), t, d, Config{Budget: budget, Repeats: 5}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d.clock < budget*8/10 || d.clock > budget+test.overshoot {
			t.Errorf("flush %v: took %v of a budget of %v", test.flush, d.clock, budget)
		}
		row := find(t, result, "fdatasync", prepared)
		if len(row.Repeats) != test.repeats || row.Append.N < test.samples || (row.Append.P99 != nil) != test.p99 {
			t.Errorf("flush %v: %d repeats, %d samples, p99 %v; want %d, at least %d, %v", test.flush,
				len(row.Repeats), row.Append.N, row.Append.P99, test.repeats, test.samples, test.p99)
		}
		for _, row := range result.Rows {
			if row.NA == "" && (row.RecordsPerSecond == nil || row.BatchRecords == 0) {
				t.Errorf("flush %v: %s %s has no rate", test.flush, row.Mode, row.File)
			}
		}
	}
}

// A growing file stops at its limit; the rest of the turn is not waited for.
func TestGrowingFileIsBounded(t *testing.T) {
	d := newFakeDisk(1*us, 20*us)
	config := Config{Shapes: []Shape{{RecordBytes: 1 << 20}}, Repeats: 1, Every: []int{}, Budget: 100 * time.Millisecond}
	if _, err := runFake(t.Context(), t, d, config, nil); err != nil {
		t.Fatal(err)
	}
	if most := int64(growingLimit + 16<<20); d.peakBytes > most {
		t.Errorf("peak %d bytes, want at most %d", d.peakBytes, most)
	}
}

func TestEveryNSyncsGroupsAndTheLastShortOne(t *testing.T) {
	for _, test := range []struct{ writes, barriers int }{
		{20, 2},   // two groups
		{25, 3},   // two groups and a last sync for five
		{4, 1},    // one short group
		{100, 10}, // ten groups
	} {
		d := newFakeDisk(1*us, 99*us)
		config := Config{Shapes: []Shape{{RecordBytes: 200, Writes: test.writes}}, Repeats: 1, Every: []int{10}}
		result, err := runFake(t.Context(), t, d, config, nil)
		if err != nil {
			t.Fatal(err)
		}
		ops := d.turnsOf("fdatasync after every 10 appends", growing)[0][warmWrites(test.writes, 10)+1:] // past one warm group and its barrier
		writes, barriers := 0, 0
		for i, op := range ops {
			if op == "write" {
				writes++
			} else if barriers++; writes%10 != 0 && i != len(ops)-1 {
				t.Errorf("%d writes: barrier after write %d", test.writes, writes)
			}
		}
		if writes != test.writes || barriers != test.barriers {
			t.Errorf("%d writes: %d written, %d barriers; want %d", test.writes, writes, barriers, test.barriers)
		}
		row := find(t, result, "fdatasync/10", growing)
		if !row.AcknowledgedBeforeSync || row.LostAtMost != 9 {
			t.Errorf("fdatasync/10: acknowledged before sync %v, lost at most %d", row.AcknowledgedBeforeSync, row.LostAtMost)
		}
		if test.writes == 4 && !near(row.RecordsPerSecond, 4/(103e-6)) {
			t.Errorf("short group: %v records/s, want its sync counted", *row.RecordsPerSecond)
		}
	}
	result, _ := runFake(t.Context(), t, newFakeDisk(us, us), Config{Budget: 10 * time.Millisecond}, nil)
	if row := find(t, result, "none", growing); !row.AcknowledgedBeforeSync || row.LostAtMost != -1 {
		t.Errorf("none: acknowledged before sync %v, lost at most %d", row.AcknowledgedBeforeSync, row.LostAtMost)
	}
	if row := find(t, result, "fsync", growing); row.AcknowledgedBeforeSync || row.LostAtMost != 0 {
		t.Errorf("fsync: acknowledged before sync %v, lost at most %d", row.AcknowledgedBeforeSync, row.LostAtMost)
	}
}

// A turn cut by time in the middle of a group ends with a sync all the same.
func TestCutGroupIsSynced(t *testing.T) {
	d := newFakeDisk(70*us, 200*us)
	if _, err := runFake(t.Context(), t, d, Config{Budget: 500 * time.Millisecond}, nil); err != nil {
		t.Fatal(err)
	}
	for _, ops := range d.turnsOf("fdatasync after every 50 appends", prepared) {
		if last := ops[len(ops)-1]; last != "barrier" {
			t.Errorf("turn of %d operations ends with %s", len(ops), last)
		}
	}
}

func TestErrorStopsTheRunAndNeverCounts(t *testing.T) {
	for _, cause := range []error{syscall.EIO, syscall.ENOSPC} {
		for _, nth := range []int{2, 100, 1001, 5000} { // in a try, a warm-up or a measured part
			d := newFakeDisk(1*us, 99*us)
			d.fail = map[int]error{nth: cause}
			config := Config{Shapes: []Shape{{RecordBytes: 200, Writes: 300}}, Repeats: 3}
			result, err := runFake(t.Context(), t, d, config, nil)
			if !errors.Is(err, cause) {
				t.Fatalf("error %v, want %v", err, cause)
			}
			if d.ops != nth {
				t.Errorf("%d operations after operation %d failed", d.ops-nth, nth)
			}
			if result.Interrupted {
				t.Error("a failure is not an interruption")
			}
			failed := slices.DeleteFunc(slices.Clone(result.Rows), func(row Row) bool { return row.Error == "" })
			if len(failed) != 1 {
				t.Fatalf("%d rows have the error, want 1", len(failed))
			}
			for _, part := range []string{failed[0].Mode, failed[0].File + " file", " fake: "} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not name %q", err, part)
				}
			}
			var written, counted int64
			for _, op := range d.log {
				if op == "write" {
					written++
				}
			}
			for _, row := range result.Rows {
				counted += row.Writes
				if row.Append != nil && row.Append.N != row.Writes {
					t.Errorf("%s %s: %d samples of %d writes", row.Mode, row.File, row.Append.N, row.Writes)
				}
			}
			if counted > written {
				t.Errorf("%d appends counted of %d written", counted, written)
			}
		}
	}
}

// The append whose barrier failed is not counted, those before it are.
func TestFailedBarrierIsNotAnAppend(t *testing.T) {
	d := newFakeDisk(1*us, 99*us)
	config := Config{Shapes: []Shape{{RecordBytes: 200, Writes: 300}}, Repeats: 1, Every: []int{}}
	b := &bench{config: config.withDefaults(), disk: d, now: d.now, arms: newArms(config, fakeMethods()[1:2])}
	if err := d.prepare(4 << 20); err != nil {
		t.Fatal(err)
	}
	d.fail = map[int]error{2 * (30 + 5): syscall.EIO} // 30 to warm up, then the fifth
	a := b.arms[0]
	if err := b.turn(t.Context(), a, 0); !errors.Is(err, syscall.EIO) {
		t.Fatalf("turn: %v", err)
	}
	if row := a.row(); row.Writes != 4 || row.Append.N != 4 {
		t.Errorf("%d appends counted, want 4", row.Writes)
	}
}

func TestRefusedModeIsNotAvailable(t *testing.T) {
	for _, cause := range []error{syscall.ENOTSUP, syscall.EINVAL, syscall.ENOSYS} {
		d := newFakeDisk(1*us, 99*us)
		d.fail = map[int]error{3: cause} // the barrier of fdatasync's try
		result, err := runFake(t.Context(), t, d, Config{Budget: 100 * time.Millisecond}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{growing, prepared} {
			if row := find(t, result, "fdatasync", file); !strings.Contains(row.NA, cause.Error()) || row.Append != nil {
				t.Errorf("fdatasync %s: n/a %q, want %q", file, row.NA, cause)
			}
		}
		if row := find(t, result, "fsync", growing); row.NA != "" {
			t.Errorf("fsync: n/a %q", row.NA)
		}
	}
}

func TestCancelKeepsWhatWasMeasured(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	started := 0
	d := newFakeDisk(1*us, 99*us)
	result, err := runFake(ctx, t, d, Config{Budget: time.Second}, func(p Progress) {
		if started++; started == 4 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || !result.Interrupted {
		t.Fatalf("error %v, interrupted %v", err, result.Interrupted)
	}
	measured, waiting := 0, 0
	for _, row := range result.Rows {
		switch {
		case row.Writes > 0:
			measured++
		case row.NA == notReached:
			waiting++
		}
		if row.Error != "" {
			t.Errorf("%s: error %q for an interruption", row.Mode, row.Error)
		}
	}
	if measured != 3 || waiting == 0 {
		t.Errorf("%d rows measured, %d not reached; want 3 and the rest", measured, waiting)
	}
}

func TestProgressNamesTheTurnAndItsShare(t *testing.T) {
	for _, config := range []Config{{Budget: 200 * time.Millisecond}, {Shapes: []Shape{{RecordBytes: 4096, Writes: 100}}}} {
		d := newFakeDisk(1*us, 99*us)
		var last Progress
		_, err := runFake(t.Context(), t, d, config, func(p Progress) {
			if p.Done < last.Done || p.What == "" {
				t.Errorf("progress %+v after %+v", p, last)
			}
			last = p
		})
		if err != nil {
			t.Fatal(err)
		}
		if share := float64(last.Done) / float64(last.Total); share < 0.8 || share > 1 {
			t.Errorf("%+v: the last turn starts at %v of the total", config, share)
		}
	}
}

func TestTiesAreFoundAndOnlyOnTheSameFile(t *testing.T) {
	result, err := runFake(t.Context(), t, newFakeDisk(1*us, 99*us), Config{Budget: 200 * time.Millisecond}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if row := find(t, result, "fdatasync", growing); !slices.Equal(row.TiedWith, []string{"fsync", "O_DSYNC"}) {
		t.Errorf("fdatasync is tied with %v, want fsync and O_DSYNC", row.TiedWith)
	}
	if row := find(t, result, "none", prepared); row.TiedWith != nil || row.Low == nil || *row.Low != *row.High {
		t.Errorf("none: tied with %v, spread %v to %v", row.TiedWith, row.Low, row.High)
	}
}

func TestConfigIsRefused(t *testing.T) {
	for name, config := range map[string]Config{
		"no shape":         {Shapes: []Shape{}},
		"no bytes":         {Shapes: []Shape{{RecordBytes: 0}}},
		"too many bytes":   {Shapes: []Shape{{RecordBytes: maxRecordBytes + 1}}},
		"negative writes":  {Shapes: []Shape{{RecordBytes: 1, Writes: -1}}},
		"time and count":   {Shapes: []Shape{{RecordBytes: 1, Writes: 1}, {RecordBytes: 2}}},
		"a size twice":     {Shapes: []Shape{{RecordBytes: 1}, {RecordBytes: 1}}},
		"every 1":          {Every: []int{1}},
		"every twice":      {Every: []int{10, 10}},
		"negative repeats": {Repeats: -1},
		"negative budget":  {Budget: -1},
	} {
		config.Dir = t.TempDir()
		if _, err := Run(t.Context(), config, nil); err == nil || !strings.HasPrefix(err.Error(), "tax: config: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
