//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package wal

import (
	"io"

	"github.com/cockroachdb/pebble/vfs"
)

func lockFile(fs vfs.FS, name string) (io.Closer, error) { return lockByName(fs, name) }

func ownerOnly(vfs.File) error { return nil }
