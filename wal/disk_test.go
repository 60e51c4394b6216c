package wal

import (
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/vfs"
)

// disk is a file system in memory that fails, fills and crashes on request.
// It keeps apart what the running system sees (cache) and what would survive
// a power cut (media). Between the two stand unsynced sectors of 512 bytes
// and unsynced names, any subset of which a crash may keep: see crash.
type disk struct {
	vfs.FS // nil: a call that the log is not known to make panics

	mu    sync.Mutex
	cache map[string]*node
	media map[string]*node // the same nodes by the names that are durable
	locks map[string]bool
	free  int64 // bytes that files may still take

	// hook, if not nil, is told of each call before it takes place. An error
	// fails the call, which then has no effect but those said at write and
	// sync below. It runs without the mutex, in the caller's goroutine.
	hook func(call) error

	onRead func(n int) // if not nil, is told how many bytes each read asks for
}

// call is one call that changes the disk.
type call struct {
	verb string // create write sync reserve truncate rename remove mkdir
	name string // base name, "." for the log's directory, ".." for one above
	to   string // of a rename
	off  int64
	data []byte // of a write
}

// node is a file, or a directory if it has no contents.
type node struct {
	dir   bool
	cache []byte
	media []byte
	dirty map[int64]bool // sectors in which cache is newer than media
	taken int64          // bytes of the disk's space
}

const sector = 512

// shortWrite as a hook's error makes a write end early without an error.
type shortWrite int

func (shortWrite) Error() string { return "short write" }

func newDisk() *disk {
	d := &disk{cache: map[string]*node{}, media: map[string]*node{}, locks: map[string]bool{}, free: 1 << 40}
	d.cache["."] = &node{dir: true}
	d.media["."] = d.cache["."]
	return d
}

// logDir is where tests put a log on a disk.
const logDir = "top/log"

// ask tells the hook, with the mutex released meanwhile.
func (d *disk) ask(c call) error {
	switch {
	case c.name == logDir:
		c.name = "."
	case c.name == "." || c.name == path.Dir(logDir):
		c.name = ".."
	default:
		c.name, c.to = path.Base(c.name), path.Base(c.to)
	}
	d.mu.Lock()
	hook := d.hook
	d.mu.Unlock()
	if hook == nil {
		return nil
	}
	return hook(c)
}

func (d *disk) setHook(hook func(call) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hook = hook
}

func (d *disk) lookup(name string) (*node, error) {
	n := d.cache[path.Clean(name)]
	if n == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

func (d *disk) Open(name string, _ ...vfs.OpenOption) (vfs.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.lookup(name)
	if err != nil {
		return nil, err
	}
	return &diskFile{disk: d, node: n, name: path.Clean(name)}, nil
}

func (d *disk) OpenDir(name string) (vfs.File, error) { return d.Open(name) }

func (d *disk) OpenReadWrite(name string, _ ...vfs.OpenOption) (vfs.File, error) {
	name = path.Clean(name)
	d.mu.Lock()
	n := d.cache[name]
	d.mu.Unlock()
	if n == nil {
		if err := d.ask(call{verb: "create", name: name}); err != nil {
			return nil, err
		}
		n = &node{dirty: map[int64]bool{}}
		d.mu.Lock()
		d.cache[name] = n
		d.mu.Unlock()
	}
	return &diskFile{disk: d, node: n, name: name}, nil
}

func (d *disk) Remove(name string) error {
	if err := d.ask(call{verb: "remove", name: name}); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.lookup(name)
	if err == nil {
		delete(d.cache, path.Clean(name))
		d.free += n.taken
		n.taken = 0
	}
	return err
}

func (d *disk) Rename(from, to string) error {
	if err := d.ask(call{verb: "rename", name: from, to: to}); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.lookup(from)
	if err != nil {
		return err
	}
	if old := d.cache[path.Clean(to)]; old == n {
		return nil // rename(2): two links to one file stay
	} else if old != nil {
		d.free += old.taken
		old.taken = 0
	}
	delete(d.cache, path.Clean(from))
	d.cache[path.Clean(to)] = n
	return nil
}

func (d *disk) MkdirAll(name string, _ os.FileMode) error {
	name = path.Clean(name)
	if name == "." {
		return nil
	}
	if err := d.MkdirAll(path.Dir(name), 0); err != nil {
		return err
	}
	d.mu.Lock()
	_, err := d.lookup(name)
	d.mu.Unlock()
	if err == nil {
		return nil
	}
	if err := d.ask(call{verb: "mkdir", name: name}); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cache[name] = &node{dir: true}
	return nil
}

func (d *disk) Lock(name string) (io.Closer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.locks[name] {
		return nil, syscall.EAGAIN
	}
	d.locks[name] = true
	return unlock(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.locks, name)
	}), nil
}

type unlock func()

func (u unlock) Close() error { u(); return nil }

func (d *disk) List(dir string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.lookup(dir); err != nil {
		return nil, err
	}
	var names []string
	for name := range d.cache {
		if name != "." && path.Dir(name) == path.Clean(dir) {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

func (d *disk) Stat(name string) (os.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.lookup(name)
	if err != nil {
		return nil, err
	}
	return n.info(path.Base(name)), nil
}

func (d *disk) PathBase(p string) string    { return path.Base(p) }
func (d *disk) PathJoin(p ...string) string { return path.Join(p...) }
func (d *disk) PathDir(p string) string     { return path.Dir(p) }

func (n *node) info(name string) os.FileInfo { return diskInfo{name, int64(len(n.cache)), n.dir} }

type diskInfo struct {
	name string
	size int64
	dir  bool
}

func (i diskInfo) Name() string       { return i.name }
func (i diskInfo) Size() int64        { return i.size }
func (i diskInfo) ModTime() time.Time { return time.Time{} }
func (i diskInfo) IsDir() bool        { return i.dir }
func (i diskInfo) Sys() any           { return nil }
func (i diskInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir
	}
	return 0
}
