// Package wal is a write-ahead log: it appends records to segments in a
// directory, makes them durable with one barrier for as many as have
// gathered, and after a crash gives back every record that was acknowledged.
//
// The package knows how bytes become durable. When to flush, and whom to
// wake, is the business of package commit, which most programs use:
//
//	log, err := wal.Open(dir, wal.Options{})
//	c, err := commit.New(log, commit.Options{})
//	lsn, err := c.Commit(ctx, record)
//	for rec, err := range log.Records(lsn) { ... }
//
// Alone, a log is Append and Sync. Reading the files in this order follows a
// record through the house: lsn.go, frame.go, buffer.go, log.go, flush.go;
// then prepare.go, where segments come from; then recover.go, open.go,
// reader.go and trim.go. FORMAT.md specifies every byte.
//
// # What the log assumes of the disk
//
// A sync that returns nil has made durable what was written before it. A
// 512-byte sector holds its old or its new bytes after a power cut: the
// sector, and with it the page, in which a durable record ends is written
// again, with the same bytes up to there, when the next record follows. Before
// a sync, writes arrive in any order or not at all. A failed sync of a
// directory ends the file system or is made good by a later one, as journals
// have it. A file system that has no sync of directories (EINVAL, ENOTSUP) is
// trusted with names: Stats says so.
//
// Rot is detected where the log says of the place that it was durable: see
// FORMAT.md for what that leaves out. Verify finds it, and Repair ends the log
// before it.
package wal
