package simdisk

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A quantile is never below the exact one, at most 1/16 above it, and never
// above the maximum.
func TestQuantileBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(-10, math.MaxInt64), 1, 200).Draw(t, "values")
		var l latenesses
		for i, v := range values {
			l.add(time.Duration(v))
			values[i] = max(v, 0)
		}
		slices.Sort(values)
		for _, q := range []float64{0.5, 0.99, 1} {
			exact := values[int(math.Ceil(q*float64(len(values))))-1]
			got := int64(l.quantile(q))
			if got < exact || got-exact > exact/16 || got > int64(l.max) {
				t.Fatalf("quantile %v of %v: got %d, want %d to %d", q, values, got, exact, exact+exact/16)
			}
		}
	})
}

func TestNoFlushesNoAccuracy(t *testing.T) {
	a := New(Options{}).Accuracy()
	if a != (Accuracy{}) || a.String() != "no flushes" {
		t.Errorf("accuracy of an unused device: %+v, %q", a, a)
	}
}
