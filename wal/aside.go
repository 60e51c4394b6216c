package wal

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/vfs"
)

// asideName returns the name under which Repair keeps a segment: the first
// that is free, or that has the same bytes, as an attempt that was cut short
// leaves one.
func (d *dir) asideName(name string) (string, error) {
	for i := 1; ; i++ {
		to := fmt.Sprintf("%s.damaged-%d", name, i)
		if !d.exists(to) {
			return to, nil
		}
		same, err := d.sameBytes(name, to)
		if err != nil || same {
			return to, err
		}
	}
}

// partSuffix marks a copy that is not whole yet. One that a crash left is
// written anew.
const partSuffix = ".part"

// setAside gives a file its other name, to be made durable by a sync of the
// directory: a second one where the file system has links, or else that of a
// copy. A segment of which the log keeps the start is always copied, since it
// is written over once it is trimmed.
func (d *dir) setAside(a Aside, m SyncMethod) error {
	if d.exists(a.To) { // with the same bytes, by asideName
		return d.syncFile(a.To, m)
	}
	if !a.Copy && d.fs.Link(d.join(a.Name), d.join(a.To)) == nil {
		return nil
	}
	part := a.To + partSuffix
	if err := d.remove(part); err != nil {
		return err
	}
	if err := d.copyTo(part, a.Name, m); err != nil {
		return errors.Join(err, d.remove(part))
	}
	if err := d.fs.Rename(d.join(part), d.join(a.To)); err != nil {
		return fmt.Errorf("wal: rename %s to %s: %w", part, a.To, err)
	}
	return nil
}

func (d *dir) syncFile(name string, m SyncMethod) error {
	f, err := d.openSegment(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := m.sync(f); err != nil {
		return fmt.Errorf("wal: sync %s: %w", name, err)
	}
	return nil
}

func (d *dir) copyTo(to, from string, m SyncMethod) (err error) {
	src, err := d.open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := d.create(to)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := dst.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("wal: close %s: %w", to, cerr)
		}
	}()
	err = eachChunk(src, from, func(p []byte, off int64) error {
		if err := writeAt(dst, p, off); err != nil {
			return fmt.Errorf("wal: write %s at %d: %w", to, off, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := m.sync(dst); err != nil {
		return fmt.Errorf("wal: sync %s: %w", to, err)
	}
	return nil
}

// sameBytes reports whether two files have the same contents.
func (d *dir) sameBytes(a, b string) (bool, error) {
	f, err := d.open(a)
	if err != nil {
		return false, err
	}
	defer f.Close()
	g, err := d.open(b)
	if err != nil {
		return false, err
	}
	defer g.Close()
	fi, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("wal: stat %s: %w", a, err)
	}
	gi, err := g.Stat()
	if err != nil {
		return false, fmt.Errorf("wal: stat %s: %w", b, err)
	}
	same, other := fi.Size() == gi.Size(), make([]byte, windowSize)
	if !same {
		return false, nil
	}
	err = eachChunk(f, a, func(p []byte, off int64) error {
		n, err := g.ReadAt(other[:len(p)], off)
		if err != nil && err != io.EOF {
			return fmt.Errorf("wal: read %s at %d: %w", b, off, err)
		}
		same = same && bytes.Equal(p, other[:n])
		return nil
	})
	return same, err
}

// eachChunk reads a file to its end.
func eachChunk(f vfs.File, name string, do func(p []byte, off int64) error) error {
	buf := make([]byte, windowSize)
	for off := int64(0); ; {
		n, err := f.ReadAt(buf, off)
		if err != nil && err != io.EOF {
			return fmt.Errorf("wal: read %s at %d: %w", name, off, err)
		}
		if n == 0 {
			return nil
		}
		if err := do(buf[:n], off); err != nil {
			return err
		}
		off += int64(n)
	}
}
