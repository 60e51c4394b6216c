package crashfs

import (
	"errors"
	"io"
	"math"
	"os"
	"path"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/vfs"
)

// maxFileSize bounds a file, so that a wild offset is an error and not a panic
// for want of memory.
const maxFileSize = min(1<<32, math.MaxInt/4)

// file is a handle on a node. It outlives the removal of its name, not a
// crash: what it is then used for happens to the disk before the crash.
type file struct {
	fs       *FS
	node     *node
	name     string // as it was opened
	writable bool
	closed   atomic.Bool
	pos      atomic.Int64 // of Read and Write
}

func (fs *FS) handle(n *node, name string, writable bool) *file {
	return &file{fs: fs, node: n, name: name, writable: writable}
}

// ask lets a call on the file pass, under the name it has by now.
func (f *file) ask(o Op) error {
	if f.closed.Load() {
		return os.ErrClosed
	}
	switch o.Kind {
	case Write, Truncate, Reserve:
		if !f.writable {
			return syscall.EBADF
		}
		fallthrough
	case Read:
		if f.node.isDir() {
			return syscall.EISDIR
		}
		if o.Off < 0 || o.Len < 0 {
			return syscall.EINVAL
		}
		if o.Kind != Read && o.Off > maxFileSize-int64(o.Len) {
			return syscall.EFBIG
		}
	}
	f.fs.mu.Lock()
	o.Name = shown(f.node.name)
	f.fs.mu.Unlock()
	return f.fs.ask(o)
}

// Close ends the handle. It syncs nothing.
func (f *file) Close() error {
	if f.closed.Swap(true) {
		return pathError("close", f.name, os.ErrClosed)
	}
	return nil
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if err := f.ask(Op{Kind: Read, Off: off, Len: len(p)}); err != nil {
		return 0, pathError("read", f.name, err)
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return f.node.bytes.readAt(p, off)
}

func (f *file) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.pos.Load())
	f.pos.Add(int64(n))
	if n > 0 && err == io.EOF {
		err = nil // the next Read says so
	}
	return n, err
}

func (f *file) Write(p []byte) (int, error) {
	n, err := f.WriteAt(p, f.pos.Load())
	f.pos.Add(int64(n))
	return n, err
}

// WriteAt writes. It is one change, whatever its length.
func (f *file) WriteAt(p []byte, off int64) (int, error) {
	err := f.ask(Op{Kind: Write, Off: off, Len: len(p), Data: p})
	var short ShortWrite
	if errors.As(err, &short) {
		p, err = p[:min(max(short.N, 0), len(p))], short.Err
	} else if err != nil {
		return 0, pathError("write", f.name, err)
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if free := f.fs.takeLocked(f.node, off+int64(len(p))); free < int64(len(p))+off {
		p, err = p[:max(0, free-off)], syscall.ENOSPC
	}
	f.writeLocked(p, off)
	return len(p), pathError("write", f.name, err)
}

func (f *file) writeLocked(p []byte, off int64) {
	if len(p) == 0 {
		return
	}
	n, end := f.node, off+int64(len(p))
	first, with := n.bytes.overlay(p, off)
	for i, s := range with {
		n.bytes.set(first+int64(i), s)
	}
	n.bytes.size = max(n.bytes.size, end)
	f.fs.record(event{op: Op{Kind: Write, Name: n.name, Off: off, Len: len(p)}, settled: -1,
		changes: []placed{{n.number, change{first: first, sectors: with, end: end}}}})
}

// takeLocked gives the file space up to end, or as far as there is some, and
// returns up to where it has it.
func (fs *FS) takeLocked(n *node, end int64) int64 {
	if end <= n.taken {
		return end
	}
	more := min(end-n.taken, max(0, fs.capacity-fs.used))
	n.taken += more
	fs.used += more
	return n.taken
}

// Preallocate takes space and leaves the size, as fallocate(2) with
// FALLOC_FL_KEEP_SIZE: all of it, or none and ENOSPC.
func (f *file) Preallocate(off, length int64) error {
	err := f.ask(Op{Kind: Reserve, Off: off + length})
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err == nil {
		if more := off + length - f.node.taken; more > f.fs.capacity-f.fs.used {
			err = syscall.ENOSPC
		} else {
			f.fs.takeLocked(f.node, off+length)
		}
	}
	return pathError("preallocate", f.name, err)
}

// Truncate makes the file size bytes long: what is cut is gone, what is added
// are zeros.
func (f *file) Truncate(size int64) error {
	err := f.ask(Op{Kind: Truncate, Off: size})
	if err != nil {
		return pathError("truncate", f.name, err)
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	n := f.node
	c := change{end: size, cut: size < n.bytes.size}
	n.bytes.resize(size)
	if n.taken > size {
		f.fs.used -= n.taken - size
		n.taken = size
	}
	f.fs.record(event{op: Op{Kind: Truncate, Name: n.name, Off: size}, settled: -1, changes: []placed{{n.number, c}}})
	return nil
}

// Sync makes durable what was changed before the call: of a file its bytes and
// its size, of a directory the names in it. One that fails has lost
// the bytes; the names it leaves to the next.
func (f *file) Sync() error {
	f.fs.mu.Lock()
	upTo := f.node.media.made
	f.fs.mu.Unlock()
	err := f.ask(Op{Kind: Sync})
	if !errors.Is(err, os.ErrClosed) {
		f.fs.mu.Lock()
		defer f.fs.mu.Unlock()
		f.fs.record(event{op: Op{Kind: Sync, Name: f.node.name}, settled: f.node.number, upTo: upTo, failed: err != nil})
	}
	return pathError("sync", f.name, err)
}

// SyncData is Sync: no metadata here is worth leaving out.
func (f *file) SyncData() error { return f.Sync() }

// SyncTo is a Sync of the whole file, and nothing for a directory.
func (f *file) SyncTo(int64) (fullSync bool, err error) {
	if f.node.isDir() {
		return false, nil
	}
	err = f.Sync()
	return err == nil, err
}

func (f *file) Stat() (os.FileInfo, error) {
	if err := f.ask(Op{Kind: Stat}); err != nil {
		return nil, pathError("stat", f.name, err)
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return f.node.info(path.Base("/" + clean(f.name))), nil
}

// Prefetch does nothing and succeeds.
func (f *file) Prefetch(off, length int64) error { return nil }

// Fd returns vfs.InvalidFd.
func (f *file) Fd() uintptr { return vfs.InvalidFd }

var _ vfs.File = (*file)(nil)

func (n *node) info(name string) os.FileInfo { return info{name, n.bytes.size, n.isDir()} }

// info is a node under one of its names at one moment.
type info struct {
	name string
	size int64
	dir  bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.dir }
func (i info) Sys() any           { return nil }
func (i info) Mode() os.FileMode {
	if i.dir {
		return os.ModeDir | 0o700
	}
	return 0o600
}
