package commit

import (
	"context"
	"errors"
	"fmt"

	"walbench.example/wal"
)

// An entry is what one call appends: one record, or a batch of them.
type entry struct {
	rec     []byte
	recs    [][]byte // nil: rec
	records int
	bytes   int64
}

func batchEntry(recs [][]byte) entry {
	e := entry{recs: recs, records: len(recs)}
	for _, rec := range recs {
		e.bytes += int64(len(rec))
	}
	return e
}

func (e *entry) charge() int64 { return e.bytes + int64(e.records)*recordOverhead }

// append admits e, appends it and, if wait is set, waits until it is durable.
// From admission to enter the entry holds a share of c.room; the flusher does
// not stop while anybody holds one, so an entry that reaches the log reaches a
// batch too.
func (c *Committer) append(ctx context.Context, e entry, wait bool) (wal.LSN, error) {
	if err := c.admit(ctx, &e); err != nil {
		return 0, err
	}
	for {
		var lsn wal.LSN
		var err error
		if e.recs == nil {
			lsn, err = c.log.Append(e.rec)
		} else {
			lsn, err = c.log.AppendBatch(e.recs)
		}
		if err == nil {
			return lsn, c.enter(ctx, lsn, &e, wait)
		}
		if errors.Is(err, wal.ErrFull) {
			if err = c.awaitRoom(ctx); err == nil {
				continue
			}
		}
		c.withdraw(&e)
		return 0, err
	}
}

// admit takes e's turn and room.
func (c *Committer) admit(ctx context.Context, e *entry) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit: append: %w", err)
	}
	if c.turn != nil {
		if err := c.turn.acquire(ctx, 1, nil); err != nil {
			return err
		}
	}
	// Held up, it nudges the flusher, who may be waiting for company.
	if err := c.room.acquire(ctx, e.charge(), c.nudge); err != nil {
		if c.turn != nil {
			c.turn.release(1)
		}
		return err
	}
	return nil
}

// withdraw gives back what admit took.
func (c *Committer) withdraw(e *entry) {
	if c.turn != nil {
		c.turn.release(1)
	}
	c.room.release(e.charge())
	c.nudge() // a closing flusher waits for the last share of room
}

// enter puts the appended entry into the batch whose flush covers it, and
// waits for that flush if asked to. Between the append and here that flush may
// have been cut, or be over.
func (c *Committer) enter(ctx context.Context, lsn wal.LSN, e *entry, wait bool) error {
	c.mu.Lock()
	b, err := c.batchOfLocked(lsn)
	switch {
	case b == nil:
		c.mu.Unlock()
		c.withdraw(e)
		return err
	case c.turn == nil:
	case b == c.filling:
		b.turns++ // until its cut
	default:
		c.turn.release(1)
	}
	b.records += e.records
	b.bytes += e.bytes
	b.charge += e.charge()
	if wait {
		b.waiters++
	}
	c.nudgeLocked()
	if wait {
		return c.awaitLocked(ctx, b)
	}
	c.mu.Unlock()
	return nil
}

// awaitRoom waits for a flush that begins now, because the log's buffer is full or
// its next segment is not there yet. Nothing of the caller's was appended, so
// no error of it is ErrIndeterminate; a failed flush is left for the log to
// report when it is appended to again.
func (c *Committer) awaitRoom(ctx context.Context) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	if c.stopped {
		c.mu.Unlock()
		return nil
	}
	b := c.filling
	c.urgeLocked(ReasonFull)
	err := c.awaitLocked(ctx, b)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("commit: append: %w", ctx.Err())
	}
	return nil
}

// urgeLocked asks for the filling batch to be flushed at once.
func (c *Committer) urgeLocked(why Reason) {
	if c.filling.empty() {
		c.filling.first = c.now()
	}
	c.filling.urge = max(c.filling.urge, why)
	c.nudgeLocked()
}
