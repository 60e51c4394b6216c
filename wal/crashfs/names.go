package crashfs

import (
	"errors"
	"io"
	iofs "io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/vfs"
)

// clean returns the one spelling of a name: no slash at the front, "" for the
// root.
func clean(name string) string {
	return strings.TrimPrefix(path.Clean("/"+filepath.ToSlash(name)), "/")
}

func join(dir, name string) string { return strings.TrimPrefix(dir+"/"+name, "/") }

// shown is a clean name as an Op tells it.
func shown(name string) string {
	if name == "" {
		return "."
	}
	return name
}

// findLocked returns what has a clean name. Its errors are bare causes.
func (fs *FS) findLocked(name string) (*node, error) {
	n := fs.nodes[0]
	for elem := range strings.SplitSeq(name, "/") {
		if elem == "" {
			break
		}
		if !n.isDir() {
			return nil, syscall.ENOTDIR
		}
		number, ok := n.entries[elem]
		if !ok {
			return nil, iofs.ErrNotExist
		}
		n = fs.nodes[number]
	}
	return n, nil
}

// parentLocked returns the directory of a clean name, and its last element.
func (fs *FS) parentLocked(name string) (*node, string, error) {
	if name == "" {
		return nil, "", syscall.EINVAL
	}
	dir, base := path.Split(name)
	n, err := fs.findLocked(strings.TrimSuffix(dir, "/"))
	if err == nil && !n.isDir() {
		err = syscall.ENOTDIR
	}
	return n, base, err
}

// point makes an entry of dir mean the node of that number, -1 for none, and
// returns the change.
func (fs *FS) point(dir *node, base string, number int) placed {
	if old, ok := dir.entries[base]; ok && old != number && !fs.nodes[old].isDir() && fs.links(old) == 1 {
		fs.used -= fs.nodes[old].taken
		fs.nodes[old].taken = 0
	}
	if number < 0 {
		delete(dir.entries, base)
	} else {
		dir.entries[base] = number
		fs.nodes[number].name = join(dir.name, base)
	}
	return placed{dir.number, change{name: base, target: number}}
}

// links counts the names of a node.
func (fs *FS) links(number int) int {
	count := 0
	for _, n := range fs.nodes {
		for _, entry := range n.entries {
			if entry == number {
				count++
			}
		}
	}
	return count
}

// makeLocked makes a file or directory under a name that is free.
func (fs *FS) makeLocked(o Op, dir *node, base string, isDir bool) *node {
	n := fs.addNode(isDir)
	fs.record(event{op: o, made: true, dir: isDir, settled: -1, changes: []placed{fs.point(dir, base, n.number)}})
	return n
}

func pathError(verb, name string, err error) error {
	if err == nil {
		return nil
	}
	return &os.PathError{Op: verb, Path: name, Err: err}
}

// Create makes a file, in place of one that has the name.
func (fs *FS) Create(name string) (vfs.File, error) {
	o := Op{Kind: Create, Name: clean(name)}
	err := fs.ask(o)
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var dir *node
	var base string
	if err == nil {
		dir, base, err = fs.parentLocked(o.Name)
	}
	if err == nil {
		if old, ok := dir.entries[base]; ok && fs.nodes[old].isDir() {
			err = syscall.EISDIR
		}
	}
	if err != nil {
		return nil, pathError("create", name, err)
	}
	return fs.handle(fs.makeLocked(o, dir, base, false), name, true), nil
}

// Open opens a file for reading.
func (fs *FS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	err := fs.ask(Op{Kind: Open, Name: shown(clean(name))})
	fs.mu.Lock()
	var n *node
	if err == nil {
		n, err = fs.findLocked(clean(name))
	}
	fs.mu.Unlock()
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return opened(fs.handle(n, name, false), opts), nil
}

// OpenDir opens a directory, to sync it.
func (fs *FS) OpenDir(name string) (vfs.File, error) { return fs.Open(name) }

