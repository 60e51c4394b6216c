package wal

import (
	"errors"
	"fmt"
)

// Errors that callers branch on, for use with errors.Is.
var (
	// ErrClosed is returned after Close by every call that can fail.
	ErrClosed = errors.New("wal: log is closed")

	// ErrLocked is returned by Open while another opener, in this process or
	// in another, holds the directory.
	ErrLocked = errors.New("wal: directory is locked by another opener")

	// ErrReadOnly is returned by calls that would change a log opened
	// read-only.
	ErrReadOnly = errors.New("wal: log is open read-only")

	// ErrTooLarge is returned for a record or a batch that no segment can
	// hold. Nothing was appended.
	ErrTooLarge = errors.New("wal: record too large")

	// ErrTrimmed is returned for a position below the first record.
	ErrTrimmed = errors.New("wal: position has been trimmed")

	// ErrFull is returned by Append when the buffer is full, or when the next
	// segment is not there yet. Nothing was appended: Sync, then append again.
	// Package commit does that waiting for its callers.
	ErrFull = errors.New("wal: buffer is full")

	// ErrNoSpace is returned by Append when there is no space for a next
	// segment. Nothing was appended and the log is as good as before: a later
	// Append tries again, and Trim may free the space.
	ErrNoSpace = errors.New("wal: no space for a next segment")

	// ErrCorrupt is what every *CorruptionError is.
	ErrCorrupt = errors.New("wal: log is corrupt")

	// ErrFormat is returned for a log of a format that this package does not
	// know, as a newer version of it may write. It is no damage, and nothing
	// was touched.
	ErrFormat = errors.New("wal: unsupported format version")
)

// CorruptionError says where promised bytes are missing or wrong. It is
// returned by Open, by Records and by Verify, and is errors.Is ErrCorrupt.
// Nothing is cut, skipped or repaired when it is returned: see Repair.
type CorruptionError struct {
	Kind    CorruptionKind
	Segment string // file name
	Offset  int64  // of the first byte that cannot be trusted
	LSN     LSN    // the same place as an LSN; 0 if the segment has none
	Reason  string // the evidence, in a sentence
}

// CorruptionKind says what is wrong.
type CorruptionKind uint8

const (
	Damaged CorruptionKind = iota // bytes that were durable are wrong, or cut off
	Gap                           // a segment is missing between others, or at the end
	Foreign                       // a segment stands there that is none of this log, or not by that name
)

// String returns the kind in a word: corrupt, gap or foreign.
func (k CorruptionKind) String() string {
	switch k {
	case Gap:
		return "gap"
	case Foreign:
		return "foreign"
	}
	return "corrupt"
}

func (e *CorruptionError) Error() string {
	return fmt.Sprintf("wal: %s is corrupt at offset %d (LSN %d): %s", e.Segment, e.Offset, uint64(e.LSN), e.Reason)
}

// Is makes every CorruptionError an ErrCorrupt.
func (e *CorruptionError) Is(target error) bool { return target == ErrCorrupt }
