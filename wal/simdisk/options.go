package simdisk

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Limits of what is worth simulating. They also keep the cost of any flush
// within a time.Duration.
const (
	maxFlush   = time.Minute
	maxPerByte = 1e6 // ns: a device of one kilobyte per second
)

const perByteUnit = "ns/B"

// Options describe a device. The zero value is a device that flushes in no
// time, which makes a plain file system in memory.
type Options struct {
	// Flush is what every flush takes, however little there is to write.
	// From 0 to one minute.
	Flush time.Duration

	// PerByte is what a flush takes on top for each byte written since the
	// last one, in nanoseconds. It is the inverse of a bandwidth in GB/s: 0.4
	// is 2.5 GB/s. From 0 to 1e6.
	PerByte float64

	// Wait blocks until the deadline has passed. It is called without any
	// lock held, by several goroutines at once if several sync at once. Nil
	// yields the processor in a loop, which is accurate but burns whatever
	// processor time nobody else wants, and which never ends in a synctest
	// bubble, where the clock stands still while anybody runs. There use
	// SleepUntil, which is exact in virtual time.
	Wait func(deadline time.Time)
}

// Parse reads a device from a command line: the time of a flush, and after a
// plus sign the cost of a byte, as in "200us", "2.6ms" or "200us+0.4ns/B". A
// flush time of zero is refused: it is no device to measure on. The error
// names the part that is wrong.
func Parse(text string) (Options, error) {
	flush, perByte, priced := strings.Cut(text, "+")
	var o Options
	var err error
	if o.Flush, err = time.ParseDuration(flush); err != nil {
		return Options{}, fmt.Errorf("simdisk: parse %q: flush time %q: want a number and a unit, such as 200us", text, flush)
	}
	if o.Flush == 0 {
		return Options{}, fmt.Errorf("simdisk: parse %q: flush time %q: must be above zero", text, flush)
	}
	if priced {
		number, ok := strings.CutSuffix(perByte, perByteUnit)
		if o.PerByte, err = strconv.ParseFloat(number, 64); !ok || err != nil {
			return Options{}, fmt.Errorf("simdisk: parse %q: cost per byte %q: want a number and the unit %s, such as 0.4ns/B", text, perByte, perByteUnit)
		}
	}
	if err := o.validate(); err != nil {
		return Options{}, fmt.Errorf("simdisk: parse %q: %w", text, err)
	}
	return o, nil
}

// String returns the device in the form that Parse reads. Parse gives the
// same Flush and PerByte back, exactly; Wait has no text.
func (o Options) String() string {
	text := strings.Replace(o.Flush.String(), "µ", "u", 1)
	if o.PerByte != 0 {
		text += "+" + strconv.FormatFloat(o.PerByte, 'f', -1, 64) + perByteUnit
	}
	return text
}

func (o Options) validate() error {
	if o.Flush < 0 {
		return fmt.Errorf("flush time %v: must not be negative", o.Flush)
	}
	if o.Flush > maxFlush {
		return fmt.Errorf("flush time %v: must not be above %v", o.Flush, maxFlush)
	}
	// Written so that NaN fails.
	if !(o.PerByte >= 0 && o.PerByte <= maxPerByte) {
		return errors.New("cost per byte " + strconv.FormatFloat(o.PerByte, 'g', -1, 64) + perByteUnit + ": must be from 0 to 1000000" + perByteUnit)
	}
	return nil
}

// cost returns how long the device is busy with one flush of n bytes.
func (o Options) cost(n int64) time.Duration {
	return o.Flush + time.Duration(o.PerByte*float64(n))
}
