package wal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math"
)

// RepairReport is what Repair found, and did or would do.
type RepairReport struct {
	Damage  *CorruptionError // the first in log order; nil: the log is whole, and there is nothing to do
	Kept    Tally            // before the damage
	Dropped Tally            // what could still be read of it; its segments are those in Aside
	End     LSN              // of what is kept; 0: nothing is
	Aside   []Aside          // where everything is that was dropped, oldest first
}

// Aside is a file that was moved out of the log's way.
type Aside struct {
	Name string // that it had
	To   string // name that it has, which the log ignores
	Size int64  // of the file, in bytes
	Copy bool   // the start of the segment is kept, under Name
}

// Repair makes a damaged log whole without what stands behind the damage. It
// keeps every record before it, in whole batches, and deletes nothing: later
// segments and foreign ones get other names, such as 0000000b.wal.damaged-1, in
// the same directory, and of a segment that is damaged in part there is a copy.
// These are the caller's then. A record to come never has the LSN of one that
// was dropped.
//
// With Options.ReadOnly it takes no lock and changes nothing, and reports what
// it would do. Otherwise it holds the directory's lock, so that it fails with
// ErrLocked beside a writer. It takes the space of one or two segments, and on
// a file system without hard links that of all it moves.
//
// There is nothing to do for a log that is whole: Damage is nil. A torn tail is
// no damage, since Open cuts it. A log of a newer format is ErrFormat and is
// left alone, as is one that cannot be read. After a crash, or an error, in the
// middle of it the log is damaged as before, or repaired; a second Repair does
// what is left, and nothing is lost.
func Repair(path string, o Options) (RepairReport, error) {
	look := o
	look.ReadOnly = true
	r, err := verify(path, look)
	if err == nil {
		return RepairReport{Kept: Tally{r.Segments, r.Records, r.Bytes}, End: r.End}, nil
	}
	o = o.withDefaults()
	if verr := o.validate(); !errors.Is(err, ErrCorrupt) || verr != nil {
		return RepairReport{}, errors.Join(verr, err)
	}
	if o.ReadOnly {
		p, err := planRepair(&dir{fs: o.FS, path: path, log: o.Logger})
		if err != nil {
			return RepairReport{}, err
		}
		return p.report(), nil
	}
	d, err := openDir(o, path)
	if err != nil {
		return RepairReport{}, err
	}
	l := newLog(o, d)
	if l.lock, err = lockFile(o.FS, d.join(lockName)); err != nil {
		return RepairReport{}, errors.Join(fmt.Errorf("wal: lock %s: %w", path, err), l.release())
	}
	p, err := planRepair(d)
	if err == nil && p.damage != nil {
		err = p.apply(l)
	}
	if err := errors.Join(err, l.prepare.closeFile(), l.release()); err != nil {
		return RepairReport{}, err
	}
	return p.report(), nil
}

// repair is an examined log, and what is to be done to make it whole.
//
// The log ends anew by the one mechanism there is: a new segment, numbered
// above all others, links to the end of what is kept, and everything between
// is dead. That segment gets its name, link and all, in one rename: before it
// the log is damaged, after it the log is whole. No byte of a segment changes.
//
// The next Open removes what is dead, so all of it has a second name before,
// durably. The first names go last. With some of them gone the log could pass
// for a whole one, with a torn tail or a trimmed front, and with all of them
// it would give their LSNs away again.
type repair struct {
	*examination
	aside []Aside
}

func planRepair(d *dir) (*repair, error) {
	x, err := examine(d)
	if err != nil {
		return nil, err
	}
	p := &repair{examination: x}
	if x.torn {
		if err := p.add(x.live[len(x.live)-1].number, true); err != nil {
			return nil, err
		}
	}
	for _, n := range x.rest {
		if err := p.add(n, false); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add settles what a file is to be called.
func (p *repair) add(number uint32, keep bool) error {
	name := segmentName(number)
	info, err := p.dir.fs.Stat(p.dir.join(name))
	if err != nil {
		return fmt.Errorf("wal: stat %s: %w", name, err)
	}
	to, err := p.dir.asideName(name)
	p.aside = append(p.aside, Aside{Name: name, To: to, Size: info.Size(), Copy: keep})
	return err
}

func (p *repair) report() RepairReport {
	return RepairReport{Damage: p.damage, Kept: p.kept, Dropped: p.behind, End: p.recovery.End, Aside: p.aside}
}

// apply repairs the log. l has its directory and its lock, and is no open log.
func (p *repair) apply(l *Log) error {
	if p.number == math.MaxUint32 {
		return errors.New("wal: no segment number is left: copy the records to a new log")
	}
	for _, a := range p.aside {
		if err := p.dir.setAside(a, l.barrier()); err != nil {
			return err
		}
	}
	if err := p.dir.sync(); err != nil {
		return err
	}
	if !p.apart {
		if err := p.end(l); err != nil {
			return err
		}
	}
	for _, a := range p.aside {
		if a.Copy {
			continue
		}
		if err := p.dir.remove(a.Name); err != nil {
			return err
		}
	}
	return p.dir.sync()
}

// end makes the segment in which the log goes on. What its link promises has
// been made durable, as by recovery.
func (p *repair) end(l *Log) error {
	l.recovery, l.seed, l.live = p.recovery, p.seed, p.live
	if l.recovery.id == [16]byte{} {
		rand.Read(l.recovery.id[:]) // no header is left to tell it
		l.seed = header{id: l.recovery.id}.seed()
	}
	l.prepare.last = p.number
	if err := l.prepare.adopt(); err != nil {
		return err
	}
	if n := len(p.live); n > 0 {
		last := p.live[n-1]
		var err error
		if last.file, err = p.dir.openSegment(last.name()); err != nil {
			return err
		}
		if err := p.rewrite(last, l.barrier()); err != nil {
			return err
		}
	}
	link := p.recovery.End
	s, err := l.prepare.finish(0, &link)
	if err != nil {
		if noSpace(err) {
			err = fmt.Errorf("%w: %w", ErrNoSpace, err)
		}
		return err
	}
	return s.closeFile()
}
