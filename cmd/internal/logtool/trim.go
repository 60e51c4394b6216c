package logtool

import (
	"errors"
	"fmt"
	"io"

	"walbench.example/wal"
)

// Trim removes the segments of a log that lie wholly below lsn, and writes
// what is left to out.
func Trim(dir string, lsn wal.LSN, out io.Writer) (err error) {
	// Opening for writing would make a log of a directory that holds none.
	reader, err := wal.Open(dir, wal.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	reader.Close()
	log, err := wal.Open(dir, wal.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if err := log.Trim(lsn); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "first LSN %d, end LSN %d\n", uint64(log.First()), uint64(log.Next()))
	return err
}
