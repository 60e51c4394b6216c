package tax

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// durableMode is the mode that makes an append durable at the least cost here.
const durableMode = "fdatasync"

// dsync is O_DSYNC of FreeBSD 13 (sys/sys/fcntl.h), which x/sys does not name
// on all architectures. An older kernel drops it in silence.
const dsync = 0x01000000

func methods() []method {
	return []method{
		{mode: "none", call: "pwrite(2) alone"},
		{mode: "fdatasync", call: "fdatasync(2)", barrier: retried(fdatasync)},
		{mode: "fsync", call: "fsync(2)", barrier: retried(unix.Fsync)},
		{mode: "O_DSYNC", call: "pwrite(2) on a file opened with O_DSYNC", flag: dsync, opened: dsyncTook},
		{mode: "O_SYNC", call: "pwrite(2) on a file opened with O_SYNC", flag: unix.O_SYNC},
		{mode: "F_FULLFSYNC", na: "only macOS has it"},
	}
}

// fdatasync is the raw call: x/sys has no wrapper for it on FreeBSD.
func fdatasync(fd int) error {
	if _, _, errno := unix.Syscall(unix.SYS_FDATASYNC, uintptr(fd), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// dsyncTook reads the flags back: the kernel keeps those that it honours.
func dsyncTook(f *os.File) error {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return fmt.Errorf("read open flags: %w", err)
	}
	if flags&dsync == 0 {
		return fmt.Errorf("O_DSYNC: kernel older than FreeBSD 13: %w", errors.ErrUnsupported)
	}
	return nil
}
