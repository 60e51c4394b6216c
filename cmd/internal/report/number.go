package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// notAvailable stands where a figure is missing.
const notAvailable = "n/a"

// number writes v with three significant digits and a comma at the thousands.
func number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return notAvailable
	}
	v = round3(v)
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a >= 1e15 || a < 1e-4:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case a >= 100:
		return count(int64(v))
	default:
		exponent := int(math.Floor(math.Log10(a)))
		return strconv.FormatFloat(v, 'f', 2-exponent, 64)
	}
}

// round3 rounds to three significant digits. It goes through the decimal
// text, so that a power of ten is hit exactly.
func round3(v float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}

// count writes n in full with a comma at the thousands.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// seconds writes a time in the unit that leaves one to three digits before
// the point.
func seconds(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return notAvailable
	}
	v = round3(v)
	switch a := math.Abs(v); {
	case a == 0:
		return "0 s"
	case a < 1e-6:
		return number(v*1e9) + " ns"
	case a < 1e-3:
		return number(v*1e6) + " us"
	case a < 1:
		return number(v*1e3) + " ms"
	default:
		return number(v) + " s"
	}
}

// percentile writes one percentile of n samples; nil had too few of them.
func percentile(v *float64, n int64) string {
	if v == nil {
		return fmt.Sprintf("%s (n=%d)", notAvailable, n)
	}
	return seconds(*v)
}

// optional writes *v with the given function, or that it is missing.
func optional(v *float64, write func(float64) string) string {
	if v == nil {
		return notAvailable
	}
	return write(*v)
}

func percent(fraction float64) string { return number(fraction*100) + " %" }

func times(ratio float64) string { return number(ratio) + "x" }

// spread writes how far repeats lie from their median: half the width of
// low to high in percent of it. Without a high there was no spread to tell.
func spread(low, high, median float64) string {
	half := (high - low) / 2 / median * 100
	if high == 0 || math.IsNaN(half) || math.IsInf(half, 0) {
		return ""
	}
	return fmt.Sprintf("±%.0f%%", half)
}

// Size writes a number of bytes in the largest binary unit that divides it,
// in the form that the flags take: 200B, 4KiB.
func Size(n int64) string { return strings.Replace(size(n), " ", "", 1) }

// size is Size for reading: 200 B, 4 KiB.
func size(n int64) string {
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{" GiB", 1 << 30}, {" MiB", 1 << 20}, {" KiB", 1 << 10}} {
		if n >= unit.bytes && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10) + " B"
}

// space writes an amount of disk to three digits in decimal units, as disks
// are sold and as MB/s is meant.
func space(n int64) string {
	switch v := float64(n); {
	case n < 0:
		return notAvailable
	case v >= 1e9:
		return number(v/1e9) + " GB"
	default:
		return number(v/1e6) + " MB"
	}
}
