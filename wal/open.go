package wal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
)

// Open opens the log in a directory, made if need be, and recovers it. It
// holds the directory's lock until Close: a second Open fails with ErrLocked.
//
// What Open shows is durable: recovered records that no promise covers are
// written and synced again first. A torn tail is cut and reported by
// Recovery; damage to what was promised is a *CorruptionError, and then
// no segment has been changed. Open does not wait for a segment to be prepared,
// and works on a full disk.
//
// The caller must Close the log.
func Open(path string, o Options) (*Log, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.ReadOnly {
		return openReadOnly(path, o)
	}
	var id [16]byte
	rand.Read(id[:]) // never fails
	l, err := open(path, o, id)
	if err == nil {
		go l.prepare.run()
	}
	return l, err
}

// open opens a log for writing, whose preparer is not yet running. A new log
// gets the id.
func open(path string, o Options, id [16]byte) (*Log, error) {
	d, err := openDir(o, path)
	if err != nil {
		return nil, err
	}
	l := newLog(o, d)
	l.recovery.id = id
	if l.lock, err = lockFile(o.FS, d.join(lockName)); err != nil {
		d.close()
		return nil, fmt.Errorf("wal: lock %s: %w", path, err)
	}
	if err := l.recover(); err != nil {
		return nil, errors.Join(err, l.prepare.closeFile(), l.release())
	}
	return l, nil
}

// openReadOnly shows what is there and changes nothing, nor takes a lock. It
// may run beside a writer: it shows the log as it stood.
func openReadOnly(path string, o Options) (*Log, error) {
	var before error
	for range readOnlyTries {
		l, err := showReadOnly(path, o)
		moving := errors.Is(err, ErrCorrupt) || errors.Is(err, fs.ErrNotExist)
		if !moving || before != nil && before.Error() == err.Error() {
			return l, err
		}
		before = err
	}
	return nil, fmt.Errorf("wal: %s changes too fast to be read (%v)", path, before)
}

// readOnlyTries is how often a read-only open looks at a log that a writer
// may be changing meanwhile, until it finds no fault, or the same one twice
// running.
const readOnlyTries = 30

func showReadOnly(path string, o Options) (*Log, error) {
	d := &dir{fs: o.FS, path: path, log: o.Logger}
	s, err := surveyDir(d)
	if err != nil {
		return nil, err
	}
	if len(s.live) == 0 {
		return nil, fmt.Errorf("wal: %s holds no log", path)
	}
	l := newLog(o, d)
	l.adopt(s)
	if err := l.findFirst(l.live); err != nil {
		return nil, err
	}
	return l, nil
}

func newLog(o Options, d *dir) *Log {
	l := &Log{opts: o, dir: d, method: o.Sync, filling: &buffer{}, spare: &buffer{}, trimming: newTurn(), flushing: newTurn()}
	l.prepare = newPreparer(l)
	return l
}

// recover makes the log what the survey says, durable and ready for appends.
func (l *Log) recover() error {
	s, err := surveyDir(l.dir)
	if err != nil {
		return err
	}
	l.prepare.last = s.last
	if len(s.live) == 0 {
		return l.begin()
	}
	l.adopt(s)
	if err := l.prepare.adopt(); err != nil {
		return err
	}
	if l.active.file, err = l.dir.openSegment(l.active.name()); err != nil {
		return err
	}
	if err := s.rewrite(l.active, l.barrier()); err != nil {
		return err
	}
	if err := l.resume(s); err != nil {
		return err
	}
	return l.findFirst(l.live)
}

// begin starts a log: its first segment links to nothing.
func (l *Log) begin() error {
	l.recovery.Clean = true
	l.seed = header{id: l.recovery.id}.seed()
	if err := l.prepare.adopt(); err != nil {
		return err
	}
	var root LSN
	first, err := l.prepare.finish(0, &root)
	if err != nil {
		if noSpace(err) {
			err = fmt.Errorf("%w: %w", ErrNoSpace, err)
		}
		return err
	}
	l.active, l.live = first, []*segment{first}
	end := int64(headerSize + linkSize)
	l.filling.reset(first, end, l.opts.BufferSize)
	l.durable.Store(uint64(first.lsn(end)))
	l.recovery.End, l.recovery.Promised = first.lsn(end), first.lsn(end)
	return nil
}

// adopt takes over what the survey found.
func (l *Log) adopt(s *survey) {
	l.recovery, l.seed, l.live = s.recovery, s.seed, s.live
	l.active = s.live[len(s.live)-1]
	l.filling.reset(l.active, s.recovery.End.Offset(), l.opts.BufferSize)
	l.filling.marked = s.recovery.Clean
	l.durable.Store(uint64(s.recovery.End))
}

