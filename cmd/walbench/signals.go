package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// oneStop is how long after the first signal another counts as the same
// request: timeout(1) signals its child and then its whole group. Whoever
// presses Ctrl-C again is slower.
const oneStop = 250 * time.Millisecond

// lastCleanup is what a second signal waits for the work directory to go.
const lastCleanup = 250 * time.Millisecond

// heed turns the first SIGINT or SIGTERM into the end of the context it
// returns, with errInterrupted as the cause. The second ends the process at
// once, after cleanup if that is quick. stop gives the signals back and
// returns when cleanup is not going to be called any more.
func heed(cleanup func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		var first time.Time
		for {
			select {
			case <-signals:
			case <-done:
				return
			}
			if first.IsZero() {
				first = time.Now()
				cancel(errInterrupted)
			} else if time.Since(first) > oneStop {
				leave(cleanup)
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		<-left
		cancel(nil)
	}
}

func leave(cleanup func()) {
	clean := make(chan struct{})
	go func() {
		cleanup()
		close(clean)
	}()
	select {
	case <-clean:
	case <-time.After(lastCleanup):
	}
	os.Exit(exitInterrupted)
}

// ignorePipe makes a write to a reader that has gone an error. Without it the
// signal ends the process in the middle of a run, and the work directory
// stays behind.
func ignorePipe() { signal.Ignore(syscall.SIGPIPE) }
