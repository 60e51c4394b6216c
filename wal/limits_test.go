package wal

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"runtime"
	"testing"

	"walbench.example/wal/crashfs"
)

// TestLargestRecord appends at the exact limit and one byte above, as a record
// and as batches, in an empty log and behind other records.
func TestLargestRecord(t *testing.T) {
	for _, size := range []int64{MinSegmentSize, MinSegmentSize + 8, 1 << 16} {
		largest := MaxRecord(size)
		o := Options{FS: newDisk(), SegmentSize: size}
		l := mustOpen(t, logDir, o)
		_, err := l.Append(make([]byte, largest+1))
		wantErr(t, err, ErrTooLarge)
		_, err = l.AppendBatch([][]byte{make([]byte, largest-16), {}, {}})
		wantErr(t, err, ErrTooLarge)
		if l.Next() != l.First() {
			t.Error("a refused record was appended in part")
		}
		full := bytes.Repeat([]byte{7}, int(largest))
		want := [][]byte{full, []byte("x"), full, make([]byte, largest-16), {}, full}
		put(t, l, want[0])
		put(t, l, want[1])
		put(t, l, want[2])
		if _, err := l.AppendBatch(want[3:5]); err != nil {
			if err := l.Sync(); err != nil {
				t.Fatal(err)
			}
			if _, err := l.AppendBatch(want[3:5]); err != nil {
				t.Fatalf("the largest batch: %v", err)
			}
		}
		put(t, l, want[5])
		wantRecords(t, l, want)
		mustClose(t, l)
		wantRecords(t, mustOpen(t, logDir, o), want)
	}
	if got := MaxRecord(MaxSegmentSize); got != maxPayload {
		t.Errorf("MaxRecord of the largest segment is %d, want %d", got, maxPayload)
	}
}

// TestRecordEndsAnywhereInSegment ends a record at every distance from its
// segment's end, with and without a clean close, and goes on.
func TestRecordEndsAnywhereInSegment(t *testing.T) {
	for rest := int64(0); rest <= 160; rest++ {
		n := MaxRecord(small) - rest
		for _, clean := range []bool{true, false} {
			d := newDisk()
			g := &ledger{t: t, log: openOn(t, d)}
			g.put(1, int(n)-8)
			if !clean {
				d = d.crash(crashfs.None)
			}
			mustClose(t, g.log)
			g.acked = 1
			g.log = openOn(t, d)
			g.put(1, 0)
			g.put(2, 900)
			g.close()
			if _, err := g.check(openOn(t, d), 3); err != nil {
				t.Fatalf("%d bytes below the limit, clean=%v: %v", rest, clean, err)
			}
		}
	}
}

func TestSegmentsOfOtherSizesStayReadable(t *testing.T) {
	d := newDisk()
	g := &ledger{t: t}
	for i, size := range []int64{4 << 10, 64 << 10, 8 << 10, 4 << 10} {
		l, err := Open(logDir, Options{FS: d, SegmentSize: size})
		if err != nil {
			t.Fatal(err)
		}
		g.log = l
		if _, err := g.check(l, g.acked); err != nil {
			t.Fatal(err)
		}
		for range 12 {
			g.put(1, 300*(i%2+1))
		}
		g.close()
	}
}

func TestBufferIsBounded(t *testing.T) {
	l := mustOpen(t, logDir, Options{FS: newDisk(), SegmentSize: 1 << 20, BufferSize: 1000})
	n := 0
	for ; ; n++ {
		if _, err := l.Append(make([]byte, 100)); err != nil {
			wantErr(t, err, ErrFull)
			break
		}
	}
	if bytes := len(l.filling.data); n == 0 || bytes > 1000 {
		t.Errorf("%d records, %d bytes in a buffer of 1000", n, bytes)
	}
	put(t, l, make([]byte, 5000)) // larger than the buffer: alone
	put(t, l, nil)
}

// TestShortLivesTakeLittleSpace opens a log, appends one record and closes it,
// a thousand times: about the bytes appended are there in the end, and at most
// two segments ahead of use (promise 11).
func TestShortLivesTakeLittleSpace(t *testing.T) {
	const lives, size = 1000, 64 << 10
	d := newDisk()
	before, appended := d.free(), int64(0)
	o := Options{FS: d, SegmentSize: size}
	for i := range lives {
		l := mustOpen(t, logDir, o)
		put(t, l, payload(i, 100))
		appended += frameSize(len(payload(i, 100))) + flushSize + markSize
		mustClose(t, l)
	}
	if taken := before - d.free(); taken > appended+appended/20+2*size {
		t.Errorf("%d bytes appended, %d of the disk taken", appended, taken)
	}
	if lsns, _ := collect(t, mustOpen(t, logDir, o), 0); len(lsns) != lives {
		t.Errorf("%d records, want %d", len(lsns), lives)
	}
}