// resume settles where the log goes on: behind a clean Close in the same
// segment, after anything else in a new one, so that what a crash left behind
// is never written over by records. The old segment is then simply full, and
// the first append crosses out of it, as at every rotation.
func (l *Log) resume(s *survey) error {
	end := s.recovery.End.Offset()
	if s.recovery.Clean {
		return l.resumeClean(s, end)
	}
	if s.recovery.TornBytes > 0 {
		l.opts.Logger.Warn("wal: cut a torn tail", "segment", s.recovery.TornSegment, "bytes", s.recovery.TornBytes, "end", s.recovery.End)
	}
	if err := l.cutTail(s, end); err != nil {
		return err
	}
	if err := l.discardDead(s); err != nil {
		return err
	}
	if err := l.prepare.supply(0); !errors.Is(err, ErrNoSpace) {
		return err
	}
	return nil // appends are refused until there is space
}

// cutTail cuts the active segment behind its last record. The room for a seal
// is kept, and cleared, since a seal that stands there names a segment that may
// go. It is cleared behind the end of the file too: there may be one on the
// disk whose bytes a crash kept and whose size it lost, to show again when the
// file grows. Only a disk that has no space left for zeros has none there.
func (l *Log) cutTail(s *survey, end int64) error {
	keep := end + sealSize
	err := l.writeTo(l.active, make([]byte, sealSize), end, l.barrier())
	if err != nil && !(noSpace(err) && l.active.size < keep) {
		return err
	}
	if l.active.size > keep {
		if err := giveBack(l.active.file, keep); err != nil {
			return fmt.Errorf("wal: truncate %s: %w", l.active.name(), err)
		}
	}
	l.active.size, l.active.written = keep, end
	return nil
}

// resumeClean goes on in the same segment. A segment that the last life
// prepared, and in which nothing can have been written, is the next one.
func (l *Log) resumeClean(s *survey, end int64) error {
	a := l.active
	if a.size < l.opts.SegmentSize {
		a.written = a.size
		a.size = max(a.size&^(frameAlign-1), secured(a, l.opts.SegmentSize, end+markSize+sealSize))
	}
	for i := len(s.dead) - 1; i >= 0; i-- {
		h := s.heads[s.dead[i]]
		if h.number < a.number || h.bad != nil || h.size < l.opts.SegmentSize || s.recovery.TornBytes > 0 {
			continue
		}
		next := &segment{number: h.number, size: h.size &^ (frameAlign - 1), written: h.size, known: true}
		var err error
		if next.file, err = l.dir.openSegment(next.name()); err != nil {
			return err
		}
		l.next = next
		s.dead = append(s.dead[:i:i], s.dead[i+1:]...)
		break
	}
	return l.discardDead(s)
}

// secured reserves the rest of a segment that grows, and returns up to where
// there is space: at least the offset that it has for certain.
func secured(s *segment, size, certain int64) int64 {
	for ; size > certain; size /= 2 {
		if err := s.file.Preallocate(0, size); !noSpace(err) {
			return size &^ (frameAlign - 1)
		}
	}
	return certain
}

// discardDead removes or recycles what is no part of the log. Below the newest
// segment a repair that was cut short may have left files that have a second
// name: they are removed, and not written over.
func (l *Log) discardDead(s *survey) error {
	for _, n := range s.dead {
		keep := s.heads[n].bad != nil || n < l.active.number
		if _, err := l.prepare.discard(&segment{number: n}, keep); err != nil {
			return err
		}
	}
	return nil
}

// findFirst learns where the oldest record is that stands in live, and whether
// the active segment, the last of live, holds one. Log.trimming is held, or
// the log is not yet shared.
func (l *Log) findFirst(live []*segment) error {
	found := false
	for i, s := range live {
		if found && i < len(live)-1 {
			continue
		}
		l.mu.Lock()
		first, known := s.first, s.known
		l.mu.Unlock()
		if !known {
			var err error
			if first, err = l.firstIn(s); err != nil {
				return err
			}
			l.mu.Lock()
			s.first, s.known = first, true
			l.mu.Unlock()
		}
		found = found || first != 0
	}
	return nil
}

// firstIn returns the LSN of the first record in a segment that this life has
// not appended to, or 0. Where damage comes first it is that place, so that
// reading finds it.
func (l *Log) firstIn(s *segment) (LSN, error) {
	end := s.end
	if end == 0 {
		end = l.recovery.End.Offset()
	}
	sc, err := openScanner(l.dir, s.number, l.seed, headerSize)
	if err != nil {
		return 0, err
	}
	defer sc.close()
	for sc.off < end {
		f, ok := sc.next()
		if !ok {
			return sc.lsn(), sc.err
		}
		if f.kind == kindRecord || f.kind == kindPart {
			return f.lsn, nil
		}
	}
	return 0, nil
}
