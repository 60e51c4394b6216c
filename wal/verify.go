package wal

// Report is what Verify found.
type Report struct {
	Recovery
	Segments int   // that hold the log
	First    LSN   // of the oldest record; 0: none
	Last     LSN   // of the newest record that could be read; 0: none
	Records  int64 // read and found whole
	Bytes    int64 // of their payload
}

// Verify reads the whole log in a directory and changes nothing. With a
// *CorruptionError it reports what is whole before the damage; a torn tail is
// no error (see Recovery.TornBytes). Only FS and Logger of the options
// matter. It may run beside a writer, and then sees the log as it stood.
func Verify(path string, o Options) (Report, error) {
	o.ReadOnly = true
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
