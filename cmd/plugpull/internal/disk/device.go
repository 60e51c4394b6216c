package disk

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"
)

// ErrIO is how a device answers what it was told to fail.
var ErrIO = errors.New("disk: input/output error")

// Op is one write or flush, as the device saw it.
type Op struct {
	Flush  bool
	Off    int64
	Data   []byte // nil for a flush
	Failed bool   // answered with an error: it promises nothing
}

// Event is one moment in the life of an Op: the device received it, or is
// about to answer it. Requests overlap, so the two are apart: a flush covers
// the writes that were answered before it was received.
type Event struct {
	Op   int
	Kind EventKind
}

// EventKind is what happened to an Op.
type EventKind uint8

const (
	Received EventKind = iota
	Answered
	Lost // the device dropped what no completed flush covers; Op is the flush that fails for it
)

// Recording is the life of a device since Load. A position in it is a number
// of events: at position n the first n have happened.
type Recording struct {
	Base   *Image
	Ops    []Op
	Events []Event
}

// Device is a disk with a memory. Its methods may be called concurrently, as
// requests arrive.
type Device struct {
	// Position counts the events, and is where whoever waits for the device
	// reads which of them have happened: after a sync returned, everything the
	// sync did lies below it. Set before the device is used.
	Position *atomic.Uint64

	// Delay is called in every flush, between its two events. Nil: none.
	Delay func()

	mu     sync.Mutex
	image  *Image
	rec    *Recording // nil: not recording
	live   *Cutter    // at the end of rec: what a cut now would leave
	broken Fault
	seen   int // requests that the fault could have hit
}

// Fault is an error to come. The zero Fault is none.
type Fault struct {
	Flush bool   // a flush fails, else a write
	Mark  []byte // only requests that concern these bytes count
	After int    // so many of them go well before
	Loose bool   // of a flush: others' writes may be lost along with those marked
}

// NewDevice returns a device that holds image.
func NewDevice(image *Image, position *atomic.Uint64) *Device {
	return &Device{image: image, Position: position}
}

// Load puts an image into the device, which from then on is the device's. It
// ends a recording, begins one if record is set, and arms the fault. Nobody may
// be using the device.
func (d *Device) Load(image *Image, record bool, f Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.image, d.rec, d.live, d.broken, d.seen = image, nil, nil, f, 0
	if record {
		d.rec = &Recording{Base: image.Clone()}
		d.live = NewCutter(d.rec)
	}
	d.Position.Store(0)
}

// Recording returns the life of the device so far. It is the caller's once
// nobody uses the device any more.
func (d *Device) Recording() *Recording {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rec
}

// Size returns the size of the disk in bytes.
func (d *Device) Size() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.image.Size()
}

// ReadAt fills p from off.
func (d *Device) ReadAt(p []byte, off int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.image.ReadAt(p, off)
}

// WriteAt writes p at off. It copies p.
func (d *Device) WriteAt(p []byte, off int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rec == nil {
		d.image.WriteAt(p, off)
		return nil
	}
	op := Op{Off: off, Data: bytes.Clone(p)}
	op.Failed = d.hits(false, bytes.Contains(p, d.broken.Mark))
	n := d.receive(op)
	if op.Failed {
		d.event(n, Answered)
		return ErrIO
	}
	d.image.WriteAt(p, off)
	d.event(n, Answered)
	return nil
}

// Flush makes durable every write that was answered before it was called.
func (d *Device) Flush() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rec == nil {
		d.delay()
		return nil
	}
	n := d.receive(Op{Flush: true})
	d.delay()
	if d.hits(true, d.concerned()) {
		d.lose(n)
	}
	d.event(n, Answered)
	if d.rec.Ops[n].Failed {
		return ErrIO
	}
	return nil
}

// delay waits with d.mu unlocked: writes go on beside a flush.
func (d *Device) delay() {
	if d.Delay == nil {
		return
	}
	d.mu.Unlock()
	d.Delay()
	d.mu.Lock()
}

func (d *Device) receive(op Op) int {
	d.rec.Ops = append(d.rec.Ops, op)
	n := len(d.rec.Ops) - 1
	d.event(n, Received)
	return n
}

func (d *Device) event(op int, k EventKind) {
	d.rec.Events = append(d.rec.Events, Event{op, k})
	d.live.Advance(len(d.rec.Events))
	d.Position.Store(uint64(len(d.rec.Events)))
}

// hits says whether a request is the one that the fault waits for.
func (d *Device) hits(flush, concerned bool) bool {
	if d.broken.Mark == nil || d.broken.Flush != flush || !concerned {
		return false
	}
	d.seen++
	if d.seen <= d.broken.After {
		return false
	}
	d.broken = Fault{}
	return true
}

// concerned says whether a flush that fails now takes marked bytes with it
// and, unless the fault is loose, nothing else: a journal that loses its own
// writes is the end of its file system, and then nobody could retry.
func (d *Device) concerned() bool {
	if d.broken.Mark == nil || !d.broken.Flush {
		return false
	}
	marked, others := false, false
	for _, op := range d.live.unsynced {
		if bytes.Contains(d.rec.Ops[op].Data, d.broken.Mark) {
			marked = true
		} else {
			others = true
		}
	}
	return marked && (d.broken.Loose || !others)
}

// lose drops what no completed flush covers. Flushes in flight fail with this
// one: what they were to save is gone.
func (d *Device) lose(n int) {
	d.event(n, Lost)
	d.image = d.live.durable.Clone()
	for i := range d.rec.Ops {
		if o := &d.rec.Ops[i]; o.Flush && d.live.answered[i] == 0 {
			o.Failed = true
		}
	}
}
