package host

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Loop is a loop device. The kernel detaches it when its last user has closed
// it (LO_FLAGS_AUTOCLEAR, loop(4)), so nothing of it survives its processes.
type Loop struct {
	Path string
	file *os.File
}

// Attach puts a loop device over a file, with a node for it at path.
func Attach(backing, path string) (*Loop, error) {
	f, err := os.OpenFile(backing, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	ctl, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer ctl.Close()
	for {
		n, err := unix.IoctlRetInt(int(ctl.Fd()), unix.LOOP_CTL_GET_FREE)
		if err != nil {
			return nil, fmt.Errorf("find a free loop device: %w", err)
		}
		l, err := configure(f, n, path)
		if !errors.Is(err, unix.EBUSY) {
			return l, err
		}
		// Somebody else took it between the two calls.
	}
}

// configure makes a node of our own: a container's /dev may have none for a
// loop device that was just made.
func configure(backing *os.File, n int, path string) (*Loop, error) {
	os.Remove(path)
	if err := unix.Mknod(path, unix.S_IFBLK|0o600, int(unix.Mkdev(loopMajor, uint32(n)))); err != nil {
		return nil, fmt.Errorf("make a node for loop device %d: %w", n, err)
	}
	dev, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("loop device %d: %w", n, err)
	}
	config := unix.LoopConfig{Fd: uint32(backing.Fd()), Size: sectorSize}
	config.Info.Flags = unix.LO_FLAGS_AUTOCLEAR | unix.LO_FLAGS_DIRECT_IO
	if err := unix.IoctlLoopConfigure(int(dev.Fd()), &config); err != nil {
		dev.Close()
		return nil, fmt.Errorf("attach loop device %d: %w", n, err)
	}
	return &Loop{Path: path, file: dev}, nil
}

// loopMajor is LOOP_MAJOR of linux/major.h. sectorSize is the block size of
// the device: what is written whole.
const (
	loopMajor  = 7
	sectorSize = 512
)

// Forget drops what the kernel has cached of the device, whose contents have
// been changed beneath it. It must not be mounted.
func (l *Loop) Forget() error {
	if _, err := unix.IoctlRetInt(int(l.file.Fd()), unix.BLKFLSBUF); err != nil {
		return fmt.Errorf("drop the cache of %s: %w", l.Path, err)
	}
	return nil
}

// Close gives the device up.
func (l *Loop) Close() error { return l.file.Close() }
