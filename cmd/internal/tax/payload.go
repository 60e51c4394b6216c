package tax

import (
	"encoding/binary"
	"math/rand/v2"
)

// payloadIs describes the records for the report.
const payloadIs = "random bytes, different in each record"

// payloadPool is how far apart repeated bytes lie at least: beyond the window
// of gzip (32 KiB) and the extents that file systems compress (128 KiB).
const payloadPool = 1 << 20

// payload yields records that do not compress and never repeat, so that a
// compressing or deduplicating disk gets no gift. Making one costs a few
// nanoseconds: records are slices of a pool of random bytes, each stamped with
// its number.
//
// It is not safe for concurrent use.
type payload struct {
	pool   []byte
	size   int
	off    int
	number uint64
}

func newPayload(size int, seed uint64) *payload {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	pool := make([]byte, payloadPool+size)
	// Read of a ChaCha8 never fails.
	_, _ = rand.NewChaCha8(key).Read(pool)
	return &payload{pool: pool, size: size}
}

// next returns the next record, valid until the call after. Records of eight
// bytes or more are distinct.
func (p *payload) next() []byte {
	p.number++
	stamp := mix(p.number)
	if p.off+p.size > len(p.pool) {
		// Not at 0: repeated bytes must not line up with the disk's blocks.
		p.off = 1 + int(stamp%4095)
	}
	record := p.pool[p.off : p.off+p.size : p.off+p.size]
	p.off += p.size
	if len(record) >= 8 {
		binary.LittleEndian.PutUint64(record, stamp)
	}
	return record
}

// mix is the finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection, so
// distinct numbers stay distinct, without the zeros of a small counter.
func mix(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
