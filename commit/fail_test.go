package commit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	"walbench.example/wal"
)

// Promise 4 and case CON-10, https://github.com/cockroachdb/pebble/pull/824:
// when a flush fails everybody in it, everybody queued behind it and everybody
// after get that failure. Nobody hangs, nobody is told success.
func TestFailedFlushAnswersEverybody(t *testing.T) {
	for _, p := range policies {
		t.Run(p.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { failOneFlush(t, p) })
		})
	}
}

func failOneFlush(t *testing.T, p Policy) {
	dev := newHoldDevice()
	l := newFakeLog(dev.flush)
	var hook error
	c := mustOpen(t, l, Options{Policy: p, MaxPending: 1 << 10, OnFlush: func(f Flush) { hook = f.Err }})

	durable, err := c.Append(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	<-dev.started
	dev.end <- nil
	if err := c.Wait(context.Background(), durable); err != nil {
		t.Fatal(err)
	}

	cancellable, cancel := context.WithCancel(context.Background())
	defer cancel()
	var mu sync.Mutex
	var answers []error
	var wg sync.WaitGroup
	commit := func() {
		for i := range 32 {
			ctx := context.Background()
			if i%2 == 0 {
				ctx = cancellable
			}
			wg.Go(func() {
				_, err := c.Commit(ctx, make([]byte, 20))
				mu.Lock()
				answers = append(answers, err)
				mu.Unlock()
			})
		}
	}
	commit()
	<-dev.started // some in flight, some behind it
	commit()      // and some held back by MaxPending
	synctest.Wait()
	next := l.Next()
	dev.end <- fmt.Errorf("wal: sync 00000001.wal: %w", syscall.EIO)
	wg.Wait()
	commit()
	wg.Wait()

	lost := 0
	for _, err := range answers {
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("answer %v, want EIO", err)
		}
		if errors.Is(err, ErrIndeterminate) {
			lost++
		}
	}
	if len(answers) != 96 {
		t.Errorf("%d answers to 96 calls", len(answers))
	}
	if want := int((next-durable)/lsnStep) - 1; lost != want {
		t.Errorf("%d answers are indeterminate, %d records were appended", lost, want)
	}
	if !errors.Is(hook, syscall.EIO) {
		t.Errorf("OnFlush was told %v", hook)
	}
	checkFailed(t, c, durable)
}

// checkFailed checks what a committer says once a flush has failed.
func checkFailed(t *testing.T, c *Committer, durable wal.LSN) {
	t.Helper()
	if err := c.Flush(context.Background()); !errors.Is(err, syscall.EIO) {
		t.Errorf("Flush: %v", err)
	}
	if err := c.Wait(context.Background(), durable); err != nil {
		t.Errorf("Wait for what was durable before: %v", err)
	}
	if first, second := c.Close(), c.Close(); !errors.Is(first, syscall.EIO) || first != second {
		t.Errorf("Close: %v, then %v", first, second)
	}
}
