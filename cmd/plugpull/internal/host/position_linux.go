package host

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Position maps the file at path, made if need be, and returns the number in
// it, shared with every process that does the same. A disk's server counts
// the disk's events there, and a writer reads it without asking anybody: a
// stamp is a load, and cannot overtake the system call that came before it.
func Position(path string) (*atomic.Uint64, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(int64(os.Getpagesize())); err != nil {
		return nil, err
	}
	b, err := unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	// A mapping is aligned to a page, never moves, and is never unmapped.
	return (*atomic.Uint64)(unsafe.Pointer(&b[0])), nil
}
