package wal

import "fmt"

// LSN is a log sequence number: where a record stands in the log. The high
// 32 bits number its segment, the low 32 bits are the offset of its frame in
// that segment, so an LSN finds its record without an index. LSNs grow
// strictly and are not dense. Zero is never the LSN of a record.
type LSN uint64

func makeLSN(segment uint32, off int64) LSN { return LSN(segment)<<32 | LSN(off) }

// Segment returns the number of the segment that holds the position.
func (l LSN) Segment() uint32 { return uint32(l >> 32) }

// Offset returns the position's offset in its segment, in bytes.
func (l LSN) Offset() int64 { return int64(uint32(l)) }

// String returns the position as segment:offset, in hexadecimal.
func (l LSN) String() string { return fmt.Sprintf("%08x:%08x", l.Segment(), l.Offset()) }
