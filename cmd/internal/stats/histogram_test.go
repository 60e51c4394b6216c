package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Percentiles must be within 0.1 % of the exact ones, over five decades and
// across a knee: 1 sample in 50 is a thousand times slower.
func TestPercentilesAreWithinOneInAThousand(t *testing.T) {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	histogram := NewHistogram()
	var exact []time.Duration
	for range 100_000 {
		d := time.Duration(math.Exp(random.Float64()*4) * float64(10*time.Microsecond))
		if random.IntN(50) == 0 {
			d *= 1000
		}
		exact = append(exact, d)
		histogram.Record(d)
	}
	slices.Sort(exact)
	latency := histogram.Latency()
	for _, check := range []struct {
		name string
		q    float64
		got  *float64
	}{{"p50", 0.50, latency.P50}, {"p95", 0.95, latency.P95}, {"p99", 0.99, latency.P99}} {
		want := exact[int(math.Round(check.q*float64(len(exact))))-1].Seconds()
		if check.got == nil || math.Abs(*check.got-want) > want/1000 {
			t.Errorf("seed %d: %s = %v, want %v within 0.1 %%", seed, check.name, deref(check.got), want)
		}
	}
	if want := exact[len(exact)-1].Seconds(); *latency.Max != want {
		t.Errorf("seed %d: max = %v, want exactly %v", seed, *latency.Max, want)
	}
	if latency.N != int64(len(exact)) {
		t.Errorf("n = %d, want %d", latency.N, len(exact))
	}
}

func TestPercentileNeedsTenSamplesBeyondIt(t *testing.T) {
	for _, test := range []struct {
		samples       int
		p50, p95, p99 bool
	}{
		{0, false, false, false},
		{1, false, false, false},
		{19, false, false, false},
		{20, true, false, false},
		{199, true, false, false},
		{200, true, true, false},
		{999, true, true, false},
		{1000, true, true, true},
	} {
		histogram := NewHistogram()
		for range test.samples {
			histogram.Record(time.Millisecond)
		}
		got := histogram.Latency()
		if (got.P50 != nil) != test.p50 || (got.P95 != nil) != test.p95 || (got.P99 != nil) != test.p99 {
			t.Errorf("%d samples: p50 %v, p95 %v, p99 %v; want told: %v, %v, %v", test.samples,
				deref(got.P50), deref(got.P95), deref(got.P99), test.p50, test.p95, test.p99)
		}
		if (got.Max != nil) != (test.samples > 0) {
			t.Errorf("%d samples: max %v", test.samples, deref(got.Max))
		}
	}
}

func TestPercentileNeverExceedsMaximum(t *testing.T) {
	histogram := NewHistogram()
	for range 1000 {
		histogram.Record(1_000_001 * time.Nanosecond)
	}
	latency := histogram.Latency()
	if *latency.P99 > *latency.Max || *latency.Max != 0.001000001 {
		t.Errorf("p99 %v above max %v", *latency.P99, *latency.Max)
	}
}

func TestMergeEqualsRecordingInOne(t *testing.T) {
	const seed = 11
	random := rand.New(rand.NewPCG(seed, seed))
	one, merged := NewHistogram(), NewHistogram()
	for range 8 {
		writer := NewHistogram()
		for range 500 {
			d := time.Duration(random.Int64N(int64(time.Second)))
			one.Record(d)
			writer.Record(d)
		}
		merged.Merge(writer)
	}
	got, want := merged.Latency(), one.Latency()
	if *got.P50 != *want.P50 || *got.P95 != *want.P95 || *got.P99 != *want.P99 || *got.Max != *want.Max || got.N != want.N {
		t.Errorf("seed %d: merged %v %v, want %v %v", seed, *got.P99, got.N, *want.P99, want.N)
	}
}

func TestRecordOutOfRange(t *testing.T) {
	histogram := NewHistogram()
	for range 20 {
		histogram.Record(-time.Second)
	}
	histogram.Record(3 * time.Hour)
	got := histogram.Latency()
	if *got.P50 != 0 || *got.Max != (3*time.Hour).Seconds() || got.N != 21 {
		t.Errorf("p50 %v, max %v, n %d; want 0, 10800, 21", *got.P50, *got.Max, got.N)
	}
}

func TestRecordAllocatesNothing(t *testing.T) {
	histogram := NewHistogram()
	d := time.Duration(1)
	if n := testing.AllocsPerRun(1000, func() { histogram.Record(d); d += 12345 }); n != 0 {
		t.Errorf("Record allocates %v times", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	histogram := NewHistogram()
	d := time.Duration(1)
	for b.Loop() {
		histogram.Record(d & (1<<22 - 1))
		d += 12345
	}
}

func deref(p *float64) any {
	if p == nil {
		return nil
	}
	return *p
}
