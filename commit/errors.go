package commit

import (
	"errors"
	"fmt"
)

// Errors that callers branch on, for use with errors.Is. Errors of the log
// itself (wal.ErrTooLarge, wal.ErrNoSpace, ...) pass through unchanged.
var (
	// ErrClosed is returned by calls made after Close, and by those that Close
	// finds waiting to append. They have appended nothing.
	ErrClosed = errors.New("commit: committer is closed")

	// ErrIndeterminate is returned when a record was appended and its fate is
	// not known to the caller: the wait was abandoned by its context, or the
	// flush failed. The record may be durable now, become durable later, or be
	// found missing after recovery. The same error also is the cause, so
	// errors.Is(err, context.Canceled) or errors.Is(err, syscall.EIO) hold too.
	//
	// An error that is not ErrIndeterminate says that nothing was appended.
	ErrIndeterminate = errors.New("commit: record may or may not be durable")
)

func indeterminate(cause error) error {
	return fmt.Errorf("%w: %w", ErrIndeterminate, cause)
}
