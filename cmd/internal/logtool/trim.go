package logtool

import (
	"errors"
	"fmt"
	"io"

	"walbench.example/wal"
)

// Trim removes the segments of a log that lie wholly below lsn, and writes
// what is left to out. A position past the end is refused before anything is
// changed; opening a log for writing already cuts a torn tail.
func Trim(dir string, lsn wal.LSN, out io.Writer) (err error) {
	// Opening for writing would make a log of a directory that holds none.
	reader, err := wal.Open(dir, wal.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	next := reader.Next()
	reader.Close()
	if lsn > next {
		return fmt.Errorf("trim %s: LSN %d is past the end of the log, LSN %d", dir, uint64(lsn), uint64(next))
	}
	log, err := wal.Open(dir, wal.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	first := log.First()
	if err := log.Trim(lsn); err != nil {
		return err
	}
	if log.First() == first {
		if _, err := io.WriteString(out, "nothing removed: only whole segments below the LSN go\n"); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "first LSN %d, end LSN %d\n", uint64(log.First()), uint64(log.Next()))
	return err
}
