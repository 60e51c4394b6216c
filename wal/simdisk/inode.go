package simdisk

import (
	"io"
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// maxFileSize bounds a file, so that a wild offset is an error and not a panic
// for want of memory. It is 4 GiB, or 512 MiB where an int has 32 bits.
const maxFileSize = min(1<<32, (math.MaxInt+1)/4)

// An inode is a directory or the contents of a file. It lives as long as a
// name or a handle refers to it.
type inode struct {
	// children are the entries of a directory, and nil for a file. The map is
	// guarded by FS.mu; whether it is nil never changes.
	children map[string]*inode

	// unsynced is how many bytes were written since the last flush took them.
	// Bytes written twice count twice. Always 0 for a directory.
	unsynced atomic.Int64

	mu       sync.RWMutex
	data     []byte // contents; nothing is known of the bytes between len and cap
	modified time.Time
}

func newFile() *inode { return &inode{modified: time.Now()} }

func newDirectory() *inode {
	return &inode{children: make(map[string]*inode), modified: time.Now()}
}

func (n *inode) isDir() bool { return n.children != nil }

// readAt fills p from off, and returns io.EOF if the contents end before p
// does.
func (n *inode) readAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, syscall.EINVAL
	}
	if len(p) == 0 {
		return 0, nil
	}
	n.mu.RLock()
	defer n.mu.RUnlock()
	if off >= int64(len(n.data)) {
		return 0, io.EOF
	}
	read := copy(p, n.data[off:])
	if read < len(p) {
		return read, io.EOF
	}
	return read, nil
}

// writeAt copies p to off, and zeros to what lies between the old end and off.
// It writes all of p or nothing.
func (n *inode) writeAt(p []byte, off int64) error {
	if off < 0 {
		return syscall.EINVAL
	}
	if off > maxFileSize-int64(len(p)) {
		return syscall.EFBIG
	}
	if len(p) == 0 {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if end := int(off) + len(p); end > len(n.data) {
		n.extend(int(off), end)
	}
	copy(n.data[off:], p)
	n.unsynced.Add(int64(len(p)))
	n.modified = time.Now()
	return nil
}

// truncate cuts the contents to size, giving the memory back, or extends them
// with zeros. It is no write: a flush does not pay for it.
func (n *inode) truncate(size int64) error {
	if size < 0 {
		return syscall.EINVAL
	}
	if size > maxFileSize {
		return syscall.EFBIG
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if int(size) > len(n.data) {
		n.extend(int(size), int(size))
	} else if int(size) < len(n.data) {
		n.data = slices.Clone(n.data[:size])
	}
	n.modified = time.Now()
	return nil
}

// extend makes the contents end bytes long, which is more than they are, with
// zeros up to off. What comes after off is the caller's to write. The caller
// holds n.mu.
func (n *inode) extend(off, end int) {
	length := len(n.data)
	n.data = slices.Grow(n.data, end-length)[:end]
	if off > length {
		clear(n.data[length:off])
	}
}

func (n *inode) stat(name string) os.FileInfo {
	n.mu.RLock()
	defer n.mu.RUnlock()
	info := &fileInfo{name: name, size: int64(len(n.data)), mode: 0o600, modified: n.modified}
	if n.isDir() {
		info.mode = os.ModeDir | 0o700
	}
	return info
}

// fileInfo is an inode under one of its names at one moment.
type fileInfo struct {
	name     string
	size     int64
	mode     os.FileMode
	modified time.Time
}

func (i *fileInfo) Name() string       { return i.name }
func (i *fileInfo) Size() int64        { return i.size }
func (i *fileInfo) Mode() os.FileMode  { return i.mode }
func (i *fileInfo) ModTime() time.Time { return i.modified }
func (i *fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i *fileInfo) Sys() any           { return nil }
