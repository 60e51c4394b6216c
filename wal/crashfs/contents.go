package crashfs

import (
	"io"
	"slices"
)

// SectorSize is how many bytes a power cut keeps or loses together.
const SectorSize = 512

// A sector never changes once it is made, so that the cache, the media, what
// stands between them and every image of a crash can share it.
type sector [SectorSize]byte

// contents are the bytes of a file: size of them, in sectors of which nil is
// one of zeros, and so is each that is missing at the end.
type contents struct {
	size    int64
	sectors []*sector
}

func (c *contents) clone() contents { return contents{c.size, slices.Clone(c.sectors)} }

func (c *contents) at(i int64) *sector {
	if i < int64(len(c.sectors)) {
		return c.sectors[i]
	}
	return nil
}

// readAt fills p from off and returns io.EOF if the contents end before.
func (c *contents) readAt(p []byte, off int64) (int, error) {
	if off >= c.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), c.size-off))
	for done := 0; done < n; {
		i, from := (off+int64(done))/SectorSize, (off+int64(done))%SectorSize
		var zeros sector
		s := c.at(i)
		if s == nil {
			s = &zeros
		}
		done += copy(p[done:n], s[from:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// overlay returns the sectors that p at off touches, as they are with p in
// them. The contents themselves do not change.
func (c *contents) overlay(p []byte, off int64) (first int64, with []*sector) {
	first = off / SectorSize
	for done := 0; done < len(p); {
		i, from := (off+int64(done))/SectorSize, (off+int64(done))%SectorSize
		var s sector
		if old := c.at(i); old != nil {
			s = *old
		}
		done += copy(s[from:], p[done:])
		with = append(with, &s)
	}
	return first, with
}

// set puts a sector in its place.
func (c *contents) set(i int64, s *sector) {
	if grow := int(i) + 1 - len(c.sectors); grow > 0 {
		c.sectors = append(c.sectors, make([]*sector, grow)...)
	}
	c.sectors[i] = s
}

// resize cuts or extends with zeros: what is cut does not come back.
func (c *contents) resize(size int64) {
	if size < c.size {
		whole := size / SectorSize
		if int64(len(c.sectors)) > whole {
			if rest := size % SectorSize; rest > 0 && c.sectors[whole] != nil {
				var s sector
				copy(s[:rest], c.sectors[whole][:])
				c.sectors[whole] = &s
				whole++
			}
			c.sectors = slices.Clone(c.sectors[:min(whole, int64(len(c.sectors)))])
		}
	}
	c.size = size
}
