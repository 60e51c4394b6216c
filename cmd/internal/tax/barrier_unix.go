//go:build linux || darwin || freebsd

package tax

import (
	"os"

	"golang.org/x/sys/unix"
)

// retried turns a raw system call into a barrier. EINTR says that a signal
// came, and nothing about the file: the call is made again. Any other error is
// final: after a failed sync a second one may return nil for pages that the
// kernel has dropped.
func retried(call func(fd int) error) func(*os.File) error {
	return func(f *os.File) error {
		for {
			if err := call(int(f.Fd())); err != unix.EINTR {
				return err
			}
		}
	}
}
