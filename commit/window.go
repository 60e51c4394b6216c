package commit

import (
	"fmt"
	"math"
	"time"
)

// Window flushes delay after the oldest pending record came, or as soon as
// that many records or bytes are pending. It trades latency for company
// without looking whether any is coming: a lone writer pays the whole delay,
// plus the flush, for each commit. A delay of 0 is Greedy; 0 records or bytes
// set no cap. Negative values are refused by New.
//
// The delay counts from the record, not from the moment the disk is free, so
// time spent behind the previous flush counts, and no commit waits for two
// windows. Its last millisecond is spent yielding the processor instead of in
// a timer, which would round it up by as much; Stats tells the delays asked
// for from those that came out.
func Window(delay time.Duration, records int, bytes int64) Policy {
	return window{delay, records, bytes}
}

type window struct {
	delay   time.Duration
	records int
	bytes   int64
}

func (w window) String() string {
	return fmt.Sprintf("window(%v,%d,%d)", w.delay, w.records, w.bytes)
}

// longest keeps a delay that stands for ever, with caps to end it, from
// overflowing when a time is added.
const longest = time.Duration(math.MaxInt64 / 2)

func (w window) start() (decider, error) {
	if w.delay < 0 || w.records < 0 || w.bytes < 0 {
		return nil, fmt.Errorf("%v: negative value", w)
	}
	w.delay = min(w.delay, longest)
	return w, nil
}

func (window) appends() int64  { return 0 }
func (window) flushed(account) {}

func (w window) next(v view) step {
	if w.delay == 0 {
		return step{flush: ReasonIdle}
	}
	s := step{until: v.first + w.delay, records: w.records, bytes: w.bytes}
	switch {
	case s.met(v):
		s.flush = ReasonFull
	case s.over(v):
		s.flush = ReasonWindow
	}
	return s
}
