package load

import "encoding/binary"

// payload yields one writer's records: random bytes, so that a compressing
// disk gets no gift, and no two records alike. A record is valid until the
// next. It costs about a nanosecond for each 8 bytes.
type payload struct {
	buf   []byte
	state uint64
}

// A writer's numbers start far from those of every other.
const writerStride = 1 << 40

func newPayload(size, writer int) *payload {
	return &payload{buf: make([]byte, size), state: uint64(writer+1) * writerStride}
}

func (p *payload) next() []byte {
	b := p.buf
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, p.draw())
	}
	for x := p.draw(); len(b) > 0; b = b[1:] {
		b[0] = byte(x)
		x >>= 8
	}
	return p.buf
}

// draw is splitmix64 (Steele, Lea, Flood 2014): a different number for each
// state.
func (p *payload) draw() uint64 {
	p.state++
	x := p.state * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
