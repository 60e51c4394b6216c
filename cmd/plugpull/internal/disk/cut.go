package disk

import (
	"math/rand/v2"
)

// Cutter goes through a recording and cuts the power at any position in it.
// What a cut leaves behind is everything that the last completed flush
// covers, and of the writes since any subset of sectors, in any order: a disk
// caches, reorders, and tears writes between its sectors.
type Cutter struct {
	// Whole says of a sector that a write which holds it and others like it is
	// not torn among them. Nil: of none. See the file systems that need it.
	Whole func(off int64) bool

	rec      *Recording
	at       int
	durable  *Image
	unsynced []int // writes that no completed flush covers, in the order received
	received []int // position at which an op was received
	answered []int // and answered; 0: not yet
}

// NewCutter returns a cutter at the beginning of a recording.
func NewCutter(rec *Recording) *Cutter {
	return &Cutter{rec: rec, durable: rec.Base.Clone()}
}

// Advance moves to position n, which must not be before the last one.
func (c *Cutter) Advance(n int) {
	for ; c.at < n; c.at++ {
		e := c.rec.Events[c.at]
		switch e.Kind {
		case Received:
			c.receive(e.Op)
		case Answered:
			c.answer(e.Op)
		case Lost:
			c.unsynced = nil
		}
	}
}

func (c *Cutter) receive(op int) {
	c.received, c.answered = append(c.received, c.at), append(c.answered, 0)
	if o := &c.rec.Ops[op]; !o.Flush && !o.Failed {
		c.unsynced = append(c.unsynced, op)
	}
}

func (c *Cutter) answer(op int) {
	c.answered[op] = c.at + 1
	if o := &c.rec.Ops[op]; o.Flush && !o.Failed {
		c.cover(c.received[op])
	}
}

// cover makes durable what was answered before a flush was received.
func (c *Cutter) cover(received int) {
	rest := c.unsynced[:0:0]
	for _, op := range c.unsynced {
		if a := c.answered[op]; a == 0 || a > received {
			rest = append(rest, op)
			continue
		}
		c.durable.WriteAt(c.rec.Ops[op].Data, c.rec.Ops[op].Off)
	}
	c.unsynced = rest
}

// Unsynced returns how many writes a cut here may lose.
func (c *Cutter) Unsynced() int { return len(c.unsynced) }

// Cut returns what a power cut at this position left behind, by the dice.
func (c *Cutter) Cut(dice *rand.Rand) *Image {
	m := c.durable.Clone()
	if len(c.unsynced) == 0 {
		return m
	}
	p := plans[dice.IntN(len(plans))](c.unsynced, dice)
	for _, op := range p.order {
		c.tear(m, &c.rec.Ops[op], op, p)
	}
	return m
}

// tear writes those sectors of a write that the plan keeps.
func (c *Cutter) tear(m *Image, o *Op, op int, p plan) {
	write := p.write(op)
	whole := p.sector(op, write)
	for at := 0; at+SectorSize <= len(o.Data); at += SectorSize {
		off, keep := o.Off+int64(at), whole
		if c.Whole == nil || !c.Whole(off) {
			keep = p.sector(op, write)
		}
		if keep {
			m.put(o.Data[at:at+SectorSize], off)
		}
	}
}

// plan says which sectors of unsynced writes reached the medium, and in which
// order: the last one to arrive in a sector stands there.
type plan struct {
	order  []int
	write  func(op int) bool
	sector func(op int, write bool) bool
}

// plans are the ways in which a cache is caught half empty. One plan for all
// would be the dice alone: then nearly every image had every write torn, and
// the cuts that lose exactly one write, or all, would hardly occur.
var plans = []func(unsynced []int, dice *rand.Rand) plan{nothing, everything, inOrder, someWrites, someSectors, allButOne, late}

func always(int) bool              { return true }
func asWritten(_ int, w bool) bool { return w }

func nothing([]int, *rand.Rand) plan { return plan{} }

func everything(unsynced []int, _ *rand.Rand) plan { return plan{unsynced, always, asWritten} }

// inOrder keeps the first writes, and of the one after them some sectors.
func inOrder(unsynced []int, dice *rand.Rand) plan {
	n := dice.IntN(len(unsynced))
	torn := unsynced[n]
	return plan{unsynced[:n+1], always, func(op int, _ bool) bool { return op != torn || dice.IntN(2) == 0 }}
}

func someWrites(unsynced []int, dice *rand.Rand) plan {
	share := dice.Float64()
	return plan{shuffled(unsynced, dice), func(int) bool { return dice.Float64() < share }, asWritten}
}

func someSectors(unsynced []int, dice *rand.Rand) plan {
	share := dice.Float64()
	hit := func() bool { return dice.Float64() < share }
	return plan{shuffled(unsynced, dice), func(int) bool { return hit() }, func(int, bool) bool { return hit() }}
}

// allButOne loses one write, or a part of it.
func allButOne(unsynced []int, dice *rand.Rand) plan {
	lost, part := unsynced[dice.IntN(len(unsynced))], dice.IntN(2) == 0
	return plan{unsynced, func(op int) bool { return op != lost },
		func(_ int, w bool) bool { return w || part && dice.IntN(4) > 0 }}
}

// late keeps the last writes: the cache let them overtake.
func late(unsynced []int, dice *rand.Rand) plan {
	return plan{unsynced[dice.IntN(len(unsynced)):], always, asWritten}
}

func shuffled(ops []int, dice *rand.Rand) []int {
	s := make([]int, 0, len(ops))
	for _, i := range dice.Perm(len(ops)) {
		s = append(s, ops[i])
	}
	return s
}
