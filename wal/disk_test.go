package wal

import (
	"errors"
	"path"
	"sync/atomic"
	"testing"

	"walbench.example/wal/crashfs"
)

// disk is a file system that crashes, with its calls told as the tests here
// want to hear of them: those that change it, by base names.
type disk struct {
	*crashfs.FS
	hook   atomic.Pointer[func(call) error]
	onRead atomic.Pointer[func(n int)]
}

// call is one call that changes the disk.
type call struct {
	verb string // create write sync reserve truncate rename remove mkdir
	name string // base name, "." for the log's directory, ".." for one above
	to   string // of a rename
	off  int64
	data []byte // of a write
}

// logDir is where tests put a log on a disk.
const logDir = "top/log"

func newDisk() *disk { return wrap(crashfs.New()) }

func wrap(fs *crashfs.FS) *disk {
	d := &disk{FS: fs}
	fs.Intercept(d.told)
	return d
}

func (d *disk) told(o crashfs.Op) error {
	if f := d.onRead.Load(); f != nil && o.Kind == crashfs.Read {
		(*f)(o.Len)
	}
	hook := d.hook.Load()
	if hook == nil || !o.Changes() {
		return nil
	}
	c := call{verb: o.Kind.String(), name: path.Base(o.Name), to: path.Base(o.To), off: o.Off, data: o.Data}
	switch o.Name {
	case logDir:
		c.name = "."
	case ".", path.Dir(logDir):
		c.name = ".."
	}
	return (*hook)(c)
}

// setHook has hook told of each call before it takes place; an error fails it.
func (d *disk) setHook(hook func(call) error) {
	if hook == nil {
		d.hook.Store(nil)
		return
	}
	d.hook.Store(&hook)
}

// crash returns the disk after a power cut. The disk itself goes on.
func (d *disk) crash(keep crashfs.Keep) *disk { return wrap(d.Crash(keep)) }

// free is how many bytes files may still take.
func (d *disk) free() int64 {
	u, _ := d.GetDiskUsage("") // never fails
	return int64(u.AvailBytes)
}

func mustSyncDir(t testing.TB, d *disk, name string) {
	t.Helper()
	h, err := d.OpenDir(name)
	if err == nil {
		err = errors.Join(h.Sync(), h.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
