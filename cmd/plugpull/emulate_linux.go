package main

import (
	"context"
	"runtime"
	"time"
)

// wait takes d, to the microsecond: a timer may be a millisecond late
// (runtime/netpoll_epoll.go), so the rest is spent yielding.
func wait(d time.Duration) {
	const late = 1200 * time.Microsecond
	until := time.Now().Add(d)
	if d > late {
		time.Sleep(d - late)
	}
	for time.Now().Before(until) {
		runtime.Gosched()
	}
}

func emulate(ctx context.Context, e *emulation) int { return 1 }
