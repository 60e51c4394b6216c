package wal

import (
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"syscall"

	"github.com/cockroachdb/pebble/vfs"
)

// diskFile is an open file of a disk.
type diskFile struct {
	vfs.File // nil

	disk *disk
	node *node
	name string
}

func (f *diskFile) Close() error { return nil }
func (f *diskFile) Fd() uintptr  { return vfs.InvalidFd }

func (f *diskFile) Stat() (os.FileInfo, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return f.node.info(path.Base(f.name)), nil
}

func (f *diskFile) ReadAt(p []byte, off int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.onRead != nil {
		f.disk.onRead(len(p))
	}
	if off >= int64(len(f.node.cache)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.cache[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// ask tells the hook under the name that the file has by now.
func (f *diskFile) ask(c call) error {
	f.disk.mu.Lock()
	for name, n := range f.disk.cache {
		if n == f.node {
			c.name = name
		}
	}
	f.disk.mu.Unlock()
	return f.disk.ask(c)
}

// WriteAt writes. A hook's shortWrite takes effect for so many bytes.
func (f *diskFile) WriteAt(p []byte, off int64) (int, error) {
	var short shortWrite
	err := f.ask(call{verb: "write", off: off, data: p})
	if errors.As(err, &short) {
		p = p[:short]
	} else if err != nil {
		return 0, err
	}
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n, end := f.node, off+int64(len(p))
	if err := f.disk.take(n, end); err != nil {
		return 0, err
	}
	from := min(off, int64(len(n.cache)))
	if int64(len(n.cache)) < end {
		n.cache = append(n.cache, make([]byte, end-int64(len(n.cache)))...)
	}
	copy(n.cache[off:], p)
	n.soil(from, end)
	return len(p), nil
}

// take gives the file space up to end.
func (d *disk) take(n *node, end int64) error {
	more := end - n.taken
	if more <= 0 {
		return nil
	}
	if more > d.free {
		return syscall.ENOSPC
	}
	d.free -= more
	n.taken += more
	return nil
}

func (n *node) soil(from, to int64) {
	for s := from / sector; s*sector < to; s++ {
		n.dirty[s] = true
	}
}

// Preallocate takes space and leaves the size, as fallocate(2) with
// FALLOC_FL_KEEP_SIZE.
func (f *diskFile) Preallocate(off, length int64) error {
	if err := f.ask(call{verb: "reserve", off: off + length}); err != nil {
		return err
	}
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return f.disk.take(f.node, off+length)
}

func (f *diskFile) Truncate(size int64) error {
	if err := f.ask(call{verb: "truncate", off: size}); err != nil {
		return err
	}
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n := f.node
	if size < int64(len(n.cache)) {
		n.soil(size, int64(len(n.cache)))
		n.cache = n.cache[:size:size]
	} else {
		old := int64(len(n.cache))
		n.cache = append(n.cache, make([]byte, size-old)...)
		n.soil(old, size)
	}
	f.disk.free += max(0, n.taken-size)
	n.taken = min(n.taken, size)
	return nil
}

func (f *diskFile) SyncData() error { return f.Sync() }

// Sync moves a file, or the names of a directory, from the cache to the
// media. One that fails moves nothing, and marks the pages clean: another Sync
// would succeed for nothing, as on Linux.
func (f *diskFile) Sync() error {
	err := f.ask(call{verb: "sync"})
	d, n := f.disk, f.node
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case err != nil:
		clear(n.dirty)
	case n.dir:
		for name := range d.pending(f.name) {
			if d.cache[name] == nil {
				delete(d.media, name)
			} else {
				d.media[name] = d.cache[name]
			}
		}
	default:
		n.settle(func() bool { return true })
	}
	return err
}

// settle moves the dirty sectors that keep chooses to the media, and the size
// as far as it goes with them.
func (n *node) settle(keep func() bool) {
	cut := len(n.cache) < len(n.media) && keep()
	for _, s := range slices.Sorted(maps.Keys(n.dirty)) {
		from, to := s*sector, min((s+1)*sector, int64(len(n.cache)))
		if from >= to || !keep() {
			continue
		}
		if int64(len(n.media)) < to {
			n.media = append(n.media, make([]byte, to-int64(len(n.media)))...)
		}
		copy(n.media[from:to], n.cache[from:to])
	}
	if cut {
		n.media = n.media[:len(n.cache)]
	}
	clear(n.dirty)
}

// pending returns the names in a directory that are not durable as they are.
func (d *disk) pending(dir string) map[string]bool {
	names := map[string]bool{}
	for _, m := range []map[string]*node{d.cache, d.media} {
		for name := range m {
			if path.Dir(name) == dir && d.cache[name] != d.media[name] {
				names[name] = true
			}
		}
	}
	return names
}

// crash returns the disk after a power cut: of the unsynced sectors and names
// each is kept if keep says so. The disk itself goes on.
func (d *disk) crash(keep func() bool) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := maps.Clone(d.media)
	for _, dir := range []string{".", "top", logDir} {
		for _, name := range slices.Sorted(maps.Keys(d.pending(dir))) {
			if !keep() {
				continue
			}
			if names[name] = d.cache[name]; names[name] == nil {
				delete(names, name)
			}
		}
	}
	after, nodes := newDisk(), map[*node]*node{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[path.Dir(name)] == nil {
			continue // its directory is gone
		}
		n := names[name]
		if nodes[n] == nil {
			c := &node{dir: n.dir, cache: n.cache, media: slices.Clone(n.media), dirty: maps.Clone(n.dirty)}
			if !n.dir {
				c.settle(keep)
			}
			c.cache, c.taken = slices.Clone(c.media), int64(len(c.media))
			after.free -= c.taken
			nodes[n] = c
		}
		after.cache[name] = nodes[n]
	}
	after.media = maps.Clone(after.cache)
	return after
}

// coin keeps each sector and each name with even odds, by seed.
func coin(seed uint64) func() bool {
	r := rand.New(rand.NewPCG(seed, seed))
	return func() bool { return r.IntN(2) == 0 }
}

func keepAll() bool  { return true }
func keepNone() bool { return false }
