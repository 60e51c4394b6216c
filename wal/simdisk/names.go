package simdisk

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// The verbs of FS that change or list names. Each is one step under FS.mu:
// it happens as a whole or not at all.

// Link gives a file a second name. The new name must be free.
func (fs *FS) Link(oldname, newname string) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n, err := fs.findLocked(oldname)
	if err == nil && n.isDir() {
		err = syscall.EPERM
	}
	if err != nil {
		return &os.LinkError{Op: "link", Old: oldname, New: newname, Err: err}
	}
	dir, base, err := fs.parentLocked(newname)
	if err == nil && dir.children[base] != nil {
		err = os.ErrExist
	}
	if err != nil {
		return &os.LinkError{Op: "link", Old: oldname, New: newname, Err: err}
	}
	dir.children[base] = n
	return nil
}

// Rename moves a file or a directory to a new name, in place of a file or of
// an empty directory that had it.
func (fs *FS) Rename(oldname, newname string) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if err := fs.renameLocked(oldname, newname); err != nil {
		return &os.LinkError{Op: "rename", Old: oldname, New: newname, Err: err}
	}
	return nil
}

func (fs *FS) renameLocked(oldname, newname string) error {
	from, oldbase, err := fs.parentLocked(oldname)
	if err != nil {
		return err
	}
	n := from.children[oldbase]
	if n == nil {
		return os.ErrNotExist
	}
	to, newbase, err := fs.parentLocked(newname)
	if err != nil {
		return err
	}
	target := to.children[newbase]
	if target == n {
		return nil // two names of one file both stay, as rename(2) has it
	}
	if strings.HasPrefix(clean(newname), clean(oldname)+"/") {
		return syscall.EINVAL // a directory into itself
	}
	if err := replaceable(target, n.isDir()); err != nil {
		return err
	}
	delete(from.children, oldbase)
	to.children[newbase] = n
	return nil
}

// Remove takes the name from a file or an empty directory.
func (fs *FS) Remove(name string) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	dir, base, err := fs.parentLocked(name)
	if err == nil {
		switch n := dir.children[base]; {
		case n == nil:
			err = os.ErrNotExist
		case len(n.children) > 0:
			err = syscall.ENOTEMPTY
		}
	}
	if err != nil {
		return &os.PathError{Op: "remove", Path: name, Err: err}
	}
	delete(dir.children, base)
	return nil
}

// RemoveAll takes away a name and all below it. A name that does not exist is
// no error.
func (fs *FS) RemoveAll(name string) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	dir, base, err := fs.parentLocked(name)
	if err == os.ErrNotExist {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "remove", Path: name, Err: err}
	}
	delete(dir.children, base)
	return nil
}

// MkdirAll makes a directory and those above it that are missing. There are no
// permissions here; perm is ignored.
func (fs *FS) MkdirAll(name string, perm os.FileMode) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	dir := fs.root
	for _, elem := range elements(name) {
		child := dir.children[elem]
		if child == nil {
			child = newDirectory()
			dir.children[elem] = child
		}
		if !child.isDir() {
			return &os.PathError{Op: "mkdir", Path: name, Err: syscall.ENOTDIR}
		}
		dir = child
	}
	return nil
}

// List returns the names in a directory, sorted.
func (fs *FS) List(name string) ([]string, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	dir, err := fs.findLocked(name)
	if err == nil && !dir.isDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, &os.PathError{Op: "list", Path: name, Err: err}
	}
	return slices.Sorted(maps.Keys(dir.children)), nil
}

// PathBase returns the last element of a path.
func (fs *FS) PathBase(name string) string { return path.Base(filepath.ToSlash(name)) }

// PathJoin joins elements with slashes.
func (fs *FS) PathJoin(elem ...string) string { return filepath.ToSlash(filepath.Join(elem...)) }

// PathDir returns all but the last element of a path.
func (fs *FS) PathDir(name string) string { return path.Dir(filepath.ToSlash(name)) }

// findLocked returns what a name stands for. Its errors are bare causes.
func (fs *FS) findLocked(name string) (*inode, error) {
	n := fs.root
	for _, elem := range elements(name) {
		if !n.isDir() {
			return nil, syscall.ENOTDIR
		}
		if n = n.children[elem]; n == nil {
			return nil, os.ErrNotExist
		}
	}
	return n, nil
}

// parentLocked returns the directory that holds a name, or would, and the
// name's last element. The root, which nothing holds, is refused.
func (fs *FS) parentLocked(name string) (dir *inode, base string, err error) {
	above, base := path.Split(clean(name))
	if base == "" {
		return nil, "", syscall.EINVAL
	}
	dir, err = fs.findLocked(above)
	if err == nil && !dir.isDir() {
		err = syscall.ENOTDIR
	}
	return dir, base, err
}

// replaceable tells why target, which may be nil, cannot give its name to a
// directory or to a file.
func replaceable(target *inode, byDirectory bool) error {
	switch {
	case target == nil:
		return nil
	case target.isDir() && !byDirectory:
		return syscall.EISDIR
	case !target.isDir() && byDirectory:
		return syscall.ENOTDIR
	case len(target.children) > 0:
		return syscall.ENOTEMPTY
	}
	return nil
}

// clean returns the one spelling of a name: from the root, with slashes.
func clean(name string) string { return path.Clean("/" + filepath.ToSlash(name)) }

// elements returns the steps from the root to a name.
func elements(name string) []string {
	return strings.FieldsFunc(clean(name), func(r rune) bool { return r == '/' })
}
