package wal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/vfs"
)

// Names in a log's directory. Every other name is none of the log's business:
// it is neither read nor removed.
const (
	lockName      = "lock"
	segmentSuffix = ".wal"  // 0000000a.wal is segment 10
	spareName     = "spare" // a file kept for reuse: full size, contents stale
	nextName      = "next"  // a segment being prepared, not yet named
	nameDigits    = 8       // hexadecimal, lower case
)

func segmentName(number uint32) string {
	return fmt.Sprintf("%0*x%s", nameDigits, number, segmentSuffix)
}

// parseSegmentName returns the number in a segment's name, and false for
// every other name.
func parseSegmentName(name string) (uint32, bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok || len(digits) != nameDigits || digits != strings.ToLower(digits) {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	return uint32(n), err == nil && n > 0
}

// dir is the log's directory. Its methods return errors that name operation,
// file and cause.
type dir struct {
	fs     vfs.FS
	path   string
	handle vfs.File // for syncing; nil in a read-only log
	log    *slog.Logger

	// failed is the first failed sync of the directory. It is final until the
	// log is reopened: which names are durable is not known, and a second sync
	// may succeed for nothing. Guarded by preparer.mu.
	failed error

	// noSync says that the file system refuses to sync directories (some
	// network and FUSE file systems): names are then as durable as it makes
	// them, and Stats says so.
	noSync atomic.Bool
}

func (d *dir) join(name string) string { return d.fs.PathJoin(d.path, name) }

// openDir opens the directory for changes and makes it if need be. Its entry
// in its parent is durable when openDir returns, and so is that of every
// directory above that had to be made.
func openDir(o Options, path string) (*dir, error) {
	path = o.FS.PathJoin(path) // without a trailing slash: log/ is in its parent, not in log
	d := &dir{fs: o.FS, path: path, log: o.Logger}
	if err := d.mkdir(path); err != nil {
		return nil, err
	}
	var err error
	if d.handle, err = d.fs.OpenDir(path); err != nil {
		return nil, fmt.Errorf("wal: open directory %s: %w", path, err)
	}
	return d, nil
}

// mkdir makes a directory, from the top down, each level only once the one
// above is durable. So a directory that is there has durable names above it,
// or is the one that an earlier call failed to sync: its parent is synced
// first.
func (d *dir) mkdir(path string) error {
	_, err := d.fs.Stat(path)
	parent := d.fs.PathDir(path)
	if errors.Is(err, fs.ErrNotExist) && parent != path {
		if err := d.mkdir(parent); err != nil {
			return err
		}
		if err := d.fs.MkdirAll(path, 0o700); err != nil {
			return fmt.Errorf("wal: make directory %s: %w", path, err)
		}
	} else if err != nil {
		return fmt.Errorf("wal: stat %s: %w", path, err)
	}
	return d.syncParent(parent)
}

// syncParent syncs a directory above the log's. One that we may not read is
// not one we made: its owner answers for the names in it.
func (d *dir) syncParent(path string) error {
	h, err := d.fs.OpenDir(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("wal: open directory %s: %w", path, err)
	}
	err = d.syncHandle(h, path)
	if cerr := h.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("wal: close directory %s: %w", path, cerr)
	}
	return err
}

// sync makes all names in the directory durable. Whoever changes the names of
// segments checks failed before.
func (d *dir) sync() error {
	if d.failed == nil {
		d.failed = d.syncHandle(d.handle, d.path)
	}
	return d.failed
}

// syncHandle syncs a directory. A file system that has no such thing answers
// EINVAL, ENOTSUP or ENOSYS: then there is nothing to wait for, and it is
// noted once. Everything else, EBADF included, is an error: it may hide a
// failed write.
func (d *dir) syncHandle(h vfs.File, path string) error {
	err := h.Sync()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS),
		errors.Is(err, errors.ErrUnsupported):
		if !d.noSync.Swap(true) {
			d.log.Warn("wal: the file system refuses to sync directories", "directory", path, "error", err)
		}
		return nil
	}
	return fmt.Errorf("wal: sync directory %s: %w", path, err)
}

func (d *dir) open(name string) (vfs.File, error) {
	f, err := d.fs.Open(d.join(name))
	if err != nil {
		return nil, fmt.Errorf("wal: open %s: %w", name, err)
	}
	return f, nil
}

// openSegment opens a segment that is known to exist for writing.
func (d *dir) openSegment(name string) (vfs.File, error) {
	f, err := openReadWrite(d.fs, d.join(name))
	if err != nil {
		return nil, fmt.Errorf("wal: open %s: %w", name, err)
	}
	return f, nil
}

// create makes a file that only its owner can read.
func (d *dir) create(name string) (vfs.File, error) {
	f, err := d.openSegment(name)
	if err != nil {
		return nil, err
	}
	if err := ownerOnly(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("wal: chmod %s: %w", name, err)
	}
	return f, nil
}

// rename gives a file another name, durable when it returns.
func (d *dir) rename(from, to string) error {
	if d.failed != nil {
		return d.failed
	}
	if err := d.fs.Rename(d.join(from), d.join(to)); err != nil {
		return fmt.Errorf("wal: rename %s to %s: %w", from, to, err)
	}
	return d.sync()
}

func (d *dir) remove(name string) error {
	err := d.fs.Remove(d.join(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("wal: remove %s: %w", name, err)
	}
	return nil
}

func (d *dir) exists(name string) bool {
	_, err := d.fs.Stat(d.join(name))
	return err == nil
}

// segments lists the numbers of the segments by name, oldest first. A name
// like a segment's that is no regular file is an error: it stands where a
// segment must be.
func (d *dir) segments() ([]uint32, error) {
	names, err := d.fs.List(d.path)
	if err != nil {
		return nil, fmt.Errorf("wal: list %s: %w", d.path, err)
	}
	var numbers []uint32
	for _, name := range names {
		n, ok := parseSegmentName(name)
		if !ok {
			continue
		}
		info, err := d.fs.Stat(d.join(name))
		if err != nil {
			return nil, fmt.Errorf("wal: stat %s: %w", name, err)
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("wal: %s has a segment's name but is no regular file (%v)", d.join(name), info.Mode())
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers, nil
}

func (d *dir) close() error {
	if d.handle == nil {
		return nil
	}
	return d.handle.Close()
}

// openReadWrite opens a file for positioned writes, making it if it is not
// there.
func openReadWrite(fs vfs.FS, name string) (vfs.File, error) {
	return fs.OpenReadWrite(name)
}

// writeAt writes all of p at off: a short count without an error is one.
func writeAt(f vfs.File, p []byte, off int64) error {
	n, err := f.WriteAt(p, off)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return err
}

// lockByName takes the lock that the file system keeps by name, on the real
// path where there is one.
func lockByName(fsys vfs.FS, name string) (io.Closer, error) {
	path := filepath.Clean(name)
	if fsys == vfs.Default {
		real, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return nil, err
		}
		path = filepath.Join(real, filepath.Base(path))
	}
	c, err := fsys.Lock(path)
	if err != nil {
		return nil, fmt.Errorf("%w (%v)", ErrLocked, err)
	}
	return c, nil
}
