// Package logtool is walbench's log commands: append to a log, dump it, verify
// it and trim it, for scripts and for curious people.
package logtool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"walbench.example/commit"
	"walbench.example/wal"
)

// AppendConfig says how Append appends.
type AppendConfig struct {
	Dir          string
	Writers      int // concurrent appenders
	Policy       commit.Policy
	Sync         wal.SyncMethod
	SegmentBytes int64
}

// line is one record to append, with its number from 1.
type line struct {
	number int
	record []byte
}

// Append appends the lines of in as records and writes "<lsn> <line number>"
// to out for each once it is durable, in one write a line. A line is what
// ends in a newline, or in the end of the input, and the newline is no part
// of it. With several writers lines may be appended, and are reported, in any
// order.
//
// When ctx ends, lines that were handed to a writer are still finished.
func Append(ctx context.Context, c AppendConfig, in io.Reader, out io.Writer) (err error) {
	log, err := wal.Open(c.Dir, wal.Options{Sync: c.Sync, SegmentSize: c.SegmentBytes})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	committer, err := commit.New(log, commit.Options{Policy: c.Policy})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := committer.Close(); err == nil {
			err = cerr
		}
	}()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lines := make(chan line)
	go read(ctx, cancel, in, wal.MaxRecord(c.SegmentBytes), lines)
	a := &appender{committer: committer, out: out, stop: cancel}
	var writers sync.WaitGroup
	for range c.Writers {
		writers.Go(func() { a.run(lines) })
	}
	// The reader ends the writers: at the end of the input, or when ctx ends
	// and it is not stuck in a read. A stuck one is left behind.
	finished := make(chan struct{})
	go func() { writers.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-ctx.Done():
		a.close()
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return nil
}

type appender struct {
	committer *commit.Committer
	stop      context.CancelCauseFunc

	mu     sync.Mutex
	out    io.Writer
	closed bool
}

// run appends lines until there are none.
func (a *appender) run(lines <-chan line) {
	for l := range lines {
		lsn, err := a.committer.Commit(context.Background(), l.record)
		if err == nil {
			err = a.report(lsn, l.number)
		} else {
			err = fmt.Errorf("line %d: %w", l.number, err)
		}
		if err != nil {
			a.stop(err)
			return
		}
	}
}

func (a *appender) report(lsn wal.LSN, number int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil
	}
	_, err := fmt.Fprintf(a.out, "%d %d\n", uint64(lsn), number)
	return err
}

// close ends reporting: nothing is written after it returns.
func (a *appender) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
}

// read hands out the lines of in until its end or that of ctx.
func read(ctx context.Context, fail context.CancelCauseFunc, in io.Reader, limit int64, lines chan<- line) {
	defer close(lines)
	r := bufio.NewReaderSize(in, 64<<10)
	for number := 1; ; number++ {
		record, err := readLine(r, limit)
		if err == io.EOF {
			return
		}
		if err != nil {
			fail(fmt.Errorf("line %d: %w", number, err))
			return
		}
		select {
		case lines <- line{number, record}:
		case <-ctx.Done():
			return
		}
	}
}

// readLine returns the next line, or io.EOF where there is none. It does not
// gather more than a record can hold.
func readLine(r *bufio.Reader, limit int64) ([]byte, error) {
	var record []byte
	for {
		part, err := r.ReadSlice('\n')
		record = append(record, part...)
		if int64(len(record)) > limit+1 {
			return nil, fmt.Errorf("%w: a record is at most %d bytes with segments of this size", wal.ErrTooLarge, limit)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(record) > 0, err == nil:
			return bytes.TrimSuffix(record, []byte("\n")), nil
		}
		return nil, err
	}
}
