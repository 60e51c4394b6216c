package wal

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/vfs"
	"golang.org/x/sys/unix"
)

const platformSync = SyncFull

var syncCalls = [...]string{
	SyncNone:      "none",
	SyncFsync:     "fsync (does not wait for the drive's cache)",
	SyncFdatasync: "",
	SyncDsync:     "",
	SyncFull:      "fcntl(F_FULLFSYNC)",
}

// syncOnce calls fsync(2) raw: os.File.Sync, and so vfs.File.Sync, already is
// F_FULLFSYNC on macOS.
func (m SyncMethod) syncOnce(f vfs.File) error {
	if f.Fd() == vfs.InvalidFd {
		return f.Sync()
	}
	if m == SyncFsync {
		return unix.Fsync(int(f.Fd()))
	}
	_, err := unix.FcntlInt(f.Fd(), unix.F_FULLFSYNC, 0)
	switch {
	case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOTTY), errors.Is(err, unix.EINVAL):
		return fmt.Errorf("F_FULLFSYNC is not available on this volume: use another volume, or fsync if its promise is enough: %w", err)
	}
	return err
}

func writeDsync(f vfs.File, p []byte, off int64) error { return errors.ErrUnsupported }
