package ledger

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"walbench.example/commit"
	"walbench.example/wal"
)

// Never is the position of what did not happen.
const Never = math.MaxUint64

// Entry is a record that was appended. Positions are numbers of events of the
// device: what a cut at position n left is required to hold a record if
// Acked <= n, and may hold it only if Begun < n.
type Entry struct {
	Name
	First, Size uint32  // the batch: serial of its first record, number of records
	LSN         wal.LSN // of the last record of the batch
	Begun       uint64  // read before it was appended
	Acked       uint64  // read after it was acknowledged, or recovered; Never
	Gone        uint64  // read after a recovery that did not show it; Never
}

// Trim is a call of Log.Trim.
type Trim struct {
	Below wal.LSN
	Begun uint64
}

// Ledger is what happened to a log, in LSN order.
type Ledger struct {
	Seed    uint64
	Entries []Entry
	Trims   []Trim
}

// Book writes a ledger while the log is in use. Its methods may be called
// concurrently.
type Book struct {
	Position *atomic.Uint64 // of the device

	mu     sync.Mutex
	ledger Ledger
}

// NewBook returns a book that continues a ledger.
func NewBook(position *atomic.Uint64, l Ledger) *Book {
	return &Book{Position: position, ledger: Ledger{l.Seed, slices.Clone(l.Entries), slices.Clone(l.Trims)}}
}

// Writer commits records under one number.
type Writer struct {
	Book   *Book
	Number uint32
	serial uint32
	buf    [][]byte
}

// Commit commits the next n records of the writer as a batch, and enters them.
// The position of an acknowledgement is read after it, never before: the
// device may be ahead by then, which makes the ledger ask for less, but an
// acknowledgement that came before its flush stands in the ledger before it.
func (w *Writer) Commit(ctx context.Context, c *commit.Committer, n int) (wal.LSN, error) {
	batch := make([]Entry, n)
	for len(w.buf) < n {
		w.buf = append(w.buf, nil)
	}
	for i := range batch {
		batch[i] = Entry{Name: Name{w.Number, w.serial + uint32(i)}, First: w.serial, Size: uint32(n)}
		w.buf[i] = appendRecord(w.buf[i][:0], w.Book.ledger.Seed, &batch[i])
	}
	w.serial += uint32(n)
	begun := w.Book.Position.Load()
	var lsn wal.LSN
	var err error
	if n == 1 {
		lsn, err = c.Commit(ctx, w.buf[0])
	} else {
		lsn, err = c.CommitBatch(ctx, w.buf[:n])
	}
	acked := w.Book.Position.Load()
	if err != nil {
		acked = Never
		if !errors.Is(err, commit.ErrIndeterminate) {
			return 0, err // nothing was appended: it must never be seen
		}
	}
	w.Book.enter(batch, lsn, begun, acked)
	return lsn, err
}

func (b *Book) enter(batch []Entry, lsn wal.LSN, begun, acked uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range batch {
		e.LSN, e.Begun, e.Acked, e.Gone = lsn, begun, acked, Never
		b.ledger.Entries = append(b.ledger.Entries, e)
	}
}

// Trim trims the log, and enters it.
func (b *Book) Trim(log *wal.Log, below wal.LSN) error {
	b.mu.Lock()
	b.ledger.Trims = append(b.ledger.Trims, Trim{below, b.Position.Load()})
	b.mu.Unlock()
	return log.Trim(below)
}

// Acked returns the LSN of the record n before the last that was acknowledged,
// or 0.
func (b *Book) Acked(n int) wal.LSN {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ledger.Entries) <= n {
		return 0
	}
	return b.ledger.Entries[len(b.ledger.Entries)-1-n].LSN
}

// Close returns the ledger. Nobody may be using the book.
func (b *Book) Close() Ledger {
	l := b.ledger
	slices.SortFunc(l.Entries, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.LSN, y.LSN), cmp.Compare(x.Gone, y.Gone), cmp.Compare(x.Serial, y.Serial))
	})
	return l
}
