package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"walbench.example/cmd/plugpull/internal/host"
	"walbench.example/cmd/plugpull/internal/ledger"
	"walbench.example/commit"
	"walbench.example/wal"
)

// check mounts what a cut left, opens the log and compares it with the ledger.
func (a *agent) check(q *check, r *reply) error {
	if q.Ledger != nil {
		a.ledger = *q.Ledger
	}
	if err := a.mount(); err != nil {
		r.Where, r.Failure = "mount", err.Error()
		return nil
	}
	against := &a.ledger
	if q.Second {
		against = &a.next
	}
	if err := a.open(q, against, r); err != nil {
		r.Failure, r.Ledger = err.Error(), against
	}
	return host.Unmount(a.dir)
}

func (a *agent) open(q *check, against *ledger.Ledger, r *reply) (err error) {
	r.Where = "open"
	log, err := wal.Open(a.logDir(), wal.Options{SegmentSize: q.Segment, Sync: q.Sync})
	if err != nil {
		return err
	}
	opened := a.position.Load()
	defer func() {
		if cerr := log.Close(); err == nil && cerr != nil {
			r.Where, err = "close", cerr
		}
	}()
	r.Where = "check"
	r.Torn = log.Recovery().TornBytes
	var shown []bool
	r.Finding, shown, err = against.Check(q.Cut, log.Records(0))
	if err != nil || !q.Again {
		return err
	}
	r.Where = "append"
	a.next, err = a.appendAgain(log, against.Recovered(q.Cut, opened, shown, true))
	return err
}

// appendAgain goes on with a recovered log, as its owner would after the
// lights are back.
func (a *agent) appendAgain(log *wal.Log, l ledger.Ledger) (ledger.Ledger, error) {
	c, err := commit.New(log, commit.Options{})
	if err != nil {
		return l, err
	}
	book := ledger.NewBook(a.position, l)
	err = together(againAppenders, func(i int) error {
		w := ledger.Writer{Book: book, Number: afterCut + uint32(i)}
		for n := range againCommits {
			if _, err := w.Commit(context.Background(), c, 1+n%2); err != nil && !errors.Is(err, wal.ErrNoSpace) {
				return fmt.Errorf("commit after recovery: %w", err)
			}
		}
		return nil
	})
	return book.Close(), errors.Join(err, c.Close())
}

const (
	againAppenders = 4
	againCommits   = 8

	// Writers' numbers are never used twice in one log.
	afterError = 1000 // of the first appender after an error and a reopening
	afterCut   = 2000 // and after a cut
)

// together runs f for 0 to n-1 at once and returns their errors.
func together(n int, f func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
