package wal

import "sync/atomic"

// Stats counts what a log has done since Open.
type Stats struct {
	SegmentsPrepared int64 // written ahead or recycled in time
	SegmentsSupplied int64 // made in a hurry, for a flush that found none ready: the log grew into them
	SegmentsRecycled int64 // trimmed segments kept for reuse
	GrowingWrites    int64 // writes beyond what had been written ahead: their sync is the slower one
	Unsecured        int64 // segments whose space the file system would not reserve
	NoDirectorySync  bool  // the file system refuses to sync directories
}

type counters struct {
	prepared, supplied, recycled, growing, unsecured atomic.Int64
}

// Stats returns the counts so far.
func (l *Log) Stats() Stats {
	return Stats{
		SegmentsPrepared: l.stats.prepared.Load(),
		SegmentsSupplied: l.stats.supplied.Load(),
		SegmentsRecycled: l.stats.recycled.Load(),
		GrowingWrites:    l.stats.growing.Load(),
		Unsecured:        l.stats.unsecured.Load(),
		NoDirectorySync:  l.dir.noSync.Load(),
	}
}
