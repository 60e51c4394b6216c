package wal

import (
	"fmt"
	"io/fs"
)

// Sync makes every record appended before the call durable. It does nothing
// if there is none. Its first error is final: see Flush.
func (l *Log) Sync() error { return l.Flush(nil) }

// Flush is Sync for those who wait on behalf of others, as package commit
// does. cut, if not nil, is told once what this flush covers, before any I/O
// and with the log's mutex held: an Append either happened before and is
// covered, or happens after and is not. It must be quick and must not call
// the log.
//
// A flush is one write and one barrier, or two of each where it crosses into
// the next segment. The first write or sync that fails is final: it, and
// every later call, returns the same error, and nothing is tried again on
// that file, since the kernel may have dropped what it could not write
// (promise 4). Whether the records of that flush survive is then unknown;
// what was durable before can still be read.
func (l *Log) Flush(cut func(Extent)) error {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	l.mu.Lock()
	err := l.usable()
	l.mu.Unlock()
	if err != nil {
		return err
	}
	return l.flush(cut)
}

// flush does it, with flushing held, for Close too.
func (l *Log) flush(cut func(Extent)) error {
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		return l.err
	}
	b, want := l.cut(cut)
	l.mu.Unlock()

	if b != nil {
		if err := l.write(b); err != nil {
			return l.fail(err)
		}
		l.spare = b
	}
	if want > 0 {
		l.supply(want)
	}
	return nil
}

// cut takes the filling buffer and puts the spare one in its place. An empty
// one goes on filling, and cut returns nil.
func (l *Log) cut(cut func(Extent)) (b *buffer, want int64) {
	full := l.filling
	if cut != nil {
		cut(Extent{End: full.next(), Records: full.records, Bytes: full.bytes})
	}
	if !full.empty() {
		b = full
		l.filling = l.spare
		l.filling.reset(b.to, b.end(), l.opts.BufferSize)
		l.filling.marked = b.marked
		b.promise(l.Durable(), l.seed)
	}
	if l.owed() > l.prepare.filled.Load() {
		l.prepare.notice()
	}
	return b, l.want
}

// write writes a buffer and makes it durable. What it leaves behind in the
// previous segment is durable before the first byte of the next is written,
// whatever the method: the next one's link promises it.
func (l *Log) write(b *buffer) error {
	if b.from != nil {
		if err := l.writeTo(b.from, b.data[:b.split], b.fromOff, l.barrier()); err != nil {
			return err
		}
		end := b.fromOff + int64(b.split)
		l.durable.Store(uint64(b.from.lsn(end - sealSize)))
		l.leave(b.from, end)
	}
	if err := l.writeTo(b.to, b.data[b.split:], b.toOff, l.method); err != nil {
		return err
	}
	if l.method != SyncNone {
		l.durable.Store(uint64(b.next()))
	}
	return nil
}

// barrier is the method used where the log must be durable even with SyncNone.
func (l *Log) barrier() SyncMethod {
	if l.opts.Sync == SyncNone {
		return platformSync
	}
	return l.opts.Sync
}

// writeTo writes p into the segment and syncs it by the method.
func (l *Log) writeTo(s *segment, p []byte, off int64, m SyncMethod) error {
	if s.growing(off + int64(len(p)) - 1) {
		l.stats.growing.Add(1)
	}
	durable, err := m.write(s.file, p, off)
	if err != nil {
		return fmt.Errorf("wal: write %s at %d: %w", s.name(), off, cause(err))
	}
	if durable || m == SyncNone {
		return nil
	}
	if err := m.sync(s.file); err != nil {
		return fmt.Errorf("wal: sync %s: %w", s.name(), cause(err))
	}
	return nil
}

// cause takes the path out of an error of a file that may have been renamed
// since it was opened: it would name another file than the one meant.
func cause(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}

// leave is done with a sealed segment: its file is closed, and space behind
// the seal that is worth it is given back.
func (l *Log) leave(s *segment, end int64) {
	if s.size-end > s.size/leftover {
		if err := giveBack(s.file, end); err != nil {
			l.opts.Logger.Warn("wal: cannot give back a segment's tail", "segment", s.name(), "error", err)
		}
	}
	if err := s.closeFile(); err != nil {
		l.opts.Logger.Warn("wal: closing a sealed segment", "error", err)
	}
}

// leftover is the part of a segment, one over it, that may stay unused behind
// its seal: so full a segment is kept at its size and can be recycled.
const leftover = 8

// fail makes an error final and returns the one that is.
func (l *Log) fail(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = fmt.Errorf("%w (the log takes nothing more until it is reopened)", err)
	}
	return l.err
}

// supply makes the next segment now, because an append found none ready. A
// failure is a rejection of that append, not of the log: nothing was written
// into a segment that holds records.
func (l *Log) supply(want int64) {
	err := l.prepare.supply(want)
	if err == nil && l.stats.supplied.Add(1) == 1 {
		l.opts.Logger.Info("wal: no segment was ready for a flush: it waited for one", "directory", l.dir.path)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.want = 0
	l.refused = err
}
