package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{4, 1}, 2.5},
		{[]float64{9, 1, 5}, 5},
		{[]float64{4, 1, 1000, 2}, 3},
	} {
		before := slices.Clone(test.values)
		if got := Median(test.values); got != test.want {
			t.Errorf("Median(%v) = %v, want %v", before, got, test.want)
		}
		if !slices.Equal(test.values, before) {
			t.Errorf("Median changed its argument from %v to %v", before, test.values)
		}
	}
}

func TestMedianOfNothingPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Median(nil) returned")
		}
	}()
	Median(nil)
}

func TestSpreadDropsDisturbedRepeats(t *testing.T) {
	for _, test := range []struct {
		values    []float64
		low, high float64
		ok        bool
	}{
		{nil, 0, 0, false},
		{[]float64{1, 2}, 0, 0, false},
		{[]float64{3, 1, 2}, 1, 3, true},
		{[]float64{6, 5, 4, 3, 2, 1}, 1, 6, true},
		{[]float64{1, 2, 3, 4, 5, 6, 99}, 2, 6, true},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 98, 99}, 3, 10, true},
	} {
		low, high, ok := Spread(test.values)
		if low != test.low || high != test.high || ok != test.ok {
			t.Errorf("Spread(%v) = %v, %v, %v; want %v, %v, %v", test.values, low, high, ok, test.low, test.high, test.ok)
		}
	}
}

func TestTiedWhereSpreadsOverlap(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b []float64
		want bool
	}{
		{"apart", []float64{1, 2, 3}, []float64{4, 5, 6}, false},
		{"touching", []float64{1, 2, 3}, []float64{3, 4, 5}, true},
		{"one inside the other", []float64{1, 5, 9}, []float64{4, 5, 6}, true},
		{"one disturbed repeat of seven", []float64{1, 1, 1, 1, 1, 1, 50}, []float64{40, 40, 40, 40, 40, 40, 40}, false},
		{"too few repeats to tell", []float64{1, 2}, []float64{1, 2, 3}, false},
	} {
		if got := Tied(test.a, test.b); got != test.want {
			t.Errorf("%s: Tied(%v, %v) = %v, want %v", test.name, test.a, test.b, got, test.want)
		}
		if got := Tied(test.b, test.a); got != test.want {
			t.Errorf("%s: not symmetric", test.name)
		}
	}
}

// The rate at which the rule calls two measurements of one thing different is
// part of its doc comment: 10 in 100 with three repeats, 3 with more.
func TestTiedRarelySplitsEquals(t *testing.T) {
	const seed, trials = 3, 20_000
	for repeats, most := range map[int]float64{3: 0.11, 4: 0.035, 5: 0.035, 7: 0.035, 8: 0.035, 12: 0.035} {
		random := rand.New(rand.NewPCG(seed, uint64(repeats)))
		split := 0
		for range trials {
			a, b := make([]float64, repeats), make([]float64, repeats)
			for i := range repeats {
				a[i], b[i] = random.NormFloat64(), random.NormFloat64()
			}
			if !Tied(a, b) {
				split++
			}
		}
		if rate := float64(split) / trials; rate > most {
			t.Errorf("seed %d: %d repeats: equals split at a rate of %v, want at most %v", seed, repeats, rate, most)
		}
	}
}
