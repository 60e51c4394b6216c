package wal

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/vfs"
)

// scanner reads the frames of one segment's file in order, in memory of one
// window, or of the largest valid frame where that is larger: a length that
// is not backed by a checksum allocates nothing.
type scanner struct {
	file   vfs.File
	number uint32
	seed   uint32
	size   int64 // of the file, when it was opened, as far as it can be a segment
	off    int64 // of the next frame

	buf  []byte
	base int64 // file offset of buf[0]
	err  error // a failed read: no verdict on the bytes
}

const windowSize = 256 << 10

// openScanner opens a segment for scanning from off.
func openScanner(d *dir, number, seed uint32, off int64) (*scanner, error) {
	name := segmentName(number)
	f, err := d.open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("wal: stat %s: %w", name, err)
	}
	return &scanner{file: f, number: number, seed: seed, size: min(info.Size(), MaxSegmentSize), off: off}, nil
}

func (s *scanner) close() { s.file.Close() }

func (s *scanner) lsn() LSN { return makeLSN(s.number, s.off) }

// window returns the file's bytes from off: n of them if it has so many, and
// usually more.
func (s *scanner) window(n int64) []byte {
	n = min(n, s.size-s.off)
	if n <= 0 || s.err != nil {
		return nil
	}
	if at := s.off - s.base; at >= 0 && at+n <= int64(len(s.buf)) {
		return s.buf[at:]
	}
	want := min(max(n, windowSize), s.size-s.off)
	if int64(cap(s.buf)) < want {
		s.buf = make([]byte, want)
	}
	s.buf, s.base = s.buf[:want], s.off
	got, err := s.file.ReadAt(s.buf, s.off)
	s.buf = s.buf[:got]
	if err != nil && err != io.EOF {
		s.err = fmt.Errorf("wal: read %s at %d: %w", segmentName(s.number), s.off, err)
		return nil
	}
	return s.buf
}

// next decodes the frame at off and moves behind it. It reports false, and
// stays, where no valid frame stands. The payload is valid until the next
// call.
func (s *scanner) next() (frame, bool) {
	f, ok := s.peek()
	if ok {
		s.off += f.size()
	}
	return f, ok
}

func (s *scanner) peek() (frame, bool) {
	b := s.window(frameHeader)
	size, ok := frameLength(b, s.lsn())
	if !ok || size > s.size-s.off {
		return frame{}, false
	}
	if size > int64(len(b)) {
		if size > windowSize && !s.checksum(size) {
			return frame{}, false
		}
		b = s.window(size)
	}
	return decodeFrame(b, s.lsn(), s.seed)
}

// checksum checks the frame at off, of which only the header is in the
// window, a window at a time.
func (s *scanner) checksum(size int64) bool {
	h := [frameHeader]byte(s.window(frameHeader))
	rest := int64(binary.LittleEndian.Uint32(h[4:]) & maxPayload)
	sum, start := s.seed, s.off
	defer func() { s.off = start }()
	for s.off += frameHeader; rest > 0; {
		b := s.window(1)
		if len(b) == 0 {
			return false
		}
		b = b[:min(int64(len(b)), rest)]
		sum = crc32.Update(sum, castagnoli, b)
		rest -= int64(len(b))
		s.off += int64(len(b))
	}
	return crc32.Update(sum, castagnoli, h[4:]) == binary.LittleEndian.Uint32(h[:])
}

// trace is what a search saw in bytes that are no part of the log.
type trace struct {
	promised LSN    // the highest promise of any valid frame; 0: none
	used     int64  // offset behind the last sign of a write
	frames   int64  // that are valid
	records  int64  // of these
	bytes    int64  // of their payload
	names    uint32 // the highest segment that a seal names
}

func (t *trace) add(f frame) {
	t.frames++
	t.promised = max(t.promised, promise(f))
	switch f.kind {
	case kindRecord, kindPart:
		t.records++
		t.bytes += int64(len(f.payload))
	case kindSeal:
		t.names = max(t.names, f.position().Segment())
	}
}

// search looks at every place from off to the file's end for frames and other
// signs of a write. In a file that is stale only what carries this segment's
// LSNs is one; else every byte that is not zero. No record is checked that
// begins in what another one claimed in vain, up to the next valid frame, so
// that bytes made up of headers cost little more than others.
func (s *scanner) search(stale bool) trace {
	var t trace
	var claimed, vain int64
	for {
		b := s.window(frameHeader)
		if len(b) == 0 {
			return t
		}
		if n := unsigned(b, s.lsn(), stale); n > 0 {
			s.off += n
			continue
		}
		if n := lastUsed(b[:min(frameAlign, len(b))]); n > 0 && !stale {
			t.used = max(t.used, s.off+int64(n))
		}
		step := int64(frameAlign)
		if size, ok := frameLength(b, s.lsn()); ok {
			t.used = max(t.used, s.off+frameHeader)
			if small := size <= flushSize; small || s.off >= claimed {
				if f, ok := s.peek(); ok {
					t.add(f)
					step = size
					t.used = max(t.used, s.off+step)
					if vain < vainLimit*s.size {
						claimed = 0 // by a frame that is not there
					}
				} else if !small && size <= s.size-s.off { // else it was no work to refuse
					claimed = s.off + size
					vain += size
				}
			}
		}
		s.off += step
	}
}

// vainLimit bounds what a search checks in vain, in sizes of the file.
const vainLimit = 4

// unsigned returns how many bytes of b, which stands at lsn, show no sign of
// a write: a multiple of 8. Most of a segment's rest is passed over here.
func unsigned(b []byte, lsn LSN, stale bool) int64 {
	i := 0
	for ; i+frameHeader <= len(b); i += frameAlign {
		if LSN(binary.LittleEndian.Uint64(b[i+8:])) == lsn+LSN(i) {
			break
		}
		if !stale && binary.LittleEndian.Uint64(b[i:]) != 0 {
			break
		}
	}
	return int64(i)
}

// promise returns the position below which a frame says that all is durable.
func promise(f frame) LSN {
	switch f.kind {
	case kindFlush, kindLink:
		return f.position()
	case kindMark:
		return f.lsn
	}
	return 0
}

// lastUsed returns the length of b without its trailing zeros.
func lastUsed(b []byte) int {
	n := len(b)
	for n > 0 && b[n-1] == 0 {
		n--
	}
	return n
}
