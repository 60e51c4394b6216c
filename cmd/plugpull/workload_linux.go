package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"walbench.example/cmd/plugpull/internal/host"
	"walbench.example/cmd/plugpull/internal/ledger"
	"walbench.example/commit"
	"walbench.example/wal"
)

// policies are the ways to group commits that runs take turns in.
var policies = []func() commit.Policy{
	commit.Adaptive,
	commit.Greedy,
	func() commit.Policy { return commit.Window(200*time.Microsecond, 4, 1<<20) },
}

// workload is one scenario being played.
type workload struct {
	*playing
	dir  string
	book *ledger.Book

	refused atomic.Int64
}

// run plays a scenario from mount to unmount.
func (a *agent) run(q *playing, r *reply) error {
	if err := a.mount(); err != nil {
		return err
	}
	if q.Scenario.Free > 0 {
		if err := a.fill(q.Scenario.Free); err != nil {
			return errors.Join(err, host.Unmount(a.dir))
		}
	}
	w := &workload{playing: q, dir: a.logDir(), book: ledger.NewBook(a.position, ledger.Ledger{Seed: q.Seed})}
	r.Where = "run"
	if err := w.play(r); err != nil {
		r.Failure = err.Error()
	}
	l := w.book.Close()
	r.Ledger = &l
	return host.Unmount(a.dir)
}

// fill leaves so many bytes free.
func (a *agent) fill(free int64) error {
	f, err := os.Create(filepath.Join(a.dir, "ballast"))
	if err != nil {
		return err
	}
	defer f.Close()
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return err
	}
	n := int64(st.Bavail)*st.Bsize - free
	if err := unix.Fallocate(int(f.Fd()), 0, 0, n); err != nil {
		return fmt.Errorf("fill the disk: %w", err)
	}
	return f.Sync()
}

// play uses the log until it is done or the log is broken. A log that was
// meant to break is opened again, on the same mount: the page cache may then
// show what the disk does not have.
func (w *workload) play(r *reply) error {
	err := w.live(0)
	r.Refused = int(w.refused.Load())
	if err == nil || !w.Scenario.fails() || !errors.Is(err, unix.EIO) || errors.Is(err, errVerdict) {
		return err
	}
	r.Erred = true
	err = w.live(afterError)
	r.Reopened = err == nil
	if errors.Is(err, errVerdict) {
		return err
	}
	return nil // the file system may have taken itself out of use
}

// errVerdict is an error that a broken disk does not excuse.
var errVerdict = errors.New("the log is at fault")

// live is one life of the log: opened, appended to, closed.
func (w *workload) live(first uint32) (err error) {
	log, err := wal.Open(w.dir, wal.Options{SegmentSize: w.Scenario.Segment, Sync: w.Sync})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if first > 0 {
		if err := w.recovered(log); err != nil {
			return err
		}
	}
	c, err := commit.New(log, commit.Options{Policy: policies[w.Policy]()})
	if err != nil {
		return err
	}
	due, trimmed := make(chan struct{}, 1), make(chan error, 1)
	go func() { trimmed <- w.trim(log, due) }()
	err = together(w.Scenario.Appenders, func(i int) error { return w.append(log, c, first+uint32(i), due) })
	close(due)
	err = errors.Join(err, <-trimmed)
	if err != nil {
		err = errors.Join(err, w.sticks(log, c, first))
	}
	return errors.Join(err, c.Close())
}

// recovered takes what a reopened log shows into the books: it is promised
// from now on.
func (w *workload) recovered(log *wal.Log) error {
	l := w.book.Close()
	now := w.book.Position.Load()
	_, shown, err := l.Check(now, log.Records(0))
	if err != nil {
		return fmt.Errorf("%w: reopened after the error: %w", errVerdict, err)
	}
	w.book = ledger.NewBook(w.book.Position, l.Recovered(now, now, shown, false))
	return nil
}

// append is one appender. A full disk refuses records, and takes them again
// once something was trimmed.
func (w *workload) append(log *wal.Log, c *commit.Committer, number uint32, due chan<- struct{}) error {
	by := ledger.Writer{Book: w.book, Number: number}
	for n := range w.Scenario.Commits {
		_, err := by.Commit(context.Background(), c, 1+n%w.Scenario.Batch)
		if errors.Is(err, wal.ErrNoSpace) && w.Scenario.Free > 0 {
			w.refused.Add(1)
			err = w.book.Trim(log, w.book.Acked(20))
		}
		if err != nil {
			return err
		}
		select {
		case due <- struct{}{}:
		default:
		}
	}
	return nil
}

// trim gives up what is a few segments old, beside the appenders, as often as
// it can while they append.
func (w *workload) trim(log *wal.Log, due <-chan struct{}) error {
	for range due {
		if !w.Scenario.Trim {
			continue
		}
		if err := w.book.Trim(log, w.book.Acked(150)); err != nil {
			return err
		}
	}
	return nil
}

// sticks makes sure that a log which has failed once acknowledges nothing.
func (w *workload) sticks(log *wal.Log, c *commit.Committer, first uint32) error {
	by := ledger.Writer{Book: w.book, Number: first + uint32(w.Scenario.Appenders)}
	if _, err := by.Commit(context.Background(), c, 1); err == nil {
		return fmt.Errorf("%w: a record was acknowledged after the log had failed", errVerdict)
	}
	if err := log.Sync(); err == nil {
		return fmt.Errorf("%w: a sync returned nil after the log had failed", errVerdict)
	}
	return nil
}
