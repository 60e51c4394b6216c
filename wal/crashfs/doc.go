// Package crashfs is a file system in memory that loses power, for tests of
// programs that must survive that: a log on it, a database on that log.
//
//	disk := crashfs.New()
//	log, err := wal.Open("log", wal.Options{FS: disk})
//	... append, and note disk.Changes() beside each acknowledgement ...
//	for at, crash := range disk.Cuts() {
//		after := crash(crashfs.Seed(seed))
//		... recover from after: all that was acknowledged by at must be there ...
//	}
//
// What a program reads is what it wrote, as the page cache has it. What a power
// cut leaves is another matter, and here it is as bad as POSIX allows:
//
//	write, truncate          |  each sector of 512 bytes, each new size, and each
//	create, rename, remove   |  name by itself: kept or lost, in any combination
//	- - - - - - - - - - - - -+- - - - - - - - - - - - - - - - - - - - - - - -
//	sync of the file         |  its bytes and its size: kept
//	sync of the directory    |  the names in it: kept
//
// So a rename may come out as either half, or as none; a file may be long and
// full of zeros; a sector written twice may hold its first version. Real file
// systems are kinder, each in its own way, which is why a program that is right
// here is right on them, and one that is right on them may still be wrong.
//
// A sync of a file that fails has lost what it was to save: the pages count as
// clean, and the next sync succeeds for nothing, as Linux has it (fsync(2), and
// Rebello et al., "Can Applications Recover from fsync Failures?", USENIX ATC
// 2020). A sync of a directory that fails is made good by a later one.
//
// Crashes are a function of the calls that were made and of a seed: the same
// calls in the same order and the same seed leave the same image. Faults are
// asked for by Fail and Intercept, a disk that fills by SetFree.
package crashfs
