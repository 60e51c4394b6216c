package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/vfs"
)

// preparer makes segments before they are needed. A flush is cheapest as an
// overwrite of bytes that have been written and synced before: then its sync
// touches no metadata. So the next segment is written ahead with zeros, or
// recycled from a trimmed one, given its header, synced, and only then given
// its name. All that time it is a file the log ignores.
//
// The work is paced by the log's own progress, not by a clock: when the
// active segment is x full, the next one is 2x written (all of it at once
// when the active one is growing), one synced chunk at a time. A log that
// lives for a few records prepares nothing.
//
// A flush that finds no segment ready takes what there is, zeros or none, and
// the log grows into it (supply).
type preparer struct {
	log *Log

	mu    turn     // held while files are made: a chunk at a time
	file  vfs.File // being prepared under nextName; nil: none
	stale bool     // file may hold frames of older segments
	spare bool     // there is a file under spareName
	stuck bool     // preparing failed: leave it to supply until space is freed
	zeros []byte

	// last is the highest number any segment of the log, or any file that
	// segments are made of, was ever given. Numbers are never reused: it is
	// what makes stale frames recognisable (promise 8).
	last uint32

	// filled is how much of file has been written and synced, by this life or
	// by an earlier one so far as the file's size tells.
	filled atomic.Int64

	wake, stop, done chan struct{}
}

// A log starts to prepare once it has lived to write this part of a segment,
// one over it, and writes ahead in chunks of that part within bounds.
const (
	shortLife = 64
	chunkPart = 16
	maxChunk  = 1 << 20
	minChunk  = 64 << 10
)

func newPreparer(l *Log) *preparer {
	return &preparer{log: l, mu: newTurn(), wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
}

// run prepares until halt. It is the log's only goroutine.
func (p *preparer) run() {
	defer close(p.done)
	for {
		select {
		case <-p.stop:
			return
		case <-p.wake:
		}
		for p.step() {
			select {
			case <-p.stop:
				return
			default:
			}
		}
	}
}

// halt stops the goroutine, waits for it and closes its file, which stays for
// the next opener.
func (p *preparer) halt() error {
	close(p.stop)
	<-p.done
	return p.closeFile()
}

func (p *preparer) closeFile() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		return nil
	}
	err := p.file.Close()
	p.file = nil
	return err
}

// notice tells the preparer that work is owed. It never blocks.
func (p *preparer) notice() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// owed returns how many bytes of the next segment should be written by now.
// Log.mu is held.
func (l *Log) owed() int64 {
	size := l.opts.SegmentSize
	if l.next != nil || l.lived < size/shortLife {
		return 0
	}
	if off := l.filling.end(); !l.active.growing(off) {
		return min(size, 2*off*size/l.active.size)
	}
	return size
}

// step does one chunk of what is owed. It reports whether there is more.
func (p *preparer) step() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log.mu.Lock()
	owed := p.log.owed()
	p.log.mu.Unlock()
	if owed == 0 || p.stuck || p.filled.Load() >= owed && owed < p.log.opts.SegmentSize {
		return false
	}
	err := p.fill()
	if err == nil && p.filled.Load() >= p.log.opts.SegmentSize {
		var s *segment
		if s, err = p.finish(0, nil); err == nil {
			p.publish(s)
			p.log.stats.prepared.Add(1)
			return false
		}
	}
	if err != nil {
		p.stuck = true
		p.log.opts.Logger.Warn("wal: cannot prepare a segment", "error", err)
		return false
	}
	return true
}

func (p *preparer) publish(s *segment) {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	p.log.next = s
}

// fill writes and syncs one chunk of zeros.
func (p *preparer) fill() error {
	if err := p.material(); err != nil {
		return err
	}
	size, off := p.log.opts.SegmentSize, p.filled.Load()
	if off >= size {
		return nil
	}
	if p.zeros == nil {
		p.zeros = make([]byte, min(max(size/chunkPart, minChunk), maxChunk, size))
	}
	chunk := p.zeros[:min(int64(len(p.zeros)), size-off)]
	if err := writeAt(p.file, chunk, off); err != nil {
		return fmt.Errorf("wal: write %s at %d: %w", nextName, off, err)
	}
	if err := p.log.barrier().sync(p.file); err != nil {
		return p.spoiled(fmt.Errorf("wal: sync %s: %w", nextName, err))
	}
	p.filled.Store(off + int64(len(chunk)))
	return nil
}

// spoiled drops a file whose sync failed: it is never synced again.
func (p *preparer) spoiled(err error) error {
	p.file.Close()
	p.file = nil
	p.filled.Store(0)
	if rerr := p.log.dir.remove(nextName); rerr != nil {
		return errors.Join(err, rerr)
	}
	return err
}

// material opens a file to make a segment of: the one begun, or else the
// spare, or else a new one.
func (p *preparer) material() error {
	if p.file != nil {
		return nil
	}
	d := p.log.dir
	if d.failed != nil {
		return d.failed
	}
	if p.spare {
		err := d.fs.Rename(d.join(spareName), d.join(nextName))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("wal: rename %s to %s: %w", spareName, nextName, err)
		}
		p.spare = false
	}
	f, err := d.create(nextName)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return fmt.Errorf("wal: stat %s: %w", nextName, err)
	}
	p.file, p.stale = f, info.Size() > 0
	p.filled.Store(min(info.Size(), p.log.opts.SegmentSize))
	return nil
}

