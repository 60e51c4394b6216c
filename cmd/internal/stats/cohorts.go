package stats

// minBatches is the fewest batches from which a pattern is read: below it the
// standard error of a lag-1 autocorrelation, 1/sqrt(n), exceeds 0.22.
const minBatches = 20

// alternating is the lag-1 autocorrelation at or below which batch sizes take
// turns. Of series of independent sizes from 1 to 7 it was reached by 1.4 in 100
// with twenty batches, and by 1 in 10,000 with fifty.
const alternating = -0.5

// Lag1 returns the lag-1 autocorrelation of series: near -1 where large and
// small values take turns (1 7 1 7), near 0 where neighbours know nothing of
// each other, near 1 where they resemble each other. It is false for fewer
// than twenty values and where all are equal, which leaves nothing to
// correlate.
func Lag1(series []int) (float64, bool) {
	if len(series) < minBatches {
		return 0, false
	}
	mean := mean(series)
	var product, square float64
	for i, value := range series {
		d := float64(value) - mean
		square += d * d
		if i+1 < len(series) {
			product += d * (float64(series[i+1]) - mean)
		}
	}
	if square == 0 {
		return 0, false
	}
	return product / square, true
}

// TwoCohorts reports whether batches, the records of successive flushes of a
// group policy under so many closed-loop writers, show that the writers split
// into two cohorts that take turns: while one waits for its flush, the other
// queues for the next, and each flush carries only its share.
//
// The rule, on at least twenty batches: the sizes alternate (mean above 1 and
// lag-1 autocorrelation at most -0.5), or at least nine of ten successive
// pairs add up to exactly the number of writers. The second finds cohorts of
// equal size, whose batches are constant (4 4 4 4 under 8 writers) and so have
// no autocorrelation. Batches of per-write say nothing: they are always 1.
func TwoCohorts(batches []int, writers int) bool {
	if len(batches) < minBatches || writers < 2 {
		return false
	}
	lag1, ok := Lag1(batches)
	if ok && lag1 <= alternating && mean(batches) > 1 {
		return true
	}
	pairs := 0
	for i := range len(batches) - 1 {
		if batches[i]+batches[i+1] == writers {
			pairs++
		}
	}
	return pairs*10 >= (len(batches)-1)*9
}

func mean(series []int) float64 {
	sum := 0
	for _, value := range series {
		sum += value
	}
	return float64(sum) / float64(len(series))
}
