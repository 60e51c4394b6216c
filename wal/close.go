package wal

import "errors"

// Close makes everything appended durable, whatever the sync method, marks
// the log as cleanly closed where there is room for the mark, and releases it.
// It returns the log's failure if there was one, of a flush or of a sync of the
// directory. Calls that can fail then return ErrClosed; iterators that are
// under way go on to their end.
func (l *Log) Close() error {
	if l.opts.ReadOnly {
		return l.closeReadOnly()
	}
	l.trimming.Lock()
	defer l.trimming.Unlock()
	l.flushing.Lock()
	defer l.flushing.Unlock()
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return ErrClosed
	}
	l.closed = true // no append from here on
	l.mu.Unlock()
	return errors.Join(l.finish(), l.prepare.halt(), l.release())
}

func (l *Log) closeReadOnly() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	l.closed = true
	return nil
}

// finish flushes what is left and then marks the end, in a flush of its own:
// the mark promises that all before it is durable, so it is written only once
// that is so.
func (l *Log) finish() error {
	if err := l.flush(nil); err != nil {
		return err
	}
	if l.method == SyncNone {
		l.method = platformSync
		if err := l.writeTo(l.active, nil, l.filling.end(), l.method); err != nil {
			return l.fail(err)
		}
		l.durable.Store(uint64(l.filling.next()))
	}
	// A mark lets the next life go on with prepared segments by their names,
	// so there is none where a name may be lost.
	if err := l.prepare.namesLost(); err != nil {
		return err
	}
	if !l.mark() {
		return nil
	}
	return l.flush(nil)
}

// mark puts a mark at the end of the log, in the next segment if this one has
// no room. It reports false if the log is marked already or cannot be.
func (l *Log) mark() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.filling
	if b.marked {
		return false
	}
	if b.end()+markSize+sealSize > b.to.size {
		if l.next == nil || b.from != nil {
			return false
		}
		l.cross()
	}
	b.mark(l.seed)
	return true
}

// release gives up every file and the lock.
func (l *Log) release() error {
	var errs []error
	for _, s := range l.live {
		errs = append(errs, s.closeFile())
	}
	if l.next != nil {
		errs = append(errs, l.next.closeFile())
	}
	errs = append(errs, l.dir.close())
	if l.lock != nil {
		errs = append(errs, l.lock.Close())
	}
	return errors.Join(errs...)
}
