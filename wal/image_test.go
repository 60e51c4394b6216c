package wal

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// image is the contents of a log's directory by name.
type image map[string][]byte

// image returns what the running system sees.
func (d *disk) image() image {
	d.mu.Lock()
	defer d.mu.Unlock()
	img := image{}
	for name, n := range d.cache {
		if base, ok := strings.CutPrefix(name, logDir+"/"); ok && !n.dir {
			img[base] = slices.Clone(n.cache)
		}
	}
	return img
}

// disk returns a disk that holds the image, durable.
func (img image) disk() *disk {
	d := newDisk()
	d.cache["top"], d.cache[logDir] = &node{dir: true}, &node{dir: true}
	for name, data := range img {
		d.free -= int64(len(data))
		d.cache[path.Join(logDir, name)] = &node{cache: slices.Clone(data), media: slices.Clone(data), dirty: map[int64]bool{}, taken: int64(len(data))}
	}
	d.media = maps.Clone(d.cache)
	return d
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
