package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A segment's header, 64 bytes at the start of its file:
//
//	 0        8         12      16           32        36          60        64
//	+--------+---------+-------+------------+---------+-----------+---------+
//	| magic  | version | flags | log id     | segment | zeros     | CRC-32C |
//	+--------+---------+-------+------------+---------+-----------+---------+
//
// The checksum covers bytes 0 to 60. The header is synced before the file
// gets its segment name, so a named segment with frames always has one.
const (
	headerSize    = 64
	formatVersion = 1

	// flagRecycled says that the file held another segment before: what stands
	// behind the last frame is stale, and no sign of a torn write.
	flagRecycled = 1
)

var magic = [8]byte{0x89, 'W', 'A', 'L', '\r', '\n', 0x1a, '\n'}

type header struct {
	version uint32
	flags   uint32
	id      [16]byte
	segment uint32
}

// seed starts the checksum of every frame of the log.
func (h header) seed() uint32 { return crc32.Checksum(h.id[:], castagnoli) }

func (h header) appendTo(b []byte) []byte {
	start := len(b)
	b = append(b, magic[:]...)
	b = binary.LittleEndian.AppendUint32(b, h.version)
	b = binary.LittleEndian.AppendUint32(b, h.flags)
	b = append(b, h.id[:]...)
	b = binary.LittleEndian.AppendUint32(b, h.segment)
	b = append(b, make([]byte, 24)...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// errHeader is a header that is not whole or not ours, errBlank one that was
// never written: it is an errHeader too.
var (
	errHeader = errors.New("no valid header")
	errBlank  = fmt.Errorf("%w: blank", errHeader)
)

// decodeHeader decodes a header. One whose magic and checksum hold, which they
// do in every version, but whose version is another is ErrFormat, not damage.
func decodeHeader(b []byte) (header, error) {
	if len(bytes.Trim(b, "\x00")) == 0 {
		return header{}, errBlank
	}
	if len(b) < headerSize || !bytes.Equal(b[:8], magic[:]) {
		return header{}, errHeader
	}
	if crc32.Checksum(b[:60], castagnoli) != binary.LittleEndian.Uint32(b[60:]) {
		return header{}, errHeader
	}
	h := header{
		version: binary.LittleEndian.Uint32(b[8:]),
		flags:   binary.LittleEndian.Uint32(b[12:]),
		id:      [16]byte(b[16:32]),
		segment: binary.LittleEndian.Uint32(b[32:]),
	}
	if h.version != formatVersion {
		return header{}, fmt.Errorf("%w %d (this build knows %d)", ErrFormat, h.version, formatVersion)
	}
	return h, nil
}

// readHeader reads the header of a file and the file's size.
func readHeader(d *dir, name string) (header, int64, error) {
	f, err := d.open(name)
	if err != nil {
		return header{}, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return header{}, 0, fmt.Errorf("wal: stat %s: %w", name, err)
	}
	b := make([]byte, headerSize)
	n, err := f.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return header{}, 0, fmt.Errorf("wal: read %s: %w", name, err)
	}
	h, err := decodeHeader(b[:n])
	return h, info.Size(), err
}
