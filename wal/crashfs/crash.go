package crashfs

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
)

// Keep says of one piece of what was not synced whether a power cut kept it.
// It is asked once for each sector, each size and each name, in a fixed order.
type Keep func() bool

// All keeps everything, as a crash of the program alone does.
func All() bool { return true }

// None keeps nothing that was not synced.
func None() bool { return false }

// Seed returns a Keep that draws from the seed. Some seeds keep half of the
// pieces, some nearly all or nearly none, some all or none. It is for one
// crash: another call with the same seed draws the same again.
func Seed(seed uint64) Keep {
	r := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	odds := [...]float64{0.5, 0.5, 0.5, 0.9, 0.97, 0.1, 0.03, 1, 0}[r.IntN(9)]
	return func() bool { return r.Float64() < odds }
}

// Crash returns the disk as a power cut at this moment leaves it: what was
// synced, and of the rest what keep says. The disk itself goes on.
func (fs *FS) Crash(keep Keep) *FS {
	fs.mu.Lock()
	all := fs.mediaLocked()
	capacity := fs.capacity
	fs.mu.Unlock()
	return crash(all, capacity, keep)
}

// Cuts goes through the history of the disk, change by change, and yields for
// each place in it how many changes came before (see Changes) and a function
// that returns the disk as a power cut there leaves it. The first place is
// before the first change, the last is now. The function may be called as often as one likes
// until the next step; what it returns is on its own.
//
// An acknowledgement stamped with a count of changes, taken after it was given,
// binds every crash at that count or above.
func (fs *FS) Cuts() iter.Seq2[int, func(Keep) *FS] {
	return func(yield func(int, func(Keep) *FS) bool) {
		fs.mu.Lock()
		before, history, capacity := fs.before, slices.Clip(fs.history), fs.capacity
		var all []*media
		for _, m := range fs.base {
			all = append(all, m.clone())
		}
		fs.mu.Unlock()
		for at := 0; ; at++ {
			crash := func(keep Keep) *FS {
				var copies []*media
				for _, m := range all {
					copies = append(copies, m.clone())
				}
				return crash(copies, capacity, keep)
			}
			if !yield(before+at, crash) || at == len(history) {
				return
			}
			all = history[at].apply(all)
		}
	}
}

func (e event) apply(all []*media) []*media {
	if e.made {
		all = append(all, newMedia(e.dir))
	}
	for _, c := range e.changes {
		all[c.node].add(c.change)
	}
	if e.settled >= 0 {
		all[e.settled].settled(e)
	}
	return all
}

// crash makes a disk of what a power cut leaves. It takes the media over.
func crash(all []*media, capacity int64, keep Keep) *FS {
	for _, m := range all {
		m.crash(keep)
	}
	after := New()
	after.capacity = capacity
	root := all[0]
	after.adopt(0, root, all, map[int]int{0: 0})
	after.base = after.mediaLocked()
	return after
}

// adopt copies the entries of a directory, and all below it, from media.
func (fs *FS) adopt(into int, from *media, all []*media, known map[int]int) {
	for _, name := range slices.Sorted(maps.Keys(from.names)) {
		old := from.names[name]
		m := all[old]
		number, seen := known[old]
		if !seen {
			n := fs.addNode(m.dir)
			n.name = join(fs.nodes[into].name, name)
			number = n.number
			known[old] = number
			if !m.dir {
				n.media.bytes, n.bytes = m.bytes, m.bytes.clone()
				n.taken = m.bytes.size
				fs.used += n.taken
			}
		}
		fs.nodes[into].entries[name] = number
		fs.nodes[into].media.names[name] = number
		if m.dir && !seen {
			fs.adopt(number, m, all, known)
		}
	}
}

// Sum returns a hash of all names and contents as they read: two disks with
// the same sum are the same to a program.
func (fs *FS) Sum() [sha256.Size]byte {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	h := sha256.New()
	var walk func(path string, n *node)
	walk = func(path string, n *node) {
		fmt.Fprintf(h, "%q %v %d\n", path, n.isDir(), n.bytes.size)
		for i, s := range n.bytes.sectors {
			if s != nil && *s != (sector{}) {
				h.Write(binary.LittleEndian.AppendUint64(nil, uint64(i)))
				h.Write(s[:])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(n.entries)) {
			walk(join(path, name), fs.nodes[n.entries[name]])
		}
	}
	walk("", fs.nodes[0])
	return [sha256.Size]byte(h.Sum(nil))
}
