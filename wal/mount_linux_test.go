package wal

import (
	"syscall"
	"testing"
)

// smallFileSystem mounts a tmpfs of 256 KiB. That takes a right that root has,
// in most containers too.
func smallFileSystem(t *testing.T) string {
	t.Helper()
	path := t.TempDir()
	if err := syscall.Mount("tmpfs", path, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("cannot mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(path, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return path
}
