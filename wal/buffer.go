package wal

// buffer gathers what one flush writes: frames in LSN order that end the
// active segment's written part or, once, cross into its successor.
type buffer struct {
	data []byte

	// data[:split] belongs to segment from at offset fromOff and is the end of
	// it, seal included; data[split:] to segment to at toOff. Without a
	// crossing split is 0 and from is nil.
	split   int
	from    *segment
	fromOff int64
	to      *segment
	toOff   int64

	opened  bool // data starts with a flush frame, whose promise is filled in at the cut
	records int
	bytes   int64 // of payload
	marked  bool  // data ends in a mark
}

// keepCapacity bounds what an idle buffer holds on to, as a multiple of the
// configured size.
const keepCapacity = 2

func (b *buffer) empty() bool { return len(b.data) == 0 }

// reset empties the buffer, to be filled from offset off of segment s.
func (b *buffer) reset(s *segment, off, limit int64) {
	data := b.data[:0]
	if int64(cap(data)) > keepCapacity*limit {
		data = nil
	}
	*b = buffer{data: data, to: s, toOff: off}
}

// end is the offset in segment to behind the buffer's last frame.
func (b *buffer) end() int64 { return b.toOff + int64(len(b.data)-b.split) }

// next is the LSN that the next frame put into the buffer gets.
func (b *buffer) next() LSN { return b.to.lsn(b.end()) }

// begin opens the buffer's flush. What its frame promises is known at the cut
// only.
func (b *buffer) begin(seed uint32) {
	b.opened = true
	b.data = appendPosition(b.data, kindFlush, b.next(), 0, seed)
}

// promise fills in what the flush frame promises. A buffer that starts with a
// seal and a link has none: the link promises as much.
func (b *buffer) promise(durable LSN, seed uint32) {
	if !b.opened {
		return
	}
	lsn := b.to.lsn(b.toOff)
	if b.from != nil {
		lsn = b.from.lsn(b.fromOff)
	}
	appendPosition(b.data[:0], kindFlush, lsn, durable, seed)
}

// add puts records in as one batch and returns the LSN of the last.
func (b *buffer) add(recs [][]byte, sums []uint32) LSN {
	var lsn LSN
	for i, rec := range recs {
		k := kindPart
		if i == len(recs)-1 {
			k = kindRecord
		}
		lsn = b.next()
		b.data = appendFrame(b.data, k, lsn, rec, sums[i])
		b.bytes += int64(len(rec))
	}
	b.records += len(recs)
	b.marked = false
	return lsn
}

// cross seals the buffer's segment and goes on in its successor, which must
// have its name durable. It can be done once a buffer.
func (b *buffer) cross(next *segment, seed uint32) {
	end := b.next()
	b.data = appendPosition(b.data, kindSeal, end, makeLSN(next.number, 0), seed)
	b.from, b.fromOff, b.split = b.to, b.toOff, len(b.data)
	b.to, b.toOff = next, headerSize
	b.data = appendPosition(b.data, kindLink, b.next(), end, seed)
}

// mark promises everything before it. Its caller answers for that being
// durable when the mark is written.
func (b *buffer) mark(seed uint32) {
	b.data = appendFrame(b.data, kindMark, b.next(), nil, payloadSum(seed, nil))
	b.marked = true
}
