package simdisk

import (
	"io"
	"os"
	"path"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/vfs"
)

// A file is a handle on an inode: a vfs.File that also has a Truncate method.
// As with an *os.File every method may be called concurrently, Read and Write
// share one position, and a handle outlives the removal of its name. All
// errors but io.EOF are *os.PathError.
type file struct {
	fs       *FS
	inode    *inode
	name     string // as given to open it
	writable bool
	closed   atomic.Bool

	mu  sync.Mutex // serialises Read and Write
	pos int64
}

var _ vfs.File = (*file)(nil)

// Close ends the handle; it syncs nothing. Every later call on the handle
// fails with os.ErrClosed.
func (f *file) Close() error {
	if f.closed.Swap(true) {
		return f.failed("close", os.ErrClosed)
	}
	return nil
}

func (f *file) Read(p []byte) (int, error) {
	if err := f.usable("read"); err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.inode.readAt(p, f.pos)
	f.pos += int64(n)
	if n > 0 && err == io.EOF {
		err = nil // the next Read says so
	}
	return n, err
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if err := f.usable("read"); err != nil {
		return 0, err
	}
	n, err := f.inode.readAt(p, off)
	if err != nil && err != io.EOF {
		err = f.failed("read", err)
	}
	return n, err
}

// Write never changes p, which vfs.File would allow.
func (f *file) Write(p []byte) (int, error) {
	if err := f.changeable("write"); err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.inode.writeAt(p, f.pos); err != nil {
		return 0, f.failed("write", err)
	}
	f.pos += int64(len(p))
	return len(p), nil
}

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	if err := f.changeable("write"); err != nil {
		return 0, err
	}
	if err := f.inode.writeAt(p, off); err != nil {
		return 0, f.failed("write", err)
	}
	return len(p), nil
}

// Truncate makes the file size bytes long, as ftruncate does: a file that
// grows by it reads as zeros there. vfs.File has no such method; callers look
// for it with a type assertion.
func (f *file) Truncate(size int64) error {
	if err := f.changeable("truncate"); err != nil {
		return err
	}
	if err := f.inode.truncate(size); err != nil {
		return f.failed("truncate", err)
	}
	return nil
}

// Sync returns when the device has flushed all that was written to the file
// before the call, through whatever handle.
func (f *file) Sync() error {
	if f.closed.Load() {
		return f.failed("sync", os.ErrClosed)
	}
	f.fs.device.flush(&f.inode.unsynced)
	return nil
}

// SyncData is Sync: the device has no metadata to leave out.
func (f *file) SyncData() error { return f.Sync() }

// SyncTo is a Sync of the whole file, and nothing for a directory.
func (f *file) SyncTo(int64) (fullSync bool, err error) {
	if f.inode.isDir() {
		return false, nil
	}
	if err := f.Sync(); err != nil {
		return false, err
	}
	return true, nil
}

func (f *file) Stat() (os.FileInfo, error) {
	if f.closed.Load() {
		return nil, f.failed("stat", os.ErrClosed)
	}
	return f.inode.stat(path.Base(clean(f.name))), nil
}

// Preallocate does nothing and succeeds: there is no space to run out of.
func (f *file) Preallocate(off, length int64) error { return nil }

// Prefetch does nothing and succeeds.
func (f *file) Prefetch(off, length int64) error { return nil }

// Fd returns vfs.InvalidFd.
func (f *file) Fd() uintptr { return vfs.InvalidFd }

// usable tells why the bytes of the file cannot be accessed at all.
func (f *file) usable(op string) error {
	if f.closed.Load() {
		return f.failed(op, os.ErrClosed)
	}
	if f.inode.isDir() {
		return f.failed(op, syscall.EISDIR)
	}
	return nil
}

// changeable tells why the bytes of the file cannot be changed.
func (f *file) changeable(op string) error {
	if err := f.usable(op); err != nil {
		return err
	}
	if !f.writable {
		return f.failed(op, syscall.EBADF)
	}
	return nil
}

func (f *file) failed(op string, cause error) error {
	return &os.PathError{Op: op, Path: f.name, Err: cause}
}
