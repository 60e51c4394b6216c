package wal

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/cockroachdb/pebble/vfs"
)

// SyncMethod is how written bytes are made durable.
type SyncMethod uint8

const (
	SyncDefault   SyncMethod = iota // what reaches the medium on this platform
	SyncNone                        // no barrier: records survive the process, not the machine, but for those before a rotation or Close
	SyncFsync                       // fsync(2); FlushFileBuffers on Windows. On macOS it does not wait for the drive's cache
	SyncFdatasync                   // fdatasync(2): as fsync, without metadata that reading does not need
	SyncDsync                       // a write that returns when its data is durable: pwritev2(2) with RWF_DSYNC, as O_DSYNC
	SyncFull                        // fcntl(2) F_FULLFSYNC on macOS: waits for the drive's cache
)

var syncNames = [...]string{"default", "none", "fsync", "fdatasync", "dsync", "fullfsync"}

// String returns the word that ParseSync takes.
func (m SyncMethod) String() string {
	if int(m) < len(syncNames) {
		return syncNames[m]
	}
	return fmt.Sprintf("SyncMethod(%d)", uint8(m))
}

// ParseSync returns the method of that name: default, none, fsync, fdatasync,
// dsync or fullfsync. Whether this platform has it is for Open to say.
func ParseSync(name string) (SyncMethod, error) {
	for i, n := range syncNames {
		if n == name {
			return SyncMethod(i), nil
		}
	}
	return 0, fmt.Errorf("wal: unknown sync method %q: want one of %v", name, syncNames)
}

// PlatformSync returns the method that SyncDefault stands for here.
func PlatformSync() SyncMethod { return platformSync }

// Call returns the system call by which the method makes data durable on this
// platform, as a report should name it.
func (m SyncMethod) Call() string {
	if m == SyncDefault {
		m = platformSync
	}
	return syncCalls[m]
}

// supported says whether this platform has the method, and if not, what to
// use instead. There is never a silent substitute.
func (m SyncMethod) supported() error {
	if int(m) >= len(syncNames) {
		return fmt.Errorf("wal: unknown sync method %d", uint8(m))
	}
	if m == SyncDefault || m == SyncNone || syncCalls[m] != "" {
		return nil
	}
	return fmt.Errorf("wal: sync method %v is not available on this platform: use %v: %w", m, platformSync, errors.ErrUnsupported)
}

// sync makes what was written to f durable by the method. A failed sync is
// never tried again: the kernel may have dropped the data and marked its
// pages clean, so that the second call would succeed for nothing (fsync(2),
// and "fsyncgate"). EINTR alone is no verdict: the call is made again, as os.File.Sync does.
func (m SyncMethod) sync(f vfs.File) error {
	for {
		err := m.syncOnce(f)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// write writes p at off and, if the method does both at once, makes it
// durable; the bool reports that it did. n < len(p) with a nil error does not
// happen.
func (m SyncMethod) write(f vfs.File, p []byte, off int64) (durable bool, err error) {
	if m == SyncDsync && f.Fd() != vfs.InvalidFd {
		return true, writeDsync(f, p, off)
	}
	return false, writeAt(f, p, off)
}
