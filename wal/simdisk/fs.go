package simdisk

import (
	"os"
	"path"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/vfs"
)

// An FS is a file system in memory on a device with a set flush time. It is
// safe for concurrent use, as are its files. Each FS has one device of its
// own.
//
// Names are paths from one root, whether or not they start with a slash;
// "." and ".." are resolved, so that two spellings of a name are one file. On
// Windows a backslash separates as well. Files act as they do on Unix: a file
// that is open can be removed and renamed. Errors are *os.PathError or
// *os.LinkError around os.ErrNotExist, os.ErrExist or a syscall.Errno.
type FS struct {
	device device

	mu     sync.Mutex          // never held during a flush
	root   *inode              // the tree of names: every children map in it is guarded by mu
	locked map[string]struct{} // cleaned names with a Lock on them
}

var _ vfs.FS = (*FS)(nil)

// New returns an empty file system on the device described. It panics if a
// value is outside the limits that Options state; what Parse returns never is.
func New(o Options) *FS {
	if err := o.validate(); err != nil {
		panic("simdisk: " + err.Error())
	}
	if o.Wait == nil {
		o.Wait = yieldUntil
	}
	return &FS{
		device: device{options: o},
		root:   newDirectory(),
		locked: make(map[string]struct{}),
	}
}

// Flushes returns how many flushes the device has completed: one for each sync
// of a file or a directory.
func (fs *FS) Flushes() int64 { return fs.device.accuracy().Flushes }

// Accuracy returns how late the completed flushes returned to their callers.
func (fs *FS) Accuracy() Accuracy { return fs.device.accuracy() }

// Create makes an empty file and opens it for reading and writing. A file that
// had the name loses it.
func (fs *FS) Create(name string) (vfs.File, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f, err := fs.createLocked(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// createLocked is Create for a caller that holds fs.mu.
func (fs *FS) createLocked(name string) (*file, error) {
	dir, base, err := fs.parentLocked(name)
	if err == nil {
		err = replaceable(dir.children[base], false)
	}
	if err != nil {
		return nil, &os.PathError{Op: "create", Path: name, Err: err}
	}
	n := newFile()
	dir.children[base] = n
	return &file{fs: fs, inode: n, name: name, writable: true}, nil
}

// Open opens a file or a directory for reading.
func (fs *FS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	fs.mu.Lock()
	n, err := fs.findLocked(name)
	fs.mu.Unlock()
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return applied(&file{fs: fs, inode: n, name: name}, opts), nil
}

// OpenReadWrite opens a file for reading and writing, and makes it if it does
// not exist.
func (fs *FS) OpenReadWrite(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n, err := fs.findLocked(name)
	if err == os.ErrNotExist {
		f, err := fs.createLocked(name)
		if err != nil {
			return nil, err
		}
		return applied(f, opts), nil
	}
	if err == nil && n.isDir() {
		err = syscall.EISDIR
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return applied(&file{fs: fs, inode: n, name: name, writable: true}, opts), nil
}

// OpenDir opens a directory, to sync it.
func (fs *FS) OpenDir(name string) (vfs.File, error) {
	fs.mu.Lock()
	n, err := fs.findLocked(name)
	fs.mu.Unlock()
	if err == nil && !n.isDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return &file{fs: fs, inode: n, name: name}, nil
}

// ReuseForWrite renames a file and opens it for reading and writing, with its
// old contents.
func (fs *FS) ReuseForWrite(oldname, newname string) (vfs.File, error) {
	if err := fs.Rename(oldname, newname); err != nil {
		return nil, err
	}
	return fs.OpenReadWrite(newname)
}

// Stat describes a file or a directory as it is now.
func (fs *FS) Stat(name string) (os.FileInfo, error) {
	fs.mu.Lock()
	n, err := fs.findLocked(name)
	fs.mu.Unlock()
	if err != nil {
		return nil, &os.PathError{Op: "stat", Path: name, Err: err}
	}
	return n.stat(path.Base(clean(name))), nil
}

// GetDiskUsage returns vfs.ErrUnsupported: the device has no size.
func (fs *FS) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{}, vfs.ErrUnsupported
}

func applied(f *file, opts []vfs.OpenOption) vfs.File {
	for _, opt := range opts {
		opt.Apply(f)
	}
	return f
}
