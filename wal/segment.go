package wal

import (
	"fmt"

	"github.com/cockroachdb/pebble/vfs"
)

// segment is one file of the log.
type segment struct {
	number uint32
	file   vfs.File // open for writing while the segment is active or next, else nil

	// size is the offset by which a seal must end. The space below it is
	// secured as far as the file system can, so that an LSN that Append gave
	// away is not lost to a full disk.
	size int64

	// written is the offset below which the file's bytes have been written and
	// synced before: a write there changes no metadata, and its sync is cheap.
	written int64

	// end is the offset behind the segment's last record once no record can
	// follow; 0 while it is the active one. Guarded by Log.mu.
	end int64

	// first is the LSN of the segment's first record, 0 for none. It is known
	// of the active segment, of every one before it that this life has made,
	// and of older ones from the front up to the first that holds a record.
	// Guarded by Log.mu.
	first LSN
	known bool

	// pins counts the readers that may have the file open. A file that was
	// pinned when its segment was trimmed is kept as it is under its reader,
	// never recycled; no reader may pin one that is gone. Guarded by Log.mu.
	pins       int
	gone, kept bool
}

func (s *segment) name() string           { return segmentName(s.number) }
func (s *segment) lsn(off int64) LSN      { return makeLSN(s.number, off) }
func (s *segment) growing(off int64) bool { return off >= s.written }

// closeFile ends writing to the segment.
func (s *segment) closeFile() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	if err != nil {
		return fmt.Errorf("wal: close %s: %w", s.name(), err)
	}
	return nil
}

// giveBack cuts the file behind off, so that a segment left early does not
// keep the space it was promised. Files without Truncate keep it: only space
// is lost.
func giveBack(f vfs.File, off int64) error {
	if t, ok := f.(interface{ Truncate(size int64) error }); ok {
		return t.Truncate(off)
	}
	return nil
}
