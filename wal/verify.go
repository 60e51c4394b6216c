package wal

import (
	"errors"
	"fmt"
)

// Report is what Verify found.
type Report struct {
	Recovery
	Segments int   // that hold the log
	First    LSN   // of the oldest record; 0: none
	Last     LSN   // of the newest record that is whole; 0: none
	Records  int64 // read and found whole
	Bytes    int64 // of their payload

	// Behind is what can still be read behind damage, in segments that are
	// whole or not, and in foreign ones. Repair would move it aside.
	Behind Tally
}

// Verify reads the whole log in a directory and changes nothing. Damage is a
// *CorruptionError, of the first in log order: the report then is on what is
// whole before it, which Repair would keep, and on what is readable behind it.
// A torn tail is no error (see Recovery.TornBytes). Only FS and Logger of the
// options matter. It may run beside a writer, and then sees the log as it
// stood.
func Verify(path string, o Options) (Report, error) {
	o.ReadOnly = true
	r, err := verify(path, o)
	if !errors.Is(err, ErrCorrupt) {
		return r, err
	}
	o = o.withDefaults()
	x, xerr := examine(&dir{fs: o.FS, path: path, log: o.Logger})
	if xerr != nil {
		return r, xerr
	}
	if x.damage == nil {
		return r, fmt.Errorf("wal: %s changes while it is read (%v)", path, err)
	}
	return x.report(), x.damage
}

func verify(path string, o Options) (Report, error) {
	l, err := Open(path, o)
	if err != nil {
		return Report{}, err
	}
	defer l.Close()
	r := Report{Recovery: l.Recovery(), Segments: len(l.live)}
	for rec, err := range l.Records(0) {
		if err != nil {
			return r, err
		}
		if r.First == 0 {
			r.First = rec.LSN
		}
		r.Last = rec.LSN
		r.Records++
		r.Bytes += int64(len(rec.Data))
	}
	return r, nil
}

func (x *examination) report() Report {
	return Report{
		Recovery: x.recovery, Segments: x.kept.Segments, First: x.first, Last: x.last,
		Records: x.kept.Records, Bytes: x.kept.Bytes, Behind: x.behind,
	}
}
