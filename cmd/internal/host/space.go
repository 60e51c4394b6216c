package host

import "fmt"

const mib = 1 << 20

// FreeBytes returns how many bytes this user may still write in the
// directory's file system. It fails where the file system gives no sizes, as
// some network and host shares do.
func FreeBytes(dir string) (int64, error) {
	free, err := freeBytes(dir)
	if err != nil {
		return 0, fmt.Errorf("host: free space of %s: %w", dir, err)
	}
	return free, nil
}

// CheckSpace returns an error that names both sizes when the directory has
// less than need bytes free. A file system that gives no sizes passes: the
// run then finds out by writing.
func CheckSpace(dir string, need int64) error {
	free, err := FreeBytes(dir)
	if err != nil || free >= need {
		return nil
	}
	// Rounded apart, so that the text never reads "needs 64, 64 free".
	return fmt.Errorf("host: check space in %s: needs %d MiB, %d MiB free", dir, (need+mib-1)/mib, free/mib)
}
