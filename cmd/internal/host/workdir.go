package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// WorkDir is a directory that a run made for itself and may fill as it likes.
// It is safe for concurrent use.
type WorkDir struct {
	path string

	mu sync.Mutex
	// root is open on the directory that was made, until it is removed: what
	// is deleted is deleted through it, and while it is open no other
	// directory can get the same identity. nil once removed.
	root *os.Root
}

// NewWorkDir makes a new directory walbench-XXXXXX, open to this user alone,
// in parent, which must exist. An empty parent is the current directory, never
// the temp dir: that one is often memory, and seldom the disk in question.
func NewWorkDir(parent string) (*WorkDir, error) {
	abs, err := filepath.Abs(parent) // of "": the current directory
	if err != nil {
		return nil, fmt.Errorf("host: make work directory in %q: %w", parent, err)
	}
	path, err := os.MkdirTemp(abs, "walbench-")
	if err != nil {
		return nil, fmt.Errorf("host: make work directory: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("host: make work directory: %w", err), os.Remove(path))
	}
	return &WorkDir{path: path, root: root}, nil
}

// Path returns the directory's absolute path. It stays the same when the
// process changes its current directory.
func (w *WorkDir) Path() string { return w.path }

// Remove deletes the directory with all that is in it. It deletes nothing, and
// says so, when the path now names something else: a symlink, or another
// directory. A directory that is gone, moved away or removed before is no
// error.
//
// Its files should be closed and its writers stopped. If it fails, because a
// writer was still adding files or (Windows) had one open, it may be called
// again.
func (w *WorkDir) Remove() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.root == nil {
		return nil
	}
	err := w.empty()
	if err == nil {
		err = w.removeEmpty()
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = w.release()
	}
	if err != nil {
		return fmt.Errorf("host: remove work directory: %w", err)
	}
	return nil
}

// empty deletes what the directory holds, if the path still names it.
func (w *WorkDir) empty() error {
	if err := w.check(os.Lstat(w.path)); err != nil {
		return err
	}
	entries, err := fs.ReadDir(w.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := w.root.RemoveAll(entry.Name()); err != nil {
			return err
		}
	}
	return nil
}

// check refuses what is not the directory that was made.
func (w *WorkDir) check(found fs.FileInfo, err error) error {
	if err != nil {
		return err
	}
	made, err := w.root.Stat(".")
	if err != nil {
		return err
	}
	if !os.SameFile(found, made) {
		return fmt.Errorf("%s is no longer the directory that was made: left alone", w.path)
	}
	return nil
}

// removeEmpty removes the emptied directory. It is let go of first, since
// Windows does not remove a directory that is open; if it turns out not to be
// empty, it is taken hold of again for a next try.
func (w *WorkDir) removeEmpty() error {
	made, err := w.root.Stat(".")
	if err != nil {
		return err
	}
	if err := w.release(); err != nil {
		return err
	}
	removing := os.Remove(w.path)
	if removing == nil || errors.Is(removing, fs.ErrNotExist) {
		return nil
	}
	root, err := os.OpenRoot(w.path)
	if err != nil {
		return errors.Join(removing, err)
	}
	found, err := root.Stat(".")
	if err != nil || !os.SameFile(found, made) {
		return errors.Join(removing, err, root.Close())
	}
	w.root = root
	return removing
}

// release lets go of the directory: it is removed, or not ours any more.
func (w *WorkDir) release() error {
	if w.root == nil {
		return nil
	}
	root := w.root
	w.root = nil
	return root.Close()
}
