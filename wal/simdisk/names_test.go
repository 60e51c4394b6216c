package simdisk

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"
)

// tree returns a file system with a file f, a directory d and a file d/g.
func tree(t testing.TB) *FS {
	t.Helper()
	fs := New(Options{})
	if err := fs.MkdirAll("d/empty", 0o700); err != nil {
		t.Fatal(err)
	}
	create(t, fs, "f")
	create(t, fs, "d/g")
	return fs
}

func TestNameErrors(t *testing.T) {
	open := func(_ any, err error) error { return err }
	tests := []struct {
		what string
		call func(fs *FS) error
		want error
	}{
		{"create below a file", func(fs *FS) error { return open(fs.Create("f/x")) }, syscall.ENOTDIR},
		{"create below nothing", func(fs *FS) error { return open(fs.Create("x/y")) }, os.ErrNotExist},
		{"create over a directory", func(fs *FS) error { return open(fs.Create("d")) }, syscall.EISDIR},
		{"create no name", func(fs *FS) error { return open(fs.Create("")) }, syscall.EINVAL},
		{"open a missing file", func(fs *FS) error { return open(fs.Open("x")) }, os.ErrNotExist},
		{"open a directory to write", func(fs *FS) error { return open(fs.OpenReadWrite("d")) }, syscall.EISDIR},
		{"open a file as directory", func(fs *FS) error { return open(fs.OpenDir("f")) }, syscall.ENOTDIR},
		{"open a missing directory", func(fs *FS) error { return open(fs.OpenDir("x")) }, os.ErrNotExist},
		{"stat a missing file", func(fs *FS) error { return open(fs.Stat("x")) }, os.ErrNotExist},
		{"list a file", func(fs *FS) error { return open(fs.List("f")) }, syscall.ENOTDIR},
		{"list nothing", func(fs *FS) error { return open(fs.List("x")) }, os.ErrNotExist},
		{"remove nothing", func(fs *FS) error { return fs.Remove("x") }, os.ErrNotExist},
		{"remove a full directory", func(fs *FS) error { return fs.Remove("d") }, syscall.ENOTEMPTY},
		{"remove the root", func(fs *FS) error { return fs.Remove("/") }, syscall.EINVAL},
		{"remove all of the root", func(fs *FS) error { return fs.RemoveAll("/") }, syscall.EINVAL},
		{"make a directory of a file", func(fs *FS) error { return fs.MkdirAll("f/x", 0o700) }, syscall.ENOTDIR},
		{"rename nothing", func(fs *FS) error { return fs.Rename("x", "y") }, os.ErrNotExist},
		{"rename into nothing", func(fs *FS) error { return fs.Rename("f", "x/y") }, os.ErrNotExist},
		{"rename over a full directory", func(fs *FS) error { return fs.Rename("d/empty", "d") }, syscall.ENOTEMPTY},
		{"rename a file over a directory", func(fs *FS) error { return fs.Rename("f", "d/empty") }, syscall.EISDIR},
		{"rename a directory over a file", func(fs *FS) error { return fs.Rename("d", "f") }, syscall.ENOTDIR},
		{"rename into itself", func(fs *FS) error { return fs.Rename("d", "d/empty/x") }, syscall.EINVAL},
		{"reuse nothing", func(fs *FS) error { return open(fs.ReuseForWrite("x", "y")) }, os.ErrNotExist},
		{"link nothing", func(fs *FS) error { return fs.Link("x", "y") }, os.ErrNotExist},
		{"link over a name", func(fs *FS) error { return fs.Link("f", "d/g") }, os.ErrExist},
		{"link a directory", func(fs *FS) error { return fs.Link("d", "e") }, syscall.EPERM},
		{"lock below nothing", func(fs *FS) error { return open(fs.Lock("x/lock")) }, os.ErrNotExist},
	}
	for _, tt := range tests {
		fs := tree(t)
		if err := tt.call(fs); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.what, err, tt.want)
		}
		// A verb that failed changed nothing.
		root, _ := fs.List("")
		d, _ := fs.List("d")
		if !slices.Equal(root, []string{"d", "f"}) || !slices.Equal(d, []string{"empty", "g"}) {
			t.Errorf("%s: left %v and %v", tt.what, root, d)
		}
	}
}

func TestSpellingsOfAName(t *testing.T) {
	fs := tree(t)
	for _, name := range []string{"d/g", "/d/g", "./d/g", "d//g", "d/../d/g", "../d/g", "d/g/", fs.PathJoin("d", "g")} {
		if _, err := fs.Stat(name); err != nil {
			t.Errorf("stat %q: %v", name, err)
		}
	}
	if dir, base := fs.PathDir("d/g"), fs.PathBase("d/g"); dir != "d" || base != "g" {
		t.Errorf("d/g is %q in %q", base, dir)
	}
}

// A handle keeps its file when the name goes or comes to stand for another.
func TestHandleOutlivesItsName(t *testing.T) {
	fs := New(Options{})
	f := create(t, fs, "f")
	if err := fs.Remove("f"); err != nil {
		t.Fatal(err)
	}
	create(t, fs, "f")
	if _, err := f.Write([]byte("old")); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, fs, "f"); len(got) != 0 {
		t.Errorf("the new file holds %q of the old one", got)
	}
	got := make([]byte, 3)
	if _, err := f.ReadAt(got, 0); err != nil || string(got) != "old" {
		t.Errorf("the old file reads %q, %v", got, err)
	}
}

func TestRenameOfOneFileToItsOtherNameKeepsBoth(t *testing.T) {
	fs := tree(t)
	if err := fs.Link("f", "g"); err != nil {
		t.Fatal(err)
	}
	if err := fs.Rename("f", "g"); err != nil {
		t.Fatal(err)
	}
	if got, _ := fs.List("/"); !slices.Equal(got, []string{"d", "f", "g"}) {
		t.Errorf("names %v, want both", got)
	}
}

func TestLockExcludes(t *testing.T) {
	fs := New(Options{})
	first, err := fs.Lock("lock")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fs.Lock("./lock"); !errors.Is(err, syscall.EAGAIN) {
		t.Errorf("second lock under another spelling: %v, want EAGAIN", err)
	}
	if _, err := fs.Stat("lock"); err != nil {
		t.Errorf("a lock has no file: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := fs.Lock("lock")
	if err != nil {
		t.Fatalf("lock after the release: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := fs.Lock("lock"); !errors.Is(err, syscall.EAGAIN) {
		t.Errorf("closing the first lock twice released the second: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
}
