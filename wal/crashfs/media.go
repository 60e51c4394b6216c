package crashfs

import (
	"maps"
	"slices"
)

// media is what a power cut leaves of one file or directory: what is durable,
// and what may have got there on its own.
//
//	durable  <-  limbo          <-  pending
//	             of a failed sync   not synced yet
//
// A crash applies the three in that order, the last two piece by piece as Keep
// says.
type media struct {
	dir bool

	bytes contents       // durable, of a file
	names map[string]int // durable, of a directory: numbers of media

	pending []change // in the order in which they were made
	made    int      // changes ever made: the number of the next one

	// limbo is what a failed sync of a file was to save. No later sync will,
	// unless it is written again.
	limboBytes map[int64]*sector
	limboSize  int64
}

// change is one unsynced change of a file or of a directory.
type change struct {
	number int // of the change, for this file

	first   int64 // of the sectors below
	sectors []*sector
	end     int64 // the file reaches at least so far
	cut     bool  // the file ends there

	name   string // of a directory's entry
	target int    // the number of what has the name now; -1: nothing
}

func newMedia(dir bool) *media {
	m := &media{dir: dir}
	if dir {
		m.names = map[string]int{}
	}
	return m
}

func (m *media) clone() *media {
	c := *m
	c.bytes = m.bytes.clone()
	c.names = maps.Clone(m.names)
	c.limboBytes = maps.Clone(m.limboBytes)
	c.pending = slices.Clone(m.pending)
	return &c
}

// add notes an unsynced change.
func (m *media) add(c change) {
	c.number = m.made
	m.made++
	m.pending = append(m.pending, c)
}

// synced makes the changes durable that were made before number upTo.
func (m *media) synced(upTo int) {
	for _, c := range m.take(upTo) {
		m.settle(c, All)
		for i := range c.sectors {
			delete(m.limboBytes, c.first+int64(i))
		}
		if c.cut {
			maps.DeleteFunc(m.limboBytes, func(i int64, _ *sector) bool { return i*SectorSize >= c.end })
		}
		if c.cut || c.end >= m.limboSize {
			m.limboSize = 0
		}
	}
}

// lost puts the changes made before number upTo into limbo: their sync failed.
// Names stay unsynced: a journal that goes on after a failure writes them with
// its next commit.
func (m *media) lost(upTo int) {
	if m.dir {
		return
	}
	if m.limboBytes == nil {
		m.limboBytes = map[int64]*sector{}
	}
	for _, c := range m.take(upTo) {
		for i, s := range c.sectors {
			m.limboBytes[c.first+int64(i)] = s
		}
		if !c.cut {
			m.limboSize = max(m.limboSize, c.end)
		}
	}
}

func (m *media) take(upTo int) []change {
	n, _ := slices.BinarySearchFunc(m.pending, upTo, func(c change, upTo int) int { return c.number - upTo })
	taken := m.pending[:n:n]
	m.pending = m.pending[n:]
	return taken
}

// settle applies one change, as far as keep says so.
func (m *media) settle(c change, keep Keep) {
	if m.dir {
		if !keep() {
			return
		}
		if m.names[c.name] = c.target; c.target < 0 {
			delete(m.names, c.name)
		}
		return
	}
	if c.cut && keep() {
		m.bytes.resize(c.end)
	}
	for i, s := range c.sectors {
		if keep() {
			m.bytes.set(c.first+int64(i), s)
		}
	}
	if !c.cut && c.end > m.bytes.size && keep() {
		m.bytes.size = c.end
	}
}

// crash settles everything, piece by piece as keep says.
func (m *media) crash(keep Keep) {
	for _, i := range slices.Sorted(maps.Keys(m.limboBytes)) {
		if keep() {
			m.bytes.set(i, m.limboBytes[i])
		}
	}
	if m.limboSize > m.bytes.size && keep() {
		m.bytes.size = m.limboSize
	}
	for _, c := range m.pending {
		m.settle(c, keep)
	}
	m.limboBytes, m.limboSize, m.pending = nil, 0, nil
	// A sector that was kept beyond the size that was is not in the file.
	m.bytes.sectors = m.bytes.sectors[:min(int64(len(m.bytes.sectors)), (m.bytes.size+SectorSize-1)/SectorSize)]
}
