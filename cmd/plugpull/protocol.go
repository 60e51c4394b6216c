package main

import (
	"walbench.example/cmd/plugpull/internal/ledger"
	"walbench.example/wal"
)

// request is what the supervisor asks of an agent: one of these.
type request struct {
	Attach *attach
	Run    *playing
	Check  *check
}

// attach names the disk and its file system, before anything else.
type attach struct {
	System string
	Disk   int
}

// playing plays a scenario on the disk as it is.
type playing struct {
	Scenario scenario
	Sync     wal.SyncMethod
	Policy   int
	Seed     uint64
}

// check opens the log that a power cut left on the disk.
type check struct {
	Ledger  *ledger.Ledger // nil: as last time
	Second  bool           // the ledger of the appends that the last check made
	Cut     uint64
	Segment int64
	Sync    wal.SyncMethod
	Again   bool // append afterwards, for a second cut
}

// reply answers any request.
type reply struct {
	Failure string // what is wrong with the log; empty: nothing
	Where   string // what was being done: mount, open, check, append
	Broken  string // the agent could not do it: no verdict on the log

	Ledger *ledger.Ledger // of a run, or what a check failed by

	// Of a run.
	Erred    bool // the error set for it came up
	Reopened bool // and the log went on, reopened on the same mount
	Refused  int  // records refused for want of space

	// Of a check.
	Finding ledger.Finding
	Torn    int64 // bytes of the torn tail that the log saw
}
