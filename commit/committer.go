package commit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"walbench.example/wal"
)

// log is what a Committer needs of a *wal.Log. Any error of Flush is final;
// Append says wal.ErrFull when a Flush will make room.
type log interface {
	Append(rec []byte) (wal.LSN, error)
	AppendBatch(recs [][]byte) (wal.LSN, error)
	Flush(cut func(wal.Extent)) error
	Durable() wal.LSN
	Next() wal.LSN
}

// DefaultMaxPending is the value of Options.MaxPending that 0 stands for.
const DefaultMaxPending = 16 << 20

// recordOverhead is what a record counts in MaxPending beside its bytes, so
// that empty records are bounded too. It is about what the log frames it with.
const recordOverhead = 32

// Options configure a Committer. The zero value is adaptive group commit.
type Options struct {
	// Policy says when to flush; nil is Adaptive().
	Policy Policy

	// MaxPending bounds the bytes appended and not yet durable, each record
	// counted with a few bytes of overhead. Appends beyond it wait. An append
	// that is larger by itself is let in when nothing else is pending. 0 is
	// DefaultMaxPending.
	MaxPending int64

	// OnFlush, if set, is called after each flush that had something to write,
	// failed or not, before its waiters are woken. The flusher calls it: it
	// must be quick and must not call the Committer.
	OnFlush func(Flush)
}

// A Committer makes records of a log durable for many goroutines at once, each
// flush for as many of them as the policy brings together. All methods may be
// called concurrently.
//
// After the first failed flush the log is finished: every caller waiting and
// every later call gets that failure. What was acknowledged before stays so.
type Committer struct {
	log     log
	decider decider
	onFlush func(Flush)
	cut     func(wal.Extent) // c.cutBatch, bound once
	began   time.Time

	room *gate // pending bytes; taken before Append, given back when durable
	turn *gate // appends in the filling batch; nil if the policy sets no bound

	signal chan struct{} // wakes the parked flusher; holds one
	done   chan struct{} // closed when the flusher has ended

	// mu is taken inside the log's mutex (by the cut), so no method of the log
	// may be called while it is held.
	mu sync.Mutex

	// The records of the log, in LSN order, are acknowledged below flushedEnd,
	// in flying from there to inflightEnd, and in filling from there on. With
	// no flush in flight flying is nil and the two ends are equal. Both ends
	// only grow.
	flushedEnd  wal.LSN
	inflightEnd wal.LSN
	flying      *batch
	filling     *batch // settled once failed
	spare       []*batch

	parked  bool  // the flusher waits for signal
	asked   step  // and for this; zero: for anything at all
	closed  bool  // Close was called
	stopped bool  // no flush will follow
	failed  error // the failed flush, as told to those whose records it hit
	stats   Stats

	// Of the flusher alone.
	extent wal.Extent // of the last cut
	timer  *time.Timer
	clock  stillness
}

// New returns a committer for log and starts its flusher. The log stays the
// caller's: it must outlive the committer, whose Close does not close it, and
// should not be flushed by anybody else meanwhile: what Sync, or Trim of
// everything, makes durable is acknowledged, but not counted in Stats.
func New(log *wal.Log, o Options) (*Committer, error) {
	if log == nil {
		return nil, errors.New("commit: new: log is nil")
	}
	return open(log, o)
}

func open(l log, o Options) (*Committer, error) {
	if o.Policy == nil {
		o.Policy = Adaptive()
	}
	if o.MaxPending == 0 {
		o.MaxPending = DefaultMaxPending
	}
	if o.MaxPending < 0 {
		return nil, fmt.Errorf("commit: new: MaxPending %d is negative", o.MaxPending)
	}
	d, err := o.Policy.start()
	if err != nil {
		return nil, fmt.Errorf("commit: new: %w", err)
	}
	c := &Committer{
		log:     l,
		decider: d,
		onFlush: o.OnFlush,
		began:   time.Now(),
		room:    newGate(o.MaxPending),
		signal:  make(chan struct{}, 1),
		done:    make(chan struct{}),
	}
	if n := o.Policy.appends(); n > 0 {
		c.turn = newGate(n)
	}
	c.timer = time.NewTimer(time.Hour)
	c.timer.Stop()
	c.cut = c.cutBatch
	c.flushedEnd = l.Durable()
	c.inflightEnd = c.flushedEnd
	c.filling = c.newBatchLocked()
	go c.run()
	return c, nil
}

