package wal

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
)

// ledger drives a log and keeps book of what it owes: every batch that was
// appended, and how many of them were acknowledged.
type ledger struct {
	t       testing.TB
	log     *Log
	batches []batch
	acked   int // batches[:acked] must survive whatever comes
	trimmed int // batches[:trimmed] may be gone
	serial  int
}

type batch struct {
	recs [][]byte
	lsn  LSN // of the last record
}

// append appends a batch of so many records of about so many bytes each,
// making room as the log asks. It reports an error that is not ErrFull.
func (g *ledger) append(count, size int) error {
	var b batch
	for range count {
		g.serial++
		b.recs = append(b.recs, payload(g.serial, size))
	}
	return g.appendBatch(b)
}

func (g *ledger) appendBatch(b batch) error {
	for {
		// Counted first: what fails below may have reached the disk, or not.
		lsn, err := g.log.AppendBatch(b.recs)
		if err == nil {
			b.lsn = lsn
			g.batches = append(g.batches, b)
			return nil
		}
		if !errors.Is(err, ErrFull) {
			return err
		}
		if err := g.sync(); err != nil {
			return err
		}
	}
}

// sync acknowledges what was appended.
func (g *ledger) sync() error {
	n := len(g.batches)
	err := g.log.Sync()
	if err == nil {
		g.acked = n
	}
	return err
}

// put is append and sync, which must succeed.
func (g *ledger) put(count, size int) {
	g.t.Helper()
	if err := g.append(count, size); err != nil {
		g.t.Fatalf("append: %v", err)
	}
	if err := g.sync(); err != nil {
		g.t.Fatalf("sync: %v", err)
	}
}

// close closes the log, which must succeed and acknowledges everything.
func (g *ledger) close() {
	g.t.Helper()
	mustClose(g.t, g.log)
	g.acked = len(g.batches)
}

// check compares a log with the ledger, of which it must hold the acknowledged
// batches at least, whole batches only, and nothing that was not appended. It
// returns how many batches there are, from the first of the ledger on.
func (g *ledger) check(l *Log, acked int) (int, error) {
	next, part := -1, 0
	for r, err := range l.Records(0) {
		if err != nil {
			return 0, err
		}
		if next < 0 {
			if next = g.find(r.Data); next < 0 || next > g.trimmed {
				return 0, fmt.Errorf("the log begins with record %.20q of batch %d, trimmed are %d", r.Data, next, g.trimmed)
			}
		}
		if next >= len(g.batches) {
			return 0, fmt.Errorf("record %v %.20q was never appended", r.LSN, r.Data)
		}
		b := g.batches[next]
		if !bytes.Equal(r.Data, b.recs[part]) {
			return 0, fmt.Errorf("record %v is %.20q, want record %d of batch %d, %.20q", r.LSN, r.Data, part, next, b.recs[part])
		}
		if part++; part == len(b.recs) {
			if r.LSN != b.lsn {
				return 0, fmt.Errorf("batch %d has LSN %v, was acknowledged as %v", next, r.LSN, b.lsn)
			}
			next, part = next+1, 0
		}
	}
	if part > 0 {
		return 0, fmt.Errorf("batch %d is there in part", next)
	}
	if next < 0 {
		next = g.trimmed
	}
	if next < acked {
		return 0, fmt.Errorf("%d batches are there, %d were acknowledged", next, acked)
	}
	return next, nil
}

func (g *ledger) find(rec []byte) int {
	for i, b := range g.batches {
		if bytes.Equal(rec, b.recs[0]) {
			return i
		}
	}
	return -1
}

// goOn proves that a recovered log is a good log: it takes a record, and after
// a Close that record is there behind the others.
func (g *ledger) goOn(d *disk, held int) error {
	after := ledger{t: g.t, batches: g.batches[:held:held], serial: g.serial, trimmed: min(g.trimmed, held)}
	for range 2 {
		l, err := openStill(d)
		if err != nil {
			return fmt.Errorf("reopen: %w", err)
		}
		after.log = l
		if err := errors.Join(after.append(1, 30), l.Close()); err != nil {
			return fmt.Errorf("going on: %w", err)
		}
		l, err = Open(logDir, Options{FS: d, ReadOnly: true})
		if err != nil {
			return fmt.Errorf("reopen: %w", err)
		}
		if _, err := after.check(l, len(after.batches)); err != nil {
			return fmt.Errorf("after going on: %w", err)
		}
		if r := l.Recovery(); !r.Clean {
			return fmt.Errorf("after going on and Close: %+v", r)
		}
	}
	return nil
}

// sample fills a log of a few segments with records and batches of many
// sizes, the empty one and zeros among them, and returns its image. The last
// segment holds so many batches.
func sample(t testing.TB, clean bool, last int) (*ledger, image) {
	t.Helper()
	d := newDisk()
	g := &ledger{t: t, log: mustOpenStill(t, d)}
	for i := range 8 {
		g.put(1+i%3, i*i*37%700)
		settle(g.log)
	}
	if err := g.appendBatch(batch{recs: [][]byte{make([]byte, 200), {}}}); err != nil {
		t.Fatal(err)
	}
	for at := g.log.Next().Segment(); g.log.Next().Segment() == at; {
		g.put(1, 300)
	}
	for range last - 1 {
		g.put(2, 150)
	}
	if clean {
		g.close()
		return g, d.image()
	}
	img := d.image()
	mustClose(t, g.log)
	return g, img
}
