package main

import (
	"walbench.example/cmd/plugpull/internal/disk"
	"walbench.example/cmd/plugpull/internal/ledger"
)

// scenario is one way to use a log while its disk is recorded.
type scenario struct {
	Name      string
	Segment   int64 // Options.SegmentSize
	Appenders int
	Commits   int // of each appender
	Batch     int // records in a commit, at most
	Trim      bool
	Free      int64 // bytes left free on the disk before the log begins; 0: all
	Fault     disk.Fault
}

// fails says that the log is to break, and to be opened again.
func (s scenario) fails() bool { return s.Fault.Mark != nil }

var mark = []byte(ledger.Mark)

// scenarios are what file systems and the log's own code may each get wrong.
// A growing file changes its size with every flush, and the file system hides
// its torn tail; a prepared one is overwritten in place, and shows it.
var scenarios = []scenario{
	{Name: "growing", Segment: 16 << 20, Appenders: 4, Commits: 150, Batch: 1},
	{Name: "prepared", Segment: 128 << 10, Appenders: 4, Commits: 300, Batch: 1},
	{Name: "rotation+trim", Segment: 16 << 10, Appenders: 6, Commits: 120, Batch: 1, Trim: true},
	{Name: "batches", Segment: 64 << 10, Appenders: 4, Commits: 100, Batch: 6, Trim: true},
	{Name: "eio on write", Segment: 64 << 10, Appenders: 4, Commits: 120, Batch: 2,
		Fault: disk.Fault{Mark: mark, After: 60}},
	{Name: "eio on flush", Segment: 64 << 10, Appenders: 4, Commits: 120, Batch: 2,
		Fault: disk.Fault{Flush: true, Mark: mark, After: 40}},
	{Name: "full disk", Segment: 64 << 10, Appenders: 4, Commits: 200, Batch: 2, Free: 700 << 10},
}