// Commit appends rec and returns once it is durable, as are all records before
// it. It copies rec. When ctx ends or the flush fails after the append, the
// error is ErrIndeterminate and the LSN says where the record stands, if it
// survives; with any other error nothing was appended.
func (c *Committer) Commit(ctx context.Context, rec []byte) (wal.LSN, error) {
	return c.append(ctx, entry{rec: rec, records: 1, bytes: int64(len(rec))}, true)
}

// CommitBatch is Commit for records that become durable all or none. It
// returns the LSN of the last; an empty batch does nothing and returns 0.
func (c *Committer) CommitBatch(ctx context.Context, recs [][]byte) (wal.LSN, error) {
	if len(recs) == 0 {
		return 0, nil
	}
	return c.append(ctx, batchEntry(recs), true)
}

// Append appends rec without waiting for it to be durable; Wait does that, and
// a flush follows by itself. It copies rec. It blocks only while MaxPending
// bytes are pending, the log's buffer is full or, with PerWrite, another record
// is to be flushed first. An error means that nothing was appended, unless it
// is ErrIndeterminate.
func (c *Committer) Append(ctx context.Context, rec []byte) (wal.LSN, error) {
	return c.append(ctx, entry{rec: rec, records: 1, bytes: int64(len(rec))}, false)
}

// AppendBatch is Append for records that become durable all or none. It
// returns the LSN of the last; an empty batch does nothing and returns 0.
func (c *Committer) AppendBatch(ctx context.Context, recs [][]byte) (wal.LSN, error) {
	if len(recs) == 0 {
		return 0, nil
	}
	return c.append(ctx, batchEntry(recs), false)
}

// Wait returns once the record at lsn is durable, as are all before it. 0 and
// positions from the log's Next on are refused: nothing was appended there. Of
// a record that was durable in time Wait says so even after Close or a failed
// flush.
func (c *Committer) Wait(ctx context.Context, lsn wal.LSN) error {
	if lsn == 0 || lsn >= c.log.Next() {
		return fmt.Errorf("commit: wait for %v: nothing was appended there", lsn)
	}
	c.mu.Lock()
	b, err := c.batchOfLocked(lsn)
	if b == nil {
		c.mu.Unlock()
		return err
	}
	b.waiters++
	c.nudgeLocked()
	return c.awaitLocked(ctx, b)
}

// Flush makes everything appended before the call durable, now, whatever the
// policy says. With nothing pending it does no I/O.
func (c *Committer) Flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit: flush: %w", err)
	}
	next := c.log.Next()
	c.mu.Lock()
	b := c.filling
	switch {
	case c.failed != nil, c.closed:
		err := c.failed
		if err == nil {
			err = ErrClosed
		}
		c.mu.Unlock()
		return err
	case !b.empty() || next > c.inflightEnd:
		c.urgeLocked(ReasonExplicit)
	case c.flying != nil:
		b = c.flying
	default:
		c.mu.Unlock()
		return nil
	}
	return c.awaitLocked(ctx, b)
}

// Close flushes what is pending and ends the flusher. Whoever has appended gets
// his answer; calls that still wait to append, and later ones, get ErrClosed.
// It returns the failure of a flush, if there was one, and a second Close waits
// for the first and returns the same.
func (c *Committer) Close() error {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		c.closeGates(ErrClosed)
		c.nudgeLocked()
	}
	c.mu.Unlock()
	<-c.done

	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// Stats returns the counts so far.
func (c *Committer) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// now returns the time on the scale of views and accounts.
func (c *Committer) now() time.Duration { return time.Since(c.began) }

func (c *Committer) closeGates(err error) {
	c.room.close(err)
	if c.turn != nil {
		c.turn.close(err)
	}
}
