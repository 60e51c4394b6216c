//go:build !linux && !darwin && !freebsd && !windows

package wal

import (
	"errors"

	"github.com/cockroachdb/pebble/vfs"
)

const platformSync = SyncFsync

var syncCalls = [...]string{
	SyncNone:      "none",
	SyncFsync:     "fsync",
	SyncFdatasync: "",
	SyncDsync:     "",
	SyncFull:      "",
}

func (m SyncMethod) syncOnce(f vfs.File) error { return f.Sync() }

func writeDsync(f vfs.File, p []byte, off int64) error { return errors.ErrUnsupported }
