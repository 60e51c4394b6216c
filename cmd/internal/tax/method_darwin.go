package tax

import "golang.org/x/sys/unix"

// durableMode is the mode that makes an append durable at the least cost here.
const durableMode = "F_FULLFSYNC"

// methods takes fsync from the raw system call: os.File.Sync is F_FULLFSYNC
// on macOS. Plain fsync there hands the data to the drive and does not wait
// for the drive's cache (fsync(2) of macOS); nor do O_DSYNC and O_SYNC promise
// it, so the rows say only which call ran.
func methods() []method {
	return []method{
		{mode: "none", call: "pwrite(2) alone"},
		{mode: "fdatasync", na: "macOS declares no fdatasync"},
		{mode: "fsync", call: "fsync(2), which does not wait for the drive's cache", barrier: retried(unix.Fsync)},
		{mode: "O_DSYNC", call: "pwrite(2) on a file opened with O_DSYNC", flag: unix.O_DSYNC},
		{mode: "O_SYNC", call: "pwrite(2) on a file opened with O_SYNC", flag: unix.O_SYNC},
		{mode: "F_FULLFSYNC", call: "fcntl(2) F_FULLFSYNC", barrier: retried(fullfsync)},
	}
}

func fullfsync(fd int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_FULLFSYNC, 0)
	return err
}