// The same for lives that end in a crash.
func TestCrashedLivesTakeLittleSpace(t *testing.T) {
	const lives, size = 200, 64 << 10
	d := newDisk()
	o := Options{FS: d, SegmentSize: size}
	for i := range lives {
		l := mustOpen(t, logDir, o)
		put(t, l, payload(i, 100))
		after := d.crash(crashfs.None)
		mustClose(t, l)
		d = after
		o.FS = d
	}
	if taken := math.MaxInt64 - d.free(); taken > lives*512+3*size {
		t.Errorf("%d crashes, %d bytes of the disk taken", lives, taken)
	}
	if lsns, _ := collect(t, mustOpen(t, logDir, o), 0); len(lsns) != lives {
		t.Errorf("%d records, want %d", len(lsns), lives)
	}
}

// forge returns a segment in use that ends in the given bytes.
func forge(number uint32, tail ...[]byte) []byte {
	h := header{version: formatVersion, segment: number}
	b := appendPosition(h.appendTo(nil), kindLink, makeLSN(number, headerSize), 0, h.seed())
	return append(b, bytes.Join(tail, nil)...)
}

// TestHostileLengthsCostLittle opens segments made of nothing but headers that
// claim the rest of the file, valid but for their checksum: Open must end
// soon, and allocate no more than a window (promise 9).
func TestHostileLengthsCostLittle(t *testing.T) {
	const size = 4 << 20
	claim := func(k kind, lsn LSN, n int) []byte {
		b := binary.LittleEndian.AppendUint32(nil, 0xdeadbeef)
		b = binary.LittleEndian.AppendUint32(b, uint32(k)<<lengthBits|uint32(n))
		return binary.LittleEndian.AppendUint64(b, uint64(lsn))
	}
	seg := forge(1)
	for len(seg) < size {
		seg = append(seg, claim(kindRecord, makeLSN(1, int64(len(seg))), size-len(seg)-16)...)
	}
	d := image{segmentName(1): seg}.disk()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	reads := 0
	count := func(n int) { reads += n }
	d.onRead.Store(&count)
	l, err := Open(logDir, Options{FS: d, ReadOnly: true})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if r := l.Recovery(); r.TornBytes == 0 {
		t.Errorf("recovery of garbage: %+v", r)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 8*windowSize {
		t.Errorf("allocated %d bytes", got)
	}
	if reads > 8*size {
		t.Errorf("read %d bytes of a file of %d", reads, size)
	}

	// One length that no file has the bytes for.
	d = image{segmentName(1): forge(1, claim(kindRecord, makeLSN(1, 88), maxPayload))}.disk()
	runtime.ReadMemStats(&before)
	if l, err = Open(logDir, Options{FS: d, ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 2*windowSize || l.Recovery().TornBytes == 0 {
		t.Errorf("allocated %d bytes for a garbage length, recovery %+v", got, l.Recovery())
	}
}

// TestForgedPositionsAreRefused has frames with valid checksums whose contents
// no log writes: an error, never a panic.
func TestForgedPositionsAreRefused(t *testing.T) {
	seed := header{}.seed()
	at := makeLSN(1, headerSize+linkSize)
	for name, tail := range map[string][]byte{
		"a promise above the end":           appendPosition(nil, kindFlush, at, at+1000, seed),
		"a promise above the end, and seal": appendPosition(appendPosition(nil, kindFlush, at, at+1000, seed), kindSeal, at+flushSize, makeLSN(2, 0), seed),
		"a seal of a segment that is not":   appendPosition(nil, kindSeal, at, makeLSN(7, 0), seed),
		"a flush inside a batch":            appendPosition(appendFrame(nil, kindPart, at, nil, payloadSum(seed, nil)), kindFlush, at+16, 0, seed),
	} {
		h := header{version: formatVersion, segment: 2}
		d := image{segmentName(1): forge(1, tail), segmentName(2): h.appendTo(nil)}.disk()
		if l, err := Open(logDir, Options{FS: d}); err == nil {
			t.Errorf("%s: opened, %+v", name, l.Recovery())
			l.Close()
		}
	}
}

// TestSegmentNumbersRunOut opens a log at the last number there is.
func TestSegmentNumbersRunOut(t *testing.T) {
	d := image{segmentName(math.MaxUint32): forge(math.MaxUint32)}.disk()
	if l, err := Open(logDir, Options{FS: d, SegmentSize: small}); err == nil {
		t.Errorf("went on behind the last segment: %+v", l.Recovery())
		l.Close()
	}
}

// TestNewerFormatIsItsOwnError opens a log of version 2: refused by name, and
// untouched.
func TestNewerFormatIsItsOwnError(t *testing.T) {
	_, img := sample(t, true, 1)
	b := img[segmentName(1)]
	binary.LittleEndian.PutUint32(b[8:], 2)
	binary.LittleEndian.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
	d := img.disk()
	for _, ro := range []bool{false, true} {
		_, err := Open(logDir, Options{FS: d, ReadOnly: ro})
		wantErr(t, err, ErrFormat)
		if !sameImage(d.image(), img) {
			t.Error("a log of a newer format was changed")
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{
		{SegmentSize: MinSegmentSize - 8}, {SegmentSize: MaxSegmentSize + 8}, {SegmentSize: MinSegmentSize + 1},
		{SegmentSize: -1}, {BufferSize: -1}, {Sync: SyncMethod(99)},
	} {
		o.FS = newDisk()
		if l, err := Open(logDir, o); err == nil {
			l.Close()
			t.Errorf("accepted: %+v", o)
		}
	}
}
