//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package wal

import (
	"errors"
	"io"

	"github.com/cockroachdb/pebble/vfs"
	"golang.org/x/sys/unix"
)

// lockFile takes an exclusive flock(2) on the file. A flock belongs to the
// open file, not to the process or the name, so a second Open fails in the
// same process and through a symlink too, and the kernel drops it with the
// process. (vfs.Lock keys on the name and takes an fcntl lock, which a
// process may take as often as it likes.)
func lockFile(fs vfs.FS, name string) (io.Closer, error) {
	f, err := openReadWrite(fs, name)
	if err != nil {
		return nil, err
	}
	if f.Fd() == vfs.InvalidFd {
		f.Close()
		return lockByName(fs, name)
	}
	if err := ownerOnly(f); err != nil {
		f.Close()
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, err
	}
	return f, nil
}

// ownerOnly takes the rights of others from a file just made: vfs creates
// files with mode 0666 less the umask.
func ownerOnly(f vfs.File) error {
	if f.Fd() == vfs.InvalidFd {
		return nil
	}
	return unix.Fchmod(int(f.Fd()), 0o600)
}
