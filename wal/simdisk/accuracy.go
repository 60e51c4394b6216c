package simdisk

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

// Accuracy says how well a device kept its flush times: how much later than
// asked for its syncs returned. A sync never returns early. With a median of a
// few microseconds the flush time is what Options say; with more, the machine
// had no processor to spare when flushes ended, and what was measured is a
// slower device.
type Accuracy struct {
	Flushes int64 // completed syncs of files and directories
	Median  time.Duration
	P99     time.Duration
	Max     time.Duration // exact; Median and P99 are at most 1/16 too high
}

// String returns the accuracy as one phrase for a report.
func (a Accuracy) String() string {
	if a.Flushes == 0 {
		return "no flushes"
	}
	return fmt.Sprintf("%d flushes returned late by %v (median), %v (p99), %v (max)", a.Flushes, a.Median, a.P99, a.Max)
}

// latenesses counts durations in buckets that are 1/16 of their value wide, so
// that the memory of a device does not grow with its flushes.
//
//	[0,16) ns     one bucket for each nanosecond
//	[2^k,2^k+1)   16 buckets, for k = 4, 5, ...
type latenesses struct {
	buckets [(64 - subBits) << subBits]int64
	count   int64
	max     time.Duration
}

const subBits = 4

// add counts one duration. One below zero, which a Wait that returns early
// makes, counts as zero.
func (l *latenesses) add(late time.Duration) {
	late = max(late, 0)
	l.buckets[bucketOf(uint64(late))]++
	l.count++
	l.max = max(l.max, late)
}

func (l *latenesses) accuracy() Accuracy {
	return Accuracy{
		Flushes: l.count,
		Median:  l.quantile(0.50),
		P99:     l.quantile(0.99),
		Max:     l.max,
	}
}

// quantile returns a duration that at least the share q of all counted ones
// does not exceed: the top of a bucket, or the maximum if that is lower.
func (l *latenesses) quantile(q float64) time.Duration {
	need := int64(math.Ceil(q * float64(l.count)))
	var seen int64
	for i, n := range l.buckets {
		seen += n
		if seen >= need && seen > 0 {
			return min(topOf(i), l.max)
		}
	}
	return 0
}

// bucketOf returns the bucket of v: v itself while it is below 16, and else
// the number of its leading bit and the four bits below that.
func bucketOf(v uint64) int {
	shift := max(bits.Len64(v)-subBits-1, 0)
	return shift<<subBits + int(v>>shift)
}

// topOf returns the largest value whose bucket is i: the inverse of bucketOf.
func topOf(i int) time.Duration {
	shift := max(i>>subBits-1, 0)
	mantissa := uint64(i - shift<<subBits)
	return time.Duration((mantissa+1)<<shift - 1)
}
