package main

// fault is a mistake planted in a copy of the library. A test that has never
// failed proves nothing: each of these must be found, unless the file system
// makes good for it.
type fault struct {
	Name      string
	What      string
	File      string // of the library, from its root
	Old, New  string // Old must stand in File exactly once
	Scenarios []string
	Shown     evidence
}

// evidence is what runs of the sound library must have shown on a file system
// before a fault can do harm there. It is measured in the same session: no
// table says which file system forgives what.
type evidence string

const (
	always   evidence = "always"                             // no file system can hide it
	tornTail evidence = "a torn tail was seen"               // without torn writes, checksums have nothing to do
	reopened evidence = "the log went on after a sync error" // else the file system ends first, and nobody can be lied to
	caught   evidence = "it was caught"                      // only the fault itself can tell
)

var faults = []fault{
	{
		Name: "ack-before-sync", What: "acknowledges before the sync",
		File: "wal/flush.go", Scenarios: []string{"prepared", "growing"}, Shown: always,
		Old: `if durable || m == SyncNone {`,
		New: `if durable || m >= SyncNone {`,
	},
	{
		Name: "ack-during-flush", What: "acknowledges what arrived during the flush",
		File: "commit/flusher.go", Scenarios: []string{"prepared", "growing"}, Shown: always,
		Old: "	c.settleLocked(b, nil)\n	c.mu.Unlock()\n	c.wake(b)\n	return true\n",
		New: "	late := c.filling\n	c.filling = c.newBatchLocked()\n	c.settleLocked(b, nil)\n	c.settleLocked(late, nil)\n" +
			"	c.mu.Unlock()\n	c.wake(b)\n	c.wake(late)\n	return true\n",
	},
	{
		Name: "no-checksum", What: "ignores checksums on recovery",
		File: "wal/frame.go", Scenarios: []string{"prepared", "batches"}, Shown: tornTail,
		Old: `if sum != binary.LittleEndian.Uint32(b) {`,
		New: `if sum != binary.LittleEndian.Uint32(b) && n < 0 {`,
	},
	{
		Name: "half-batch", What: "recovers a part of a batch",
		File: "wal/recover.go", Scenarios: []string{"batches"}, Shown: tornTail,
		Old: `if !inBatch {`,
		New: `if f.kind != 0 {`,
	},
	{
		Name: "retry-sync", What: "tries a failed sync again",
		File: "wal/sync.go", Scenarios: []string{"eio on flush", "eio on write"}, Shown: reopened,
		Old: "		err := m.syncOnce(f)\n",
		New: "		err := m.syncOnce(f)\n		if err != nil {\n			err = m.syncOnce(f)\n		}\n",
	},
	{
		Name: "no-rewrite", What: "does not write again what recovery shows",
		File: "wal/recover.go", Scenarios: []string{"eio on flush", "eio on write"}, Shown: caught,
		Old: `if _, err := m.write(seg.file, p, off); err != nil {`,
		New: `if err := error(nil); err != nil {`,
	},
	{
		Name: "no-dir-sync", What: "does not sync directories",
		File: "wal/dir.go", Scenarios: []string{"rotation+trim", "growing", "batches"}, Shown: caught,
		Old: `d.failed = d.syncHandle(d.handle, d.path)`,
		New: `d.failed = nil`,
	},
	{
		Name: "no-header-sync", What: "names a segment before its header is synced",
		File: "wal/prepare.go", Scenarios: []string{"rotation+trim", "growing", "batches"}, Shown: caught,
		Old: `if err := l.barrier().sync(p.file); err != nil {`,
		New: `if err := error(nil); err != nil {`,
	},
}
