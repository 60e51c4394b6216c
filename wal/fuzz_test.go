package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"walbench.example/wal/crashfs"
)

// FuzzDecodeFrame decodes bytes as they are, and once more with a checksum
// that fits: what is decoded must encode to the same bytes, padding apart,
// and lie within them.
func FuzzDecodeFrame(f *testing.F) {
	for _, k := range []kind{0, kindRecord, kindPart, kindFlush, kindLink, kindSeal, kindMark, 7} {
		f.Add(appendFrame(nil, k, 1<<32|64, []byte("12345678"), payloadSum(9, []byte("12345678"))), uint64(1<<32|64), uint32(9))
		f.Add(appendFrame(nil, k, 1<<32|64, nil, payloadSum(9, nil)), uint64(1<<32|64), uint32(9))
	}
	f.Fuzz(func(t *testing.T, b []byte, lsn uint64, seed uint32) {
		for range 2 {
			if fr, ok := decodeFrame(b, LSN(lsn), seed); ok {
				size := int(fr.size())
				if fr.kind < kindRecord || fr.kind > kindMark {
					t.Fatalf("a frame of kind %d", fr.kind)
				}
				if size > len(b) || size%frameAlign != 0 || len(fr.payload) > size-frameHeader || fr.lsn != LSN(lsn) {
					t.Fatalf("frame %+v of %d bytes out of %d", fr, size, len(b))
				}
				again := appendFrame(nil, fr.kind, fr.lsn, fr.payload, payloadSum(seed, fr.payload))
				if n := frameHeader + len(fr.payload); len(again) != size || !bytes.Equal(again[:n], b[:n]) {
					t.Fatalf("% x decodes and encodes to % x", b[:size], again)
				}
			}
			mendFrame(b, seed)
		}
	})
}

// mendFrame gives the frame at the start of b, if its length fits, the
// checksum that makes it valid, and returns its size.
func mendFrame(b []byte, seed uint32) int {
	if len(b) < frameHeader {
		return len(b)
	}
	n := int(binary.LittleEndian.Uint32(b[4:]) & maxPayload)
	if n > len(b)-frameHeader {
		return len(b)
	}
	sum := crc32.Update(payloadSum(seed, b[frameHeader:frameHeader+n]), castagnoli, b[4:frameHeader])
	binary.LittleEndian.PutUint32(b, sum)
	return int(frameSize(n))
}

// FuzzDecodeHeader is FuzzDecodeFrame for headers. Versions and flags that are
// not known must not read as version 1.
func FuzzDecodeHeader(f *testing.F) {
	f.Add(header{version: 1, id: [16]byte{1, 2, 3}, segment: 7}.appendTo(nil))
	f.Add(header{version: 1, flags: flagRecycled, segment: 1 << 31}.appendTo(nil))
	f.Add(header{version: 2, segment: 1}.appendTo(nil))
	f.Add(make([]byte, headerSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		for range 2 {
			h, err := decodeHeader(b)
			switch {
			case err == nil:
				again := h.appendTo(nil)
				if h.version != formatVersion || !bytes.Equal(again[:36], b[:36]) {
					t.Fatalf("% x decodes and encodes to % x", b, again)
				}
			case !errors.Is(err, errHeader) && !errors.Is(err, ErrFormat):
				t.Fatalf("an error of no kind: %v", err)
			}
			mendHeader(b)
		}
	})
}

func mendHeader(b []byte) {
	if len(b) >= headerSize {
		copy(b, magic[:])
		binary.LittleEndian.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
	}
}