// OpenReadWrite opens a file for reading and writing, and makes it if it is
// not there.
func (fs *FS) OpenReadWrite(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	fs.mu.Lock()
	n, err := fs.findLocked(clean(name))
	fs.mu.Unlock()
	kind := Open
	if errors.Is(err, iofs.ErrNotExist) {
		kind, err = Create, nil
	} else if err == nil && n.isDir() {
		err = syscall.EISDIR
	}
	o := Op{Kind: kind, Name: clean(name)}
	if err == nil {
		err = fs.ask(o)
	}
	if err == nil && kind == Create {
		n, err = fs.makeMissing(o)
	}
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return opened(fs.handle(n, name, true), opts), nil
}

// makeMissing makes a file unless somebody has meanwhile.
func (fs *FS) makeMissing(o Op) (*node, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	dir, base, err := fs.parentLocked(o.Name)
	if err != nil {
		return nil, err
	}
	if number, ok := dir.entries[base]; ok {
		return fs.nodes[number], nil
	}
	return fs.makeLocked(o, dir, base, false), nil
}

func opened(f *file, opts []vfs.OpenOption) vfs.File {
	for _, o := range opts {
		o.Apply(f)
	}
	return f
}

// Link gives a file another name.
func (fs *FS) Link(oldname, newname string) error {
	o := Op{Kind: Link, Name: clean(oldname), To: clean(newname)}
	err := fs.ask(o)
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if err == nil {
		err = fs.linkLocked(o)
	}
	if err != nil {
		return &os.LinkError{Op: "link", Old: oldname, New: newname, Err: err}
	}
	return nil
}

func (fs *FS) linkLocked(o Op) error {
	n, err := fs.findLocked(o.Name)
	if err != nil {
		return err
	}
	dir, base, err := fs.parentLocked(o.To)
	if err != nil {
		return err
	}
	if _, taken := dir.entries[base]; taken {
		return iofs.ErrExist
	}
	if n.isDir() {
		return syscall.EPERM
	}
	fs.record(event{op: o, settled: -1, changes: []placed{fs.point(dir, base, n.number)}})
	return nil
}

// Rename moves a file or a directory to another name, in place of a file or of
// an empty directory that has it.
func (fs *FS) Rename(oldname, newname string) error {
	o := Op{Kind: Rename, Name: clean(oldname), To: clean(newname)}
	err := fs.ask(o)
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if err == nil {
		err = fs.renameLocked(o)
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: oldname, New: newname, Err: err}
	}
	return nil
}

func (fs *FS) renameLocked(o Op) error {
	n, err := fs.findLocked(o.Name)
	if err != nil {
		return err
	}
	from, oldbase, err := fs.parentLocked(o.Name)
	if err != nil {
		return err
	}
	to, newbase, err := fs.parentLocked(o.To)
	if err != nil {
		return err
	}
	if n.isDir() && strings.HasPrefix(o.To+"/", o.Name+"/") {
		return syscall.EINVAL // into itself
	}
	if number, ok := to.entries[newbase]; ok {
		target := fs.nodes[number]
		switch {
		case target == n:
			return nil // two names of one file both stay, as rename(2) has it
		case target.isDir() && !n.isDir():
			return syscall.EISDIR
		case !target.isDir() && n.isDir():
			return syscall.ENOTDIR
		case len(target.entries) > 0:
			return syscall.ENOTEMPTY
		}
	}
	// The new name first, so that the file is never without one.
	added := fs.point(to, newbase, n.number)
	fs.record(event{op: o, settled: -1, changes: []placed{added, fs.point(from, oldbase, -1)}})
	return nil
}

// Remove takes the name of a file or of an empty directory away.
func (fs *FS) Remove(name string) error {
	o := Op{Kind: Remove, Name: clean(name)}
	err := fs.ask(o)
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if err == nil {
		err = fs.removeLocked(o)
	}
	return pathError("remove", name, err)
}

func (fs *FS) removeLocked(o Op) error {
	n, err := fs.findLocked(o.Name)
	if err != nil {
		return err
	}
	dir, base, err := fs.parentLocked(o.Name)
	if err != nil {
		return err
	}
	if len(n.entries) > 0 {
		return syscall.ENOTEMPTY
	}
	fs.record(event{op: o, settled: -1, changes: []placed{fs.point(dir, base, -1)}})
	return nil
}

