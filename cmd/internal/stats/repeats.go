package stats

import "slices"

// minRepeats is the fewest repeats that have a spread. Of two arms that do not
// differ, the ranges of two repeats each would still lie apart one time in
// three.
const minRepeats = 3

// Median returns the middle of values, or the mean of the middle two. It
// panics if values is empty, as slices.Max does. It does not change values.
func Median(values []float64) float64 {
	if len(values) == 0 {
		panic("stats: median of no values")
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return sorted[middle-1] + (sorted[middle]-sorted[middle-1])/2
}

// Spread returns the range within which the repeats of one measurement fell.
// The rule: the lowest and the highest repeat, after one repeat was dropped on
// each side for every five beyond the first two (7 to 11 repeats drop one on
// each side, 12 to 16 two), so that one disturbed repeat does not decide it.
// Fewer than three repeats have no spread: ok is false.
func Spread(values []float64) (low, high float64, ok bool) {
	n := len(values)
	if n < minRepeats {
		return 0, 0, false
	}
	sorted := slices.Sorted(slices.Values(values))
	drop := (n - 2) / 5
	return sorted[drop], sorted[n-1-drop], true
}

// Tied reports whether the repeats of two measurements do not tell them apart.
// The rule: their spreads overlap or touch. Two measurements of the same thing
// come out as different at most 3 times in 100 with four repeats or more, and
// 10 in 100 with three. If either has fewer, nothing can be said, and Tied is
// false: check Spread first.
func Tied(a, b []float64) bool {
	lowA, highA, okA := Spread(a)
	lowB, highB, okB := Spread(b)
	return okA && okB && lowA <= highB && lowB <= highA
}
