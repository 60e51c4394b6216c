package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// alternate returns n sizes that take turns between a and b.
func alternate(n, a, b int) []int {
	return slices.Repeat([]int{a, b}, (n+1)/2)[:n]
}

func constant(n, size int) []int { return slices.Repeat([]int{size}, n) }

func random(n, low, high int, seed uint64) []int {
	source := rand.New(rand.NewPCG(seed, seed))
	sizes := make([]int, n)
	for i := range sizes {
		sizes[i] = low + source.IntN(high-low+1)
	}
	return sizes
}

func TestLag1(t *testing.T) {
	ramp := make([]int, 100)
	for i := range ramp {
		ramp[i] = i
	}
	for _, test := range []struct {
		name   string
		series []int
		want   float64
		within float64
	}{
		{"1 7 1 7", alternate(100, 1, 7), -0.99, 1e-9},
		{"a ramp", ramp, 0.97, 1e-2},
		{"random", random(10_000, 1, 7, 5), 0, 0.04},
	} {
		got, ok := Lag1(test.series)
		if !ok || math.Abs(got-test.want) > test.within {
			t.Errorf("%s: Lag1 = %v, %v; want %v within %v", test.name, got, ok, test.want, test.within)
		}
	}
}

func TestLag1NeedsEnoughThatDiffer(t *testing.T) {
	for _, series := range [][]int{nil, {1}, alternate(19, 1, 7), constant(100, 4)} {
		if got, ok := Lag1(series); ok {
			t.Errorf("Lag1 of %d values = %v, want none", len(series), got)
		}
	}
}

func TestTwoCohorts(t *testing.T) {
	drifting := []int{}
	for i := range 60 {
		small := 1 + i/15
		drifting = append(drifting, small, 8-small)
	}
	ragged := alternate(100, 1, 7)
	for i := 0; i < len(ragged); i += 10 {
		ragged[i] = 2
	}
	for _, test := range []struct {
		name    string
		batches []int
		writers int
		want    bool
	}{
		{"1 7 1 7 under 8", alternate(40, 1, 7), 8, true},
		{"1 7 1 7 with stragglers", ragged, 8, true},
		{"cohorts that drift from 1 7 to 4 4", drifting, 8, true},
		{"4 4 4 4 under 8", constant(40, 4), 8, true},
		{"1 1 1 1 under 2", constant(40, 1), 2, true},
		{"one cohort of all 8", constant(40, 8), 8, false},
		{"a lone writer", constant(40, 1), 1, false},
		{"random sizes", random(200, 1, 7, 9), 8, false},
		{"1 1 1 1 under 8", constant(40, 1), 8, false},
		{"too few", alternate(19, 1, 7), 8, false},
		{"none", nil, 8, false},
	} {
		if got := TwoCohorts(test.batches, test.writers); got != test.want {
			t.Errorf("%s: TwoCohorts = %v, want %v", test.name, got, test.want)
		}
	}
}