// RemoveAll removes a name and all below it, one by one. One that is not there
// is no error.
func (fs *FS) RemoveAll(name string) error {
	fs.mu.Lock()
	n, err := fs.findLocked(clean(name))
	var below []string
	if err == nil {
		below = slices.Sorted(maps.Keys(n.entries))
	}
	fs.mu.Unlock()
	if errors.Is(err, iofs.ErrNotExist) {
		return nil
	}
	for _, base := range below {
		if err := fs.RemoveAll(join(clean(name), base)); err != nil {
			return err
		}
	}
	return fs.Remove(name)
}

// ReuseForWrite gives a file a new name and opens it for writing, with its
// contents.
func (fs *FS) ReuseForWrite(oldname, newname string) (vfs.File, error) {
	if err := fs.Rename(oldname, newname); err != nil {
		return nil, err
	}
	return fs.OpenReadWrite(newname)
}

// MkdirAll makes a directory, and those above it, each that is missing a
// change of its own. perm is ignored.
func (fs *FS) MkdirAll(name string, perm os.FileMode) error {
	at := ""
	for elem := range strings.SplitSeq(clean(name), "/") {
		if elem == "" {
			break
		}
		at = join(at, elem)
		if err := fs.mkdir(at); err != nil {
			return pathError("mkdir", name, err)
		}
	}
	return nil
}

func (fs *FS) mkdir(name string) error {
	fs.mu.Lock()
	n, err := fs.findLocked(name)
	fs.mu.Unlock()
	if err == nil && !n.isDir() {
		return syscall.ENOTDIR
	}
	if !errors.Is(err, iofs.ErrNotExist) {
		return err
	}
	o := Op{Kind: Mkdir, Name: name}
	if err := fs.ask(o); err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	dir, base, err := fs.parentLocked(name)
	if err != nil {
		return err
	}
	if _, ok := dir.entries[base]; !ok {
		fs.makeLocked(o, dir, base, true)
	}
	return nil
}

// Lock takes the lock of that name, which is free after a crash.
func (fs *FS) Lock(name string) (io.Closer, error) {
	if err := fs.ask(Op{Kind: Lock, Name: clean(name)}); err != nil {
		return nil, pathError("lock", name, err)
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.locks[clean(name)] {
		return nil, pathError("lock", name, syscall.EAGAIN)
	}
	fs.locks[clean(name)] = true
	return unlock(func() {
		fs.mu.Lock()
		defer fs.mu.Unlock()
		delete(fs.locks, clean(name))
	}), nil
}

type unlock func()

func (u unlock) Close() error { u(); return nil }

// List returns the names in a directory, sorted.
func (fs *FS) List(name string) ([]string, error) {
	err := fs.ask(Op{Kind: List, Name: shown(clean(name))})
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var n *node
	if err == nil {
		n, err = fs.findLocked(clean(name))
	}
	if err == nil && !n.isDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, pathError("list", name, err)
	}
	return slices.Sorted(maps.Keys(n.entries)), nil
}

// Stat describes what has the name.
func (fs *FS) Stat(name string) (os.FileInfo, error) {
	err := fs.ask(Op{Kind: Stat, Name: shown(clean(name))})
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var n *node
	if err == nil {
		n, err = fs.findLocked(clean(name))
	}
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return n.info(path.Base("/" + clean(name))), nil
}

// PathBase returns the last element of a path.
func (fs *FS) PathBase(name string) string { return path.Base(filepath.ToSlash(name)) }

// PathJoin joins elements with slashes.
func (fs *FS) PathJoin(elem ...string) string { return filepath.ToSlash(filepath.Join(elem...)) }

// PathDir returns all but the last element of a path.
func (fs *FS) PathDir(name string) string { return path.Dir(filepath.ToSlash(name)) }

// GetDiskUsage returns what SetFree has left.
func (fs *FS) GetDiskUsage(string) (vfs.DiskUsage, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	free := fs.capacity - fs.used
	return vfs.DiskUsage{AvailBytes: uint64(max(free, 0)), TotalBytes: uint64(min(fs.capacity, math.MaxInt64)), UsedBytes: uint64(fs.used)}, nil
}