// finish turns the file into a segment: header, and a link if one is given,
// synced before the name is. want is what the segment must have room for.
func (p *preparer) finish(want int64, link *LSN) (*segment, error) {
	if p.log.dir.failed != nil {
		return nil, p.log.dir.failed
	}
	if p.last == math.MaxUint32 {
		return nil, errors.New("wal: no segment number is left: copy the records to a new log")
	}
	if err := p.material(); err != nil {
		return nil, err
	}
	l, written := p.log, p.filled.Load()
	size, err := p.secure(segmentOverhead + want)
	if err != nil {
		return nil, err
	}
	h := header{version: formatVersion, id: l.recovery.id, segment: p.last + 1}
	if p.stale {
		h.flags = flagRecycled
	}
	b := h.appendTo(nil)
	if link != nil {
		b = appendPosition(b, kindLink, makeLSN(h.segment, headerSize), *link, l.seed)
	}
	// By the method, so that one which the volume lacks shows here, in Open.
	if _, err := l.barrier().write(p.file, b, 0); err != nil {
		return nil, fmt.Errorf("wal: write %s: %w", nextName, err)
	}
	if err := l.barrier().sync(p.file); err != nil {
		return nil, p.spoiled(fmt.Errorf("wal: sync %s: %w", nextName, err))
	}
	f := p.file
	p.file = nil
	p.last++
	p.filled.Store(0)
	if err := l.dir.rename(nextName, segmentName(h.segment)); err != nil {
		f.Close()
		return nil, err
	}
	return &segment{number: h.segment, file: f, size: size, written: written, known: true}, nil
}

// secure sees to it that the file has its space, and returns how much: a
// whole segment, or on a disk that is nearly full what there is, if that is
// at least need. A file system without fallocate secures nothing.
func (p *preparer) secure(need int64) (int64, error) {
	size := p.log.opts.SegmentSize
	if p.filled.Load() >= size {
		return size, nil
	}
	for try := size; ; try /= 2 {
		err := p.file.Preallocate(0, try)
		switch {
		case err == nil:
			return try &^ (frameAlign - 1), nil
		case errors.Is(err, syscall.EINTR):
			try *= 2
		case !noSpace(err):
			p.log.stats.unsecured.Add(1)
			return size, nil
		case try/2 < need:
			return 0, fmt.Errorf("wal: allocate %d bytes for %s: %w", try, nextName, err)
		}
	}
}

// supply makes the next segment at once, for an append of want bytes that
// found none. It grows where it was not yet prepared. Log.flushing is held.
func (p *preparer) supply(want int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.log
	if l.dir.failed != nil {
		return l.dir.failed
	}
	l.mu.Lock()
	small := l.next
	if small != nil && segmentOverhead+want <= small.size {
		l.mu.Unlock()
		return nil
	}
	l.next = nil
	l.mu.Unlock()
	if small != nil {
		small.closeFile()
		if err := l.dir.remove(small.name()); err != nil {
			return err
		}
	}
	s, err := p.finish(want, nil)
	if err != nil {
		if noSpace(err) {
			return fmt.Errorf("%w: %w", ErrNoSpace, err)
		}
		return err
	}
	p.stuck = false
	p.publish(s)
	return nil
}

// namesLost returns the failed sync of the directory, after which no name can
// be changed for good.
func (p *preparer) namesLost() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.dir.failed
}

// discard takes a segment out of the log: it becomes the spare if it is whole
// and there is none, and is removed else. keep says that its contents may
// still be read. The change is durable if err is nil; gone says that the name
// is, durable or not.
func (p *preparer) discard(s *segment, keep bool) (gone bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.log.dir
	if d.failed != nil {
		return false, d.failed
	}
	info, err := d.fs.Stat(d.join(s.name()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("wal: stat %s: %w", s.name(), err)
	}
	p.stuck = false
	if err == nil && !keep && !p.spare && info.Size() == p.log.opts.SegmentSize {
		if err := d.fs.Rename(d.join(s.name()), d.join(spareName)); err != nil {
			return false, fmt.Errorf("wal: rename %s to %s: %w", s.name(), spareName, err)
		}
		p.spare = true
		p.log.stats.recycled.Add(1)
	} else if err := d.remove(s.name()); err != nil {
		return false, err
	}
	return true, d.sync()
}

// adopt looks at the files that an earlier life left to make segments of. One
// whose header is neither whole nor, of one begun, blank may hold frames of any
// number: it is removed. So is one that is larger than a segment, and one that still is
// a segment by its other name: a crash may keep one half of a rename.
func (p *preparer) adopt() error {
	d := p.log.dir
	for _, name := range []string{nextName, spareName} {
		if !d.exists(name) {
			continue
		}
		h, size, err := readHeader(d, name)
		if err == nil && h.id == p.log.recovery.id {
			p.last = max(p.last, h.segment)
		}
		blank := errors.Is(err, errBlank) && name == nextName
		switch {
		case err == nil && d.exists(segmentName(h.segment)):
			if err := d.remove(name); err != nil {
				return err
			}
		case (err == nil || blank) && size <= p.log.opts.SegmentSize:
			p.spare = p.spare || name == spareName
		case err == nil || errors.Is(err, errHeader) || errors.Is(err, ErrFormat):
			if err := d.remove(name); err != nil {
				return err
			}
		default:
			return err
		}
	}
	return nil
}

// noSpace says whether an error means that the disk, or the owner's share of
// it, is full.
func noSpace(err error) bool {
	return vfs.IsNoSpaceError(err) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
