package wal

import (
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/vfs"
	"golang.org/x/sys/unix"
)

const platformSync = SyncFdatasync

var syncCalls = [...]string{
	SyncNone:      "none",
	SyncFsync:     "fsync",
	SyncFdatasync: "fdatasync",
	SyncDsync:     "pwritev2(RWF_DSYNC)",
	SyncFull:      "",
}

func (m SyncMethod) syncOnce(f vfs.File) error {
	if m == SyncFsync {
		return f.Sync()
	}
	return f.SyncData()
}

// writeDsync writes p at off with RWF_DSYNC, which gives this write alone the
// semantics of O_DSYNC (pwritev2(2), Linux 4.7): vfs has no open flags.
func writeDsync(f vfs.File, p []byte, off int64) error {
	for len(p) > 0 {
		n, err := unix.Pwritev2(int(f.Fd()), [][]byte{p}, off, unix.RWF_DSYNC)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return fmt.Errorf("RWF_DSYNC is not available on this volume, use fdatasync: %w", err)
		case err != nil:
			return err
		case n == 0:
			return io.ErrShortWrite
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}
