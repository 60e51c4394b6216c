package wal

import (
	"encoding/binary"
	"hash/crc32"
)

// A segment is a header and then frames, each at a multiple of 8:
//
//	 0         4         8                  16
//	+---------+---------+------------------+----------------+-------+
//	| CRC-32C | kind 4  |       LSN        | payload        | zeros |
//	|         | len 28  | of this frame    | len bytes      | to 8  |
//	+---------+---------+------------------+----------------+-------+
//
// All numbers are little-endian. The checksum starts from the checksum of the
// log's id and covers the payload, then bytes 4 to 16. So a frame is valid in
// one place of one log only: stale bytes of a recycled file, or of a copied
// one, are never read as frames. The LSN alone tells a scan whether a frame
// may start here, which makes it cheap to look for frames behind damage.
const (
	frameHeader = 16
	frameAlign  = 8

	lengthBits = 28
	maxPayload = 1<<lengthBits - 1
)

type kind uint8

// A kind of zero does not exist: an all-zero header is no frame.
const (
	kindRecord kind = 1 // a record, alone or the last of its batch
	kindPart   kind = 2 // a record that more of its batch follow
	kindFlush  kind = 3 // opens a flush: every record below the payload's LSN was durable before it was written
	kindLink   kind = 4 // opens a segment: the log goes on here from the payload's LSN, below which all is durable
	kindSeal   kind = 5 // closes a segment: the segment numbered by the payload has its name
	kindMark   kind = 6 // clean close: every record below this frame is durable
)

// Sizes of the frames that are not records.
const (
	flushSize = frameHeader + 8
	linkSize  = frameHeader + 8
	sealSize  = frameHeader + 8
	markSize  = frameHeader
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frame is a decoded frame. The payload aliases the decoded bytes.
type frame struct {
	kind    kind
	lsn     LSN
	payload []byte
}

// size is what the frame takes in its segment, in bytes.
func (f frame) size() int64 { return frameSize(len(f.payload)) }

// position is the payload of a flush, link or seal frame.
func (f frame) position() LSN { return LSN(binary.LittleEndian.Uint64(f.payload)) }

func frameSize(payload int) int64 {
	return int64(frameHeader+payload+frameAlign-1) &^ (frameAlign - 1)
}

// payloadSum is the part of a frame's checksum that needs no LSN, so that an
// appender computes it before it takes the log's mutex.
func payloadSum(seed uint32, payload []byte) uint32 {
	return crc32.Update(seed, castagnoli, payload)
}

// appendFrame appends the frame to b. sum is payloadSum of the payload.
func appendFrame(b []byte, k kind, lsn LSN, payload []byte, sum uint32) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(k)<<lengthBits|uint32(len(payload)))
	b = binary.LittleEndian.AppendUint64(b, uint64(lsn))
	sum = crc32.Update(sum, castagnoli, b[start+4:])
	binary.LittleEndian.PutUint32(b[start:], sum)
	b = append(b, payload...)
	var zeros [frameAlign]byte
	return append(b, zeros[:frameSize(len(payload))-int64(frameHeader+len(payload))]...)
}

// appendPosition appends a frame whose payload is a position.
func appendPosition(b []byte, k kind, lsn, position LSN, seed uint32) []byte {
	var payload [8]byte
	binary.LittleEndian.PutUint64(payload[:], uint64(position))
	return appendFrame(b, k, lsn, payload[:], payloadSum(seed, payload[:]))
}

// frameLength returns how many bytes the frame that b starts with would take,
// and whether b can start the frame of that LSN at all. Only the header is
// looked at; nothing in it is to be trusted but against what remains.
func frameLength(b []byte, lsn LSN) (int64, bool) {
	if len(b) < frameHeader || LSN(binary.LittleEndian.Uint64(b[8:])) != lsn {
		return 0, false
	}
	word := binary.LittleEndian.Uint32(b[4:])
	k, n := kind(word>>lengthBits), int(word&maxPayload)
	switch k {
	case kindRecord, kindPart:
	case kindFlush, kindLink, kindSeal:
		if n != 8 {
			return 0, false
		}
	case kindMark:
		if n != 0 {
			return 0, false
		}
	default:
		return 0, false
	}
	return frameSize(n), true
}

// decodeFrame decodes the frame of that LSN from the start of b. It reports
// false if b does not hold a whole valid frame.
func decodeFrame(b []byte, lsn LSN, seed uint32) (frame, bool) {
	size, ok := frameLength(b, lsn)
	if !ok || size > int64(len(b)) {
		return frame{}, false
	}
	word := binary.LittleEndian.Uint32(b[4:])
	n := int(word & maxPayload)
	payload := b[frameHeader : frameHeader+n : frameHeader+n]
	sum := crc32.Update(payloadSum(seed, payload), castagnoli, b[4:frameHeader])
	if sum != binary.LittleEndian.Uint32(b) {
		return frame{}, false
	}
	return frame{kind: kind(word >> lengthBits), lsn: lsn, payload: payload}, true
}
