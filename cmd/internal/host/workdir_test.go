package host

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func newWorkDir(t *testing.T, parent string) *WorkDir {
	t.Helper()
	w, err := NewWorkDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func write(t *testing.T, elem ...string) string {
	t.Helper()
	name := filepath.Join(elem...)
	if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func TestWorkDirIsNewAndPrivateInTheCurrentDirectory(t *testing.T) {
	current := t.TempDir()
	t.Chdir(current)
	w := newWorkDir(t, "")
	defer w.Remove()
	if !filepath.IsAbs(w.Path()) || !strings.HasPrefix(filepath.Base(w.Path()), "walbench-") {
		t.Errorf("Path = %s", w.Path())
	}
	if entries, err := os.ReadDir(current); err != nil || len(entries) != 1 {
		t.Errorf("the current directory holds %v, %v", entries, err)
	}
	info, err := os.Stat(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o700 {
		t.Errorf("mode %o, want 700", mode)
	}
}

func TestWorkDirNeedsItsParent(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := NewWorkDir(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("error %v, want one that names %s", err, missing)
	}
	if exists(missing) {
		t.Error("the parent was made")
	}
}

func TestRemoveDeletesTheDirectoryAndNothingElse(t *testing.T) {
	parent := t.TempDir()
	kept := write(t, parent, "kept")
	w := newWorkDir(t, parent)
	if err := os.MkdirAll(filepath.Join(w.Path(), "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, w.Path(), "a", "b", "file")
	if err := os.Symlink(parent, filepath.Join(w.Path(), "link")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	if err := w.Remove(); err != nil {
		t.Fatal(err)
	}
	if exists(w.Path()) || !exists(kept) {
		t.Errorf("directory still there: %v, file beside it still there: %v", exists(w.Path()), exists(kept))
	}
	// Whoever takes the name now has nothing to fear.
	write(t, w.Path())
	if err := w.Remove(); err != nil || !exists(w.Path()) {
		t.Errorf("second Remove: %v, the new file is still there: %v", err, exists(w.Path()))
	}
}

// TestRemoveLeavesWhatItDidNotMake puts something else at the path, and
// expects an error, and nothing deleted on either side.
func TestRemoveLeavesWhatItDidNotMake(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open directory cannot be moved on Windows")
	}
	for name, replace := range map[string]func(t *testing.T, path, other string){
		"symlink": func(t *testing.T, path, other string) {
			if err := os.Symlink(other, path); err != nil {
				t.Fatal(err)
			}
		},
		"directory": func(t *testing.T, path, other string) {
			if err := os.Rename(other, path); err != nil {
				t.Fatal(err)
			}
		},
		"symlink to itself": func(t *testing.T, path, other string) {
			if err := os.Symlink(path+".moved", path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			other := filepath.Join(parent, "other")
			if err := os.Mkdir(other, 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, other, "precious")
			w := newWorkDir(t, parent)
			write(t, w.Path(), "file")
			if err := os.Rename(w.Path(), w.Path()+".moved"); err != nil {
				t.Fatal(err)
			}
			replace(t, w.Path(), other)
			err := w.Remove()
			if err == nil || !strings.Contains(err.Error(), "left alone") {
				t.Errorf("Remove: %v, want a refusal", err)
			}
			if !exists(filepath.Join(w.Path()+".moved", "file")) {
				t.Error("the moved directory was emptied")
			}
			if !exists(filepath.Join(other, "precious")) && !exists(filepath.Join(w.Path(), "precious")) {
				t.Error("a file that was not ours is gone")
			}
		})
	}
}

// TestRemoveKnowsADirectoryMadeAnew covers the inode number that a file system
// gives out again at once.
func TestRemoveKnowsADirectoryMadeAnew(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open directory cannot be removed on Windows")
	}
	w := newWorkDir(t, t.TempDir())
	if err := os.Remove(w.Path()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(w.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	precious := write(t, w.Path(), "precious")
	if err := w.Remove(); err == nil || !exists(precious) {
		t.Errorf("Remove: %v, file still there: %v", err, exists(precious))
	}
}

func TestRemoveOfAGoneDirectoryIsNoError(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open directory cannot be removed on Windows")
	}
	w := newWorkDir(t, t.TempDir())
	if err := os.Remove(w.Path()); err != nil {
		t.Fatal(err)
	}
	if err := w.Remove(); err != nil {
		t.Error(err)
	}
}

// TestRemoveMayBeTriedAgain has a writer add a file after the directory was
// emptied.
func TestRemoveMayBeTriedAgain(t *testing.T) {
	w := newWorkDir(t, t.TempDir())
	if err := w.empty(); err != nil {
		t.Fatal(err)
	}
	late := write(t, w.Path(), "late")
	if err := w.removeEmpty(); err == nil || !exists(late) {
		t.Errorf("removeEmpty of a directory with a file: %v, file still there: %v", err, exists(late))
	}
	if err := w.Remove(); err != nil || exists(w.Path()) {
		t.Errorf("Remove: %v, directory still there: %v", err, exists(w.Path()))
	}
}

func TestRemoveIsSafeWithItself(t *testing.T) {
	w := newWorkDir(t, t.TempDir())
	for _, name := range []string{"a", "b", "c"} {
		write(t, w.Path(), name)
	}
	var removers sync.WaitGroup
	for range 4 {
		removers.Go(func() {
			if err := w.Remove(); err != nil {
				t.Error(err)
			}
		})
	}
	removers.Wait()
	if exists(w.Path()) {
		t.Error("still there")
	}
}

func TestSpaceErrorNamesBothSizes(t *testing.T) {
	dir := t.TempDir()
	free, err := FreeBytes(dir)
	if err != nil || free <= 0 {
		t.Fatalf("FreeBytes = %d, %v", free, err)
	}
	if err := CheckSpace(dir, 1); err != nil {
		t.Errorf("CheckSpace of one byte: %v", err)
	}
	const exbibyte = 1 << 60
	err = CheckSpace(dir, exbibyte)
	if err == nil || !strings.Contains(err.Error(), "needs 1099511627776 MiB") || !strings.Contains(err.Error(), "MiB free") {
		t.Errorf("CheckSpace of an exbibyte: %v", err)
	}
	if _, err := FreeBytes(filepath.Join(dir, "missing")); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("FreeBytes of a missing directory: %v", err)
	}
}