// FuzzOpen opens a directory of any contents, once as they are and once with
// checksums that fit. Open may refuse; a read-only open must change nothing;
// and a log that opens must take a record, close, and give back all it showed.
func FuzzOpen(f *testing.F) {
	for _, clean := range []bool{true, false} {
		_, img := sample(f, clean, 2)
		f.Add(packImage(img), false)
		f.Add(packImage(img), true)
	}
	f.Add([]byte{1, 0, 0}, false)
	f.Fuzz(func(t *testing.T, b []byte, mend bool) {
		img := unpackImage(b)
		if mend {
			for name := range img {
				mendSegment(img[name])
			}
		}
		d := img.disk()
		if l, err := Open(logDir, Options{FS: d, ReadOnly: true}); err == nil {
			drain(l)
			l.Close()
		}
		if !sameImage(d.image(), img) {
			t.Fatal("a read-only open changed the log")
		}
		l, err := openStill(d)
		if err != nil {
			if errors.Is(err, ErrCorrupt) && !sameImage(d.image(), img) {
				t.Fatalf("Open changed a corrupt log (%v)", err)
			}
			return
		}
		before, damage := drain(l)
		_, err = l.Append([]byte("more"))
		for errors.Is(err, ErrFull) {
			if err = l.Sync(); err == nil {
				_, err = l.Append([]byte("more"))
			}
		}
		if err := errors.Join(err, l.Close()); err != nil {
			if number := l.prepare.last; number == ^uint32(0) {
				return // no segment number left
			}
			t.Fatalf("a log that opened does not go on: %v", err)
		}
		if l, err = openStill(d); err != nil {
			t.Fatalf("a log that was closed does not open: %v", err)
		}
		defer l.Close()
		after, again := drain(l)
		if damage == nil && again == nil && (len(after) != len(before)+1 || string(after[len(before)]) != "more") || again != nil && damage == nil {
			t.Fatalf("%d records and one more became %d (%v, %v)", len(before), len(after), damage, again)
		}
		for i := range min(len(before), len(after)) {
			if !bytes.Equal(before[i], after[i]) {
				t.Fatalf("record %d went from %q to %q", i, before[i], after[i])
			}
		}
	})
}

// drain reads a log up to its end, or to the damage that stops it.
func drain(l *Log) (recs [][]byte, damage error) {
	for r, err := range l.Records(0) {
		if err != nil {
			return recs, err
		}
		recs = append(recs, bytes.Clone(r.Data))
	}
	return recs, nil
}

// fuzzNames are the files of a packed image: the number of the name, the
// length in two bytes, the contents.
var fuzzNames = [...]string{"00000001.wal", "00000002.wal", "00000003.wal", "00000004.wal", "ffffffff.wal", nextName, spareName, "other"}

func packImage(img image) (b []byte) {
	for i, name := range fuzzNames {
		if data, ok := img[name]; ok {
			b = append(b, byte(i))
			b = binary.LittleEndian.AppendUint16(b, uint16(len(data)))
			b = append(b, data...)
		}
	}
	return b
}

func unpackImage(b []byte) image {
	img := image{}
	for len(b) >= 3 {
		name, n := fuzzNames[int(b[0])%len(fuzzNames)], int(binary.LittleEndian.Uint16(b[1:]))
		b = b[3:]
		n = min(n, len(b))
		img[name], b = bytes.Clone(b[:n]), b[n:]
	}
	return img
}

// mendSegment makes the header and each frame behind it valid.
func mendSegment(b []byte) {
	mendHeader(b)
	h, err := decodeHeader(b)
	if err != nil {
		return
	}
	for off := headerSize; off < len(b); {
		off += mendFrame(b[off:], h.seed())
	}
}

// FuzzRoundTrip appends what the bytes say, batch by batch, with syncs, closes
// and crashes between, and reads it back.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("\x01\x10\x02\x00\x03\xff\x00\x00\x05\x80\x04\x7f"))
	f.Add(bytes.Repeat([]byte{0x01, 0xf0, 0x02, 0x00}, 20))
	f.Add(bytes.Repeat([]byte{0x03, 0x00}, 60))
	f.Add(bytes.Repeat([]byte{0x0b, 0xff, 0x05, 0x00}, 12))
	f.Fuzz(func(t *testing.T, ops []byte) {
		d := newDisk()
		g := &ledger{t: t, log: mustOpenStill(t, d)}
		for ops = ops[:min(len(ops), 400)]; len(ops) >= 2; ops = ops[2:] {
			op, n := ops[0], int(ops[1])
			if err := g.append(1+int(op>>3)%4, 3*n); err != nil {
				t.Fatal(err)
			}
			switch op % 8 {
			case 1, 2:
				g.put(1, n)
			case 3:
				settle(g.log)
			case 4:
				g.close()
				g.log = mustOpenStill(t, d)
			case 5:
				if err := g.sync(); err != nil {
					t.Fatal(err)
				}
				after := d.crash(crashfs.Seed(uint64(n)))
				mustClose(t, g.log)
				d = after
				g.log = mustOpenStill(t, d)
			}
			if _, err := g.check(g.log, g.acked); err != nil {
				t.Fatal(err)
			}
		}
		g.close()
		if held, err := g.check(mustOpenStill(t, d), g.acked); err != nil || held != len(g.batches) {
			t.Fatalf("%d of %d batches are there: %v", held, len(g.batches), err)
		}
	})
}
