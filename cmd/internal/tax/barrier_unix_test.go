//go:build linux || darwin || freebsd

package tax

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestBarrierRetriesEINTRAndNothingElse(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, test := range []struct {
		answers []error
		calls   int
		want    error
	}{
		{[]error{nil}, 1, nil},
		{[]error{unix.EINTR, unix.EINTR, nil}, 3, nil},
		{[]error{unix.EIO, nil}, 1, unix.EIO},
		{[]error{unix.EINTR, unix.EIO, nil}, 2, unix.EIO},
	} {
		calls := 0
		barrier := retried(func(fd int) error {
			if fd != int(f.Fd()) {
				t.Errorf("called on %d, want %d", fd, f.Fd())
			}
			calls++
			return test.answers[calls-1]
		})
		if err := barrier(f); !errors.Is(err, test.want) || calls != test.calls {
			t.Errorf("%v: error %v after %d calls, want %v after %d", test.answers, err, calls, test.want, test.calls)
		}
	}
}
