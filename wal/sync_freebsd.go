package wal

import (
	"errors"

	"github.com/cockroachdb/pebble/vfs"
	"golang.org/x/sys/unix"
)

const platformSync = SyncFdatasync

var syncCalls = [...]string{
	SyncNone:      "none",
	SyncFsync:     "fsync",
	SyncFdatasync: "fdatasync",
	SyncDsync:     "",
	SyncFull:      "",
}

// syncOnce calls fdatasync(2) raw: x/sys/unix has no wrapper for it on
// FreeBSD, and vfs.File.SyncData is fsync there.
func (m SyncMethod) syncOnce(f vfs.File) error {
	if m == SyncFsync || f.Fd() == vfs.InvalidFd {
		return f.Sync()
	}
	if _, _, errno := unix.Syscall(unix.SYS_FDATASYNC, f.Fd(), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func writeDsync(f vfs.File, p []byte, off int64) error { return errors.ErrUnsupported }
