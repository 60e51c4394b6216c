package wal

import (
	"errors"

	"github.com/cockroachdb/pebble/vfs"
)

const platformSync = SyncFsync

var syncCalls = [...]string{
	SyncNone:      "none",
	SyncFsync:     "FlushFileBuffers",
	SyncFdatasync: "",
	SyncDsync:     "",
	SyncFull:      "",
}

// syncOnce is FlushFileBuffers, which is what os.File.Sync calls.
func (m SyncMethod) syncOnce(f vfs.File) error { return f.Sync() }

func writeDsync(f vfs.File, p []byte, off int64) error { return errors.ErrUnsupported }
