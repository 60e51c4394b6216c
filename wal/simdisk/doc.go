// Package simdisk is a disk with a set flush time: a vfs.FS in memory whose
// syncs take as long as they are told to. It answers "what would group commit
// do on a disk that flushes in 200 microseconds" on a machine that has no such
// disk, and the same question in a test, exactly, in virtual time.
//
//	disk := simdisk.New(simdisk.Options{Flush: 200 * time.Microsecond})
//	log, err := wal.Open("log", wal.Options{FS: disk})
//
// # What is simulated
//
// Writes go to the page cache and cost nothing. A sync of a file (Sync,
// SyncData or SyncTo) is one flush: it takes Options.Flush, and
// Options.PerByte more for each byte that was written to that file since the
// sync before it. A sync of a directory is a flush of no bytes, and so is a
// sync of a file that nobody wrote to: a barrier that has nothing to do still
// has to ask the device.
//
// The device is one queue. Flushes that overlap, of one file or of several,
// are served one after the other in the order in which they were asked for.
// Of two syncs of one file at the same time the first pays for the bytes; the
// second pays for what was written between the two, queues behind the first,
// and so returns no sooner than the bytes it vouches for were paid. Nothing a
// writer or a reader needs is locked while a flush takes its time.
//
// # What is not
//
// Nothing here crashes, loses bytes, runs out of space or reports a failed
// sync, and a file that grows costs no more to sync than one that was written
// ahead. Contents live in memory until the last name and the last handle of a
// file are gone.
//
// # Accuracy
//
// Timers are no use below a millisecond, so a flush waits by yielding the
// processor until the wall clock says that it is over (see Options.Wait). How
// late flushes returned is recorded; FS.Accuracy tells, and a figure measured
// on a simulated disk should be shown beside it.
package simdisk
