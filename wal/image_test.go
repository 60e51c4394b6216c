package wal

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/vfs"
	"walbench.example/wal/crashfs"
)

// image is the contents of a log's directory by name.
type image map[string][]byte

// image returns what the running system sees.
func (d *disk) image() image {
	img := image{}
	names, err := d.List(logDir)
	for _, name := range names {
		var f vfs.File
		if f, err = d.Open(path.Join(logDir, name)); errors.Is(err, fs.ErrNotExist) {
			continue // renamed meanwhile
		}
		var info os.FileInfo
		if err == nil {
			info, err = f.Stat()
		}
		if err == nil && !info.IsDir() {
			img[name] = make([]byte, info.Size())
			_, err = io.ReadFull(f, img[name])
		}
		if err != nil {
			break
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		panic(err)
	}
	return img
}

// disk returns a disk that holds the image, durable.
func (img image) disk() *disk {
	d := newDisk()
	err := d.MkdirAll(logDir, 0o700)
	for name, data := range img {
		f, ferr := d.Create(path.Join(logDir, name))
		_, werr := f.WriteAt(data, 0)
		err = errors.Join(err, ferr, werr)
	}
	if err != nil {
		panic(err)
	}
	return d.crash(crashfs.All)
}

// with returns the image with other contents of one file.
func (img image) with(name string, data []byte) image {
	c := maps.Clone(img)
	c[name] = data
	return c
}

// without returns the image without one file.
func (img image) without(name string) image {
	c := maps.Clone(img)
	delete(c, name)
	return c
}

// segments returns the names of the image's segments, oldest first.
func (img image) segments() []string {
	var names []string
	for name := range img {
		if _, ok := parseSegmentName(name); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// openOn opens the log of a disk.
func openOn(t testing.TB, d *disk) *Log {
	t.Helper()
	return mustOpen(t, logDir, Options{FS: d, SegmentSize: small})
}
