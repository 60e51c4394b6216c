// Package disk is a block device that remembers: its contents as
// copy-on-write pages, every write and flush in order, and from those the
// contents that a power cut at any moment may leave behind.
//
// image.go, device.go and cut.go are read in this order. Nothing here knows of
// FUSE, of file systems or of the log under test.
package disk

import (
	"hash/maphash"
	"slices"
)

// SectorSize is what a device writes whole or not at all.
const SectorSize = 512

const pageSize = 4096

type page [pageSize]byte

// Image is what a disk holds. Pages never written read as zeros and take no
// memory; pages are shared between images until one of them is written to. An
// Image may be read by many goroutines at once, but for a Clone or a WriteAt.
type Image struct {
	pages []*page
	own   []bool // the page belongs to this image alone
	sum   uint64
}

// NewImage returns a blank disk of at least size bytes.
func NewImage(size int64) *Image {
	n := (size + pageSize - 1) / pageSize
	return &Image{pages: make([]*page, n), own: make([]bool, n)}
}

// Size returns the disk's size in bytes.
func (m *Image) Size() int64 { return int64(len(m.pages)) * pageSize }

// Sum is a hash of the contents, comparable between clones of one image in
// one process.
func (m *Image) Sum() uint64 { return m.sum }

// Clone returns a copy. It costs a pointer a page.
func (m *Image) Clone() *Image {
	clear(m.own)
	return &Image{pages: slices.Clone(m.pages), own: make([]bool, len(m.pages)), sum: m.sum}
}

// ReadAt fills p from off. What lies behind the end reads as zeros. It reports
// whether any of it was ever written.
func (m *Image) ReadAt(p []byte, off int64) (written bool) {
	for len(p) > 0 {
		n := min(len(p), int(pageSize-off%pageSize))
		if src := m.page(off); src != nil {
			copy(p[:n], src[off%pageSize:])
			written = true
		} else {
			clear(p[:n])
		}
		p, off = p[n:], off+int64(n)
	}
	return written
}

// WriteAt writes whole sectors. What lies behind the end is dropped.
func (m *Image) WriteAt(p []byte, off int64) {
	for ; len(p) >= SectorSize && off < m.Size(); p, off = p[SectorSize:], off+SectorSize {
		m.put(p[:SectorSize], off)
	}
}

func (m *Image) page(off int64) *page {
	if i := off / pageSize; i < int64(len(m.pages)) {
		return m.pages[i]
	}
	return nil
}

var (
	seed       = maphash.MakeSeed()
	zeroSector [SectorSize]byte
)

// put writes one sector, and keeps the sum: the hashes of all sectors that
// were ever written, each with its place, in one exclusive or.
func (m *Image) put(p []byte, off int64) {
	i, at := off/pageSize, off%pageSize
	old := zeroSector[:]
	if m.pages[i] != nil {
		old = m.pages[i][at : at+SectorSize]
	}
	m.sum ^= place(old, off) ^ place(p, off)
	switch {
	case m.pages[i] == nil:
		m.pages[i] = new(page)
	case !m.own[i]:
		c := *m.pages[i]
		m.pages[i] = &c
	}
	m.own[i] = true
	copy(m.pages[i][at:], p)
}

// place hashes a sector's contents with where it stands. The finish is that
// of splitmix64, so that equal contents in two places do not cancel out.
func place(p []byte, off int64) uint64 {
	x := maphash.Bytes(seed, p) + uint64(off)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
