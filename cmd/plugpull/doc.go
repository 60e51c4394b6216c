// Plugpull cuts the power of file systems on which a log is being written,
// hundreds of times for each run of writers, and looks for what is lost.
//
//	go run . --fs ext4,xfs,btrfs            on Linux, as root, from this directory
//	go run . --fs ext4 --seconds 5          shorter
//	go run . --fs xfs --scenario prepared --faults none --seed 7 --keep /tmp/cuts
//	go run . --recheck /tmp/cuts/FILE       mount a kept image once more
//	go run . emulate --flush-delay 5ms -- walbench group
//
// # How it works
//
// A disk in memory is served as a file by FUSE, under a loop device, under a
// real file system. The disk records each write and flush: when it was
// received, and when answered. Writers of a log run on it once. Then power cuts
// are derived from the recording, at any position: of the disk remains what was
// answered before the last completed flush was received, and of the writes
// since any subset, in any order, torn at 512 bytes. Each such image is put
// beneath the loop device and mounted (so the file system's journal replays),
// the log is opened, and its records are compared with a ledger of what was
// appended and acknowledged:
//
//   - all that was acknowledged before the cut is there, byte for byte, but for
//     what a Trim begun before the cut may have taken;
//   - nothing is there that had not been appended, or in another order, or with
//     a hole before it, or a part of a batch.
//
// A third of the images are then appended to and cut again, anywhere from the
// mount's replay over the log's recovery to the new records' flushes. What the
// first recovery showed must be there in the second.
//
// An acknowledgement is stamped with the disk's position, read from shared
// memory after the call returned. If a log acknowledges before its flush was
// answered, the stamp lies before the flush, and a cut between the two loses
// the record: nothing else would show it.
//
//	writers, checks   wal.Log                      an agent: one process for the
//	                  ext4, xfs, btrfs             library, and one for each
//	                  loop device                  planted fault
//	-------------------------------------------------------------------------
//	disk, cuts        FUSE file, images            the supervisor
//
// # Scenarios
//
//	growing         one large segment, never prepared: each flush changes the file's size
//	prepared        small segments, written ahead or recycled: flushes overwrite
//	rotation+trim   the smallest segments, six appenders, a seventh goroutine trims
//	batches         batches of up to six records, trimmed
//	eio on write    a write of records fails, and is lost
//	eio on flush    a flush fails, and what it was to save is lost; the next one works
//	full disk       the log fills the disk, is refused, trims, goes on
//
// Runs take turns in the commit policies and in fdatasync, fsync and RWF_DSYNC.
// After an error the log must refuse everything; it is then reopened on the
// same mount, where the page cache may show what the disk does not have, and
// what it shows is held against later cuts.
//
// # Planted faults
//
// A test that finds nothing may be blind, so each session also builds this
// program with mistakes planted in the library (go build -overlay; no file is
// changed) and must find them. A file system may make good for a mistake. What
// it can show is measured, not assumed: a fault that only matters where writes
// are torn must be found where the sound library saw a torn tail, and one that
// only matters after a failed sync where the log could be reopened after one.
// Acknowledging too early must be found everywhere. What was not found
// for want of that evidence is printed as hidden.
//
// # What it assumes
//
// Of a superblock that ext4 or btrfs overwrite in place, under one checksum, a
// write is not torn: see host.FileSystem.Whole. Everything else is torn at 512
// bytes, also inside what the file systems call a block. The disk lies in no
// other way: what a completed flush covers is there. The model in wal/crashfs
// is stricter, since it forgives nothing that a journal forgives; the two find
// different mistakes.
//
// # Cleaning up
//
// Everything runs in mount and PID namespaces of its own, with loop devices that
// detach when closed. However the program ends, kill -9 included, the kernel
// ends every process in there, and mounts and devices with them; nothing is
// mounted where others see it. Files are written only where --json and --keep
// say.
//
// # Emulating a slow disk
//
// emulate makes such a disk, mounts it where only the command sees it, and runs
// the command there. Flushes take the set time, writes and reads what
// memory takes; the disk ends with the command, whose exit code is passed on.
// Disk and file system are real to the command: its system calls, the journal
// and the block layer are.
//
// # Exit codes
//
// 0: nothing lost, no fault missed. 1: something was, or an error came up.
// 2: the arguments. 3: this machine cannot run it, and what is missing.
// 130: interrupted; the tables show what was reached. (go run turns every one
// but 0 into 1.)
//
// Debian packages: e2fsprogs, xfsprogs, btrfs-progs.
package main
