package wal

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Log is a write-ahead log in one directory. Its methods may be called from
// any goroutine.
//
// A record's way through it:
//
//	Append   copies the record into the filling buffer: memory only
//	Flush    takes the buffer, writes it, waits for the barrier
//	Durable  moves up
//
// While one buffer is being flushed the other fills, so an append never waits
// for the disk. What else a segment needs (zeros, a header, a name) happens
// in the background before the segment is needed: see preparer.
type Log struct {
	opts     Options
	dir      *dir
	lock     io.Closer
	seed     uint32 // of every frame's checksum
	recovery Recovery
	prepare  *preparer
	stats    counters

	// trimming is held for the whole of a Trim, beside which flushes go on, and
	// by Close. It is taken before flushing.
	trimming turn

	// flushing is held for the whole of a flush, and by whoever else writes to
	// segments that hold records. It is taken before mu and before the
	// preparer's mutex.
	flushing turn
	spare    *buffer    // the buffer that is not filling; guarded by flushing
	method   SyncMethod // of flushes: Options.Sync, until Close; guarded by flushing

	// durable is the promise: every record with a smaller LSN is durable. It
	// only grows, and only after the barrier returned nil (promise 2). Written
	// with flushing held.
	durable atomic.Uint64

	mu      sync.Mutex
	filling *buffer
	active  *segment   // where filling ends: the newest segment
	next    *segment   // the successor, name durable, no frame in it; nil if not ready
	live    []*segment // the log, oldest first; the last is active
	want    int64      // frame bytes that an Append found no segment for; 0: none
	refused error      // why the last try to make a segment failed, until an Append has heard of it
	lived   int64      // bytes appended since Open
	closed  bool

	// err is the first failed write into, or failed sync of, a segment that
	// holds records. It is final: see fail (promise 4).
	err error
}

// Extent is what one flush covers.
type Extent struct {
	End     LSN   // no record below is missing from the flush, none at or above is in it
	Records int   // 0: nothing was pending
	Bytes   int64 // of the records, without framing
}

// Append copies rec into the log's buffer and returns its LSN. It does no I/O:
// the record is durable once a Flush or Sync that began later returns nil. An
// empty record is legal.
//
// Errors before anything is appended: ErrFull (Sync, then append again),
// ErrNoSpace or another reason why there is no next segment, ErrTooLarge,
// ErrReadOnly, ErrClosed, and after a failed flush that failure, for good.
//
// The LSN of a record that a crash took without a trace may be given again.
func (l *Log) Append(rec []byte) (LSN, error) {
	recs, sums := [1][]byte{rec}, [1]uint32{payloadSum(l.seed, rec)}
	return l.append(recs[:], sums[:])
}

// AppendBatch appends the records as one: after a crash all of them are there
// or none. They stand next to each other in the log. It returns the LSN of
// the last one, and 0 for a batch of no records, which is no operation.
// Errors are those of Append.
func (l *Log) AppendBatch(recs [][]byte) (LSN, error) {
	if len(recs) == 0 {
		return 0, nil
	}
	sums := make([]uint32, len(recs))
	for i, rec := range recs {
		sums[i] = payloadSum(l.seed, rec)
	}
	return l.append(recs, sums)
}

func (l *Log) append(recs [][]byte, sums []uint32) (LSN, error) {
	var need int64
	for _, rec := range recs {
		need += frameSize(len(rec))
		if len(rec) > maxPayload {
			need = MaxSegmentSize
			break
		}
	}
	if limit := l.opts.SegmentSize - segmentOverhead; need > limit {
		return 0, fmt.Errorf("%w: %d bytes with framing, a segment of %d holds %d", ErrTooLarge, need, l.opts.SegmentSize, limit)
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return 0, err
	}
	b := l.filling
	if !b.empty() && int64(len(b.data))+need > l.opts.BufferSize {
		return 0, ErrFull
	}
	if err := l.makeRoom(need); err != nil {
		return 0, err
	}
	if b.empty() {
		b.begin(l.seed)
	}
	start := b.next()
	lsn := b.add(recs, sums)
	if l.active.first == 0 {
		l.active.first = start
	}
	l.lived += need
	return lsn, nil
}

// makeRoom sees to it that need bytes of frames fit behind the buffer in its
// segment, by crossing into the next one if they do not. A growing segment is
// left as soon as a prepared one is ready: its flushes are the slower ones.
func (l *Log) makeRoom(need int64) error {
	b := l.filling
	total := need
	if b.empty() {
		total += flushSize
	}
	fits := b.end()+total+markSize+sealSize <= b.to.size
	ready := l.next != nil && b.from == nil && segmentOverhead+need <= l.next.size
	leave := b.empty() && ready && b.to.growing(b.end()) && !l.next.growing(headerSize+linkSize)
	switch {
	case fits && !leave:
		return nil
	case ready:
		l.cross()
		return nil
	}
	if err := l.refused; err != nil {
		l.refused, l.want = nil, 0
		return err
	}
	l.want = max(l.want, need)
	return ErrFull
}

// cross makes the next segment the active one.
func (l *Log) cross() {
	b := l.filling
	l.active.end = b.end()
	b.cross(l.next, l.seed)
	l.active, l.next = l.next, nil
	l.live = append(l.live, l.active)
}

// usable says whether the log takes records.
func (l *Log) usable() error {
	switch {
	case l.opts.ReadOnly:
		return ErrReadOnly
	case l.closed:
		return ErrClosed
	}
	return l.err
}

// Durable returns the log's promise: every record with a smaller LSN is
// durable, by Options.Sync, its segment's name included. It never shrinks.
// With SyncNone it moves only where the log syncs all the same: when a
// segment is left behind, and at Close.
func (l *Log) Durable() LSN { return LSN(l.durable.Load()) }

// Next returns the end of the log: every record to come has an LSN that is
// not smaller, and every record appended so far a smaller one.
func (l *Log) Next() LSN {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.filling.next()
}

// First returns the LSN of the oldest record, or Next for an empty log.
func (l *Log) First() LSN {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.firstLocked()
}

func (l *Log) firstLocked() LSN {
	for _, s := range l.live {
		if s.first != 0 {
			return s.first
		}
	}
	return l.filling.next()
}

// Recovery returns what Open found.
func (l *Log) Recovery() Recovery { return l.recovery }
