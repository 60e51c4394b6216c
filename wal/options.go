package wal

import (
	"fmt"
	"log/slog"

	"github.com/cockroachdb/pebble/vfs"
)

// Limits and defaults.
const (
	MinSegmentSize     = 4 << 10
	MaxSegmentSize     = 1 << 30
	DefaultSegmentSize = 16 << 20
	DefaultBufferSize  = 8 << 20
)

// Options say how a log is opened. The zero value is safe and durable.
type Options struct {
	// Sync is how a flush becomes durable. The default is the method that
	// reaches the medium on this platform: fdatasync on Linux and FreeBSD,
	// F_FULLFSYNC on macOS, FlushFileBuffers on Windows. A method that the
	// platform or the volume lacks is refused by Open.
	Sync SyncMethod

	// SegmentSize is the size of new segments in bytes, from MinSegmentSize to
	// MaxSegmentSize; 0 means DefaultSegmentSize. Segments of every size stay
	// readable. It bounds the largest record: see MaxRecord.
	SegmentSize int64

	// BufferSize bounds the bytes that are appended and not yet taken by a
	// flush; 0 means DefaultBufferSize. As many again may be in a flush. A
	// record or batch that is larger is taken while the buffer is empty.
	BufferSize int64

	// ReadOnly opens the log without taking its lock and without changing
	// anything. What it shows above Recovery.Promised may not be durable.
	ReadOnly bool

	// FS is where the log lives; nil means vfs.Default. Everything the log
	// needs durable is synced through its File.Sync and File.SyncData. Besides
	// vfs.File, files may have a method Truncate(int64) error, by which unused
	// space is given back.
	FS vfs.FS

	// Logger hears of what does no harm to the log but may surprise its owner,
	// each once: a torn tail that was cut, a segment that could not be
	// prepared in time, a file system that refuses to sync directories. Nil
	// means nobody.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Sync == SyncDefault {
		o.Sync = platformSync
	}
	if o.SegmentSize == 0 {
		o.SegmentSize = DefaultSegmentSize
	}
	if o.BufferSize == 0 {
		o.BufferSize = DefaultBufferSize
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func (o Options) validate() error {
	if o.SegmentSize < MinSegmentSize || o.SegmentSize > MaxSegmentSize || o.SegmentSize%frameAlign != 0 {
		return fmt.Errorf("wal: segment size %d: want a multiple of %d from %d to %d",
			o.SegmentSize, frameAlign, MinSegmentSize, MaxSegmentSize)
	}
	if o.BufferSize < 0 {
		return fmt.Errorf("wal: buffer size %d is negative", o.BufferSize)
	}
	if o.ReadOnly {
		return nil
	}
	return o.Sync.supported()
}

// segmentOverhead is what a segment needs besides the records of one batch
// that fills it: its header, its link, the flush frame before the batch, and
// the room that is always kept for a mark and a seal.
const segmentOverhead = headerSize + linkSize + flushSize + markSize + sealSize

// MaxRecord returns the largest record, in bytes, that a log with segments of
// the given size accepts. A batch may take as much in total, less 16 bytes
// and up to 7 of padding for each further record.
func MaxRecord(segmentSize int64) int64 {
	return min((segmentSize-segmentOverhead-frameHeader)&^(frameAlign-1), maxPayload)
}
