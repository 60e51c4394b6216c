package tax

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// disk makes and removes the files of a run. It is a seam: a test counts and
// times what it does.
type disk interface {
	prepare(size int64) error                 // the prepared file, zeros, durable
	open(kind string, m method) (file, error) // a growing file is created anew
	close(kind string, f file) error          // and removes a growing file
	removeAll() error                         // what this run made and did not remove
}

// file is one open file of a run.
type file interface {
	io.WriterAt
	io.Closer
	barrier() error // the method's own call
	settle() error  // writes back what is dirty; never timed
}

// directory is the real disk.
type directory struct {
	dir     string
	prefix  string   // of the names of its files
	removes []string // files that this run created and that still stand
}

const zeroChunk = 1 << 20

func (d *directory) path(kind string) string {
	return filepath.Join(d.dir, d.prefix+kind+".dat")
}

func (d *directory) prepare(size int64) (err error) {
	f, err := create(d.path(prepared), 0)
	if err != nil {
		return err
	}
	d.removes = append(d.removes, f.Name())
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
	}()
	return fill(f, size)
}

// fill writes size zeros and syncs them. A file that was only allocated would
// still change its extents with each append, and a sync would pay for it.
func fill(f *os.File, size int64) error {
	zeros := make([]byte, min(size, zeroChunk))
	for off := int64(0); off < size; {
		n, err := f.WriteAt(zeros[:min(size-off, zeroChunk)], off)
		if err != nil {
			return err
		}
		off += int64(n)
	}
	return f.Sync()
}

func (d *directory) open(kind string, m method) (file, error) {
	var f *os.File
	var err error
	if kind == growing {
		f, err = create(d.path(kind), m.flag)
	} else {
		f, err = os.OpenFile(d.path(kind), os.O_WRONLY|m.flag, 0)
	}
	if err != nil {
		return nil, err
	}
	if kind == growing {
		d.removes = append(d.removes, f.Name())
	}
	opened := osFile{File: f, method: m}
	if m.opened != nil {
		if err := m.opened(f); err != nil {
			return nil, errors.Join(fmt.Errorf("open %s: %w", f.Name(), err), d.close(kind, opened))
		}
	}
	return opened, nil
}

// create refuses a file that exists: it is not ours.
func create(name string, flag int) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|flag, 0o600)
}

func (d *directory) close(kind string, f file) error {
	err := f.Close()
	if kind != growing {
		return err
	}
	d.removes = slices.DeleteFunc(d.removes, func(name string) bool { return name == d.path(kind) })
	return errors.Join(err, os.Remove(d.path(kind)))
}

func (d *directory) removeAll() error {
	var errs []error
	for _, name := range d.removes {
		errs = append(errs, os.Remove(name))
	}
	d.removes = nil
	return errors.Join(errs...)
}

// osFile is a file of the real disk.
type osFile struct {
	*os.File
	method
}

func (f osFile) barrier() error {
	if err := f.method.barrier(f.File); err != nil {
		return &fs.PathError{Op: f.mode, Path: f.Name(), Err: err}
	}
	return nil
}

func (f osFile) settle() error { return f.Sync() }
