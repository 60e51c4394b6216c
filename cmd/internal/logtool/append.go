// Package logtool is walbench's log commands: append to a log, dump, verify,
// repair and trim it, for scripts and for curious people.
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
// When ctx ends, or a line cannot be appended, no further line is begun. Those
// begun are finished, and each that became durable is reported: afterwards
// the log holds what out was told of, and no line besides, unless out failed.
// The goroutine that reads in is not waited for, since it may be stuck in a
// read.
func Append(ctx context.Context, c AppendConfig, in io.Reader, out io.Writer) error {
	if err := appendLines(ctx, c, in, out); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// appendLines returns the first failure; the end of ctx is none. A log that
// fails here fails again when it is closed, which is not worth a second word.
func appendLines(ctx context.Context, c AppendConfig, in io.Reader, out io.Writer) (err error) {
	log, err := wal.Open(c.Dir, wal.Options{Sync: c.Sync, SegmentSize: c.SegmentBytes})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := log.Close(); err == nil {
			err = cerr
		}
	}()
	committer, err := commit.New(log, commit.Options{Policy: c.Policy})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := committer.Close(); err == nil {
			err = cerr
		}
	}()

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	a := &appender{committer: committer, out: out, stop: stop}
	lines := make(chan line)
	go a.read(ctx, in, wal.MaxRecord(c.SegmentBytes), lines)
	var writers sync.WaitGroup
	for range c.Writers {
		writers.Go(func() { a.write(ctx, lines) })
	}
	writers.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed
}

// appender is what the reader of the lines and the writers share.
type appender struct {
	committer *commit.Committer
	stop      func() // ends the reading and the writing

	mu     sync.Mutex // held while out is written to
	out    io.Writer
	failed error // the first failure
}

// read hands out the lines of in until its end or that of ctx.
func (a *appender) read(ctx context.Context, in io.Reader, limit int64, lines chan<- line) {
	defer close(lines)
	r := bufio.NewReaderSize(in, 64<<10)
	for number := 1; ; number++ {
		record, err := readLine(r, limit)
		if err == io.EOF {
			return
		}
		if err != nil {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.failLocked(number, err)
			return
		}
		select {
		case lines <- line{number, record}:
		case <-ctx.Done():
			return
		}
	}
}

// write appends lines until there are none, or ctx ends.
func (a *appender) write(ctx context.Context, lines <-chan line) {
	for {
		select {
		case l, ok := <-lines:
			if !ok {
				return
			}
			a.append(l)
		case <-ctx.Done():
			return
		}
	}
}

// append appends a line and reports it. The end of a context does not cut it
// short: then nobody would know whether the line is in the log.
func (a *appender) append(l line) {
	lsn, err := a.committer.Commit(context.Background(), l.record)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		_, err = fmt.Fprintf(a.out, "%d %d\n", uint64(lsn), l.number)
	}
	if err != nil {
		a.failLocked(l.number, err)
	}
}

// failLocked keeps the first failure, and stops what has not begun.
func (a *appender) failLocked(number int, err error) {
	if a.failed == nil {
		a.failed = fmt.Errorf("line %d: %w", number, err)
		a.stop()
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
