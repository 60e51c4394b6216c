package crashfs

import (
	"math"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/vfs"
)

// FS is a file system in memory that crashes and fails on request. It is a
// vfs.FS, and its methods and those of its files may be called concurrently.
// Names are slash-separated and rooted in one place, whether or not they begin
// with a slash; there are no links but hard ones, no permissions and no times.
// Its files have a method Truncate(int64) error.
type FS struct {
	mu    sync.Mutex
	nodes []*node // by number; 0 is the root
	locks map[string]bool

	// history is every change, in order, since base, and that many changes
	// were made before base. What a power cut leaves at any place in it is
	// worked out from the two.
	base    []*media
	before  int
	history []event

	capacity int64 // bytes that files may take in all
	used     int64

	intercept func(Op) error
	faults    []*armed
}

// node is a file or a directory: as the running system sees it, and what a
// power cut leaves of it.
type node struct {
	media   *media
	number  int
	bytes   contents       // of a file
	entries map[string]int // of a directory; nil: a file
	name    string         // the last one it was given
	taken   int64          // of the file system's capacity
}

func (n *node) isDir() bool { return n.entries != nil }

// event is one step of the history.
type event struct {
	op Op // without Data

	made    bool     // a node was made: the next number
	dir     bool     // a directory
	changes []placed // unsynced
	settled int      // the node whose changes before upTo were synced, or lost if failed; -1: none
	upTo    int
	failed  bool
}

// placed is a change of the node of that number.
type placed struct {
	node int
	change
}

// armed is a Fault with what it has seen.
type armed struct {
	Fault
	seen, hits int
}

// New returns an empty file system of boundless size.
func New() *FS {
	fs := &FS{locks: map[string]bool{}, capacity: math.MaxInt64}
	fs.addNode(true)
	fs.base = []*media{fs.nodes[0].media.clone()}
	return fs
}

func (fs *FS) addNode(dir bool) *node {
	n := &node{media: newMedia(dir), number: len(fs.nodes)}
	if dir {
		n.entries = map[string]int{}
	}
	fs.nodes = append(fs.nodes, n)
	return n
}

// Intercept has f called before each call takes effect, in its goroutine and
// with nothing locked: to count calls, to hold one up, to fail one by the
// error that f returns, with the exceptions that Fault names, or to look at
// what a crash would leave. A nil f ends it, and there is one at a time. What a
// sync covers is settled before f is called.
func (fs *FS) Intercept(f func(Op) error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.intercept = f
}

// Fail arms a fault and returns a function that tells how many calls it has
// hit so far. Of several armed faults that match a call the first counts. A
// nil Err and no Delay make one that only counts.
func (fs *FS) Fail(f Fault) (hits func() int) {
	if f.Times == 0 {
		f.Times = 1
	}
	a := &armed{Fault: f}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.faults = append(fs.faults, a)
	return func() int {
		fs.mu.Lock()
		defer fs.mu.Unlock()
		return a.hits
	}
}

// Heal disarms all faults.
func (fs *FS) Heal() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.faults = nil
}

// SetFree sets how many more bytes files may take. A write that runs out of
// them is short, and fails with ENOSPC.
func (fs *FS) SetFree(bytes int64) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.capacity = fs.used + min(bytes, math.MaxInt64-fs.used)
}

// ask lets a call pass, late perhaps, or says how it fails. No lock is held.
func (fs *FS) ask(o Op) error {
	fs.mu.Lock()
	intercept := fs.intercept
	delay, err := fs.faultLocked(o)
	fs.mu.Unlock()
	if delay > 0 {
		time.Sleep(delay)
	}
	if intercept != nil {
		if ierr := intercept(o); err == nil {
			err = ierr
		}
	}
	return err
}

func (fs *FS) faultLocked(o Op) (time.Duration, error) {
	for _, f := range fs.faults {
		if !f.matches(o) {
			continue
		}
		f.seen++
		if f.seen <= f.Skip || f.Times >= 0 && f.hits >= f.Times {
			continue
		}
		f.hits++
		return f.Delay, f.Err
	}
	return 0, nil
}

// record appends to the history and carries the event out on the media.
func (fs *FS) record(e event) {
	e.op.Data = nil
	fs.history = append(fs.history, e)
	for _, c := range e.changes {
		fs.nodes[c.node].media.add(c.change)
	}
	if e.settled >= 0 {
		fs.nodes[e.settled].media.settled(e)
	}
}

func (m *media) settled(e event) {
	if e.failed {
		m.lost(e.upTo)
	} else {
		m.synced(e.upTo)
	}
}

// Changes returns how many changes the disk has seen, syncs among them. It is
// the stamp to put on an acknowledgement: see Cuts.
func (fs *FS) Changes() int {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.before + len(fs.history)
}

// Forget drops the history: Cuts begins here. It gives back the memory that
// all contents ever written take.
func (fs *FS) Forget() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.before += len(fs.history)
	fs.history, fs.base = nil, fs.mediaLocked()
}

// mediaLocked returns the media as they are now, for others to change.
func (fs *FS) mediaLocked() []*media {
	all := make([]*media, len(fs.nodes))
	for i, n := range fs.nodes {
		all[i] = n.media.clone()
	}
	return all
}

// DropCaches forgets what is in memory alone and marked clean there, as a
// kernel short of memory may: what a failed sync was to save then reads as it
// stands on the media. Changes not yet synced stay.
func (fs *FS) DropCaches() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, n := range fs.nodes {
		if n.isDir() {
			continue
		}
		m := n.media.clone()
		m.limboBytes, m.limboSize = nil, 0
		m.synced(m.made)
		n.bytes = m.bytes
	}
}

var _ vfs.FS = (*FS)(nil)
