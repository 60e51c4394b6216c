package wal

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// lastNames returns the names of the segment that the log of an image ends in
// and of the one that comes next, which is not there.
func lastNames(img image) (newest, next string) {
	newest = slices.Max(img.segments())
	number, _ := parseSegmentName(newest)
	return newest, segmentName(number + 1)
}

// unsealed is a log of three segments as a crash leaves it, with nothing
// prepared: the newest segment is in use and not sealed.
func unsealed(t *testing.T) (*ledger, image) {
	t.Helper()
	d := newDisk()
	g := &ledger{t: t, log: mustOpenStill(t, d)}
	for g.log.Next().Segment() < 3 {
		g.put(1, 400)
	}
	g.put(2, 30)
	img := d.image()
	mustClose(t, g.log)
	return g, img
}

// opensWhole opens an image that must hold the whole ledger, with so many torn
// bytes, wants the file that is dead to be gone and the second open to find
// nothing, and proves that the log goes on above it.
func opensWhole(t *testing.T, g *ledger, img image, dead string, torn int64) {
	t.Helper()
	d := img.disk()
	l := openOn(t, d)
	r := l.Recovery()
	if r.TornBytes != torn || torn > 0 && r.TornSegment != dead || !slices.Contains(r.Dead, dead) {
		t.Errorf("recovery %+v, want %d torn bytes, and %s dead", r, torn, dead)
	}
	if _, err := g.check(l, len(g.batches)); err != nil {
		t.Error(err)
	}
	number, _ := parseSegmentName(dead)
	if lsn := put(t, l, []byte("the next one")); lsn.Segment() == number {
		t.Errorf("the next record is %v, in the number that was taken", lsn)
	}
	mustClose(t, l)
	if slices.Contains(d.image().segments(), dead) {
		t.Errorf("%s is still there", dead)
	}
	l = openOn(t, d)
	if r := l.Recovery(); r.TornBytes != 0 || !r.Clean {
		t.Errorf("the second open found %+v", r)
	}
	mustClose(t, l)
	if err := g.goOn(img.disk(), len(g.batches)); err != nil {
		t.Error(err)
	}
}

// A newest file that a crash left empty or with half a header is a segment
// that was just made: the log is whole without it.
// https://github.com/wiredtiger/wiredtiger/issues/1717
// https://github.com/grafana/tempo/issues/1603
func TestNewestSegmentWithoutAHeaderIsDead(t *testing.T) {
	g, img := unsealed(t)
	_, next := lastNames(img)
	opensWhole(t, g, img.with(next, nil), next, 0)
	opensWhole(t, g, img.with(next, make([]byte, small)), next, 0)
	half := header{version: formatVersion, segment: 4, id: [16]byte{1: 7}}.appendTo(nil)[:headerSize/2]
	opensWhole(t, g, img.with(next, half), next, int64(lastUsed(half)))
}

// Junk in the newest file is reported and goes. The good segments before it
// are the log.
// https://github.com/tidwall/wal/pull/22
// https://github.com/facebook/rocksdb/issues/7784
func TestNewestSegmentOfJunkIsDead(t *testing.T) {
	g, img := unsealed(t)
	_, next := lastNames(img)
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 20, 63, 64, 65, 1000, 2 * small} {
		junk := make([]byte, n)
		for i := range junk {
			junk[i] = byte(1 + r.IntN(255))
		}
		opensWhole(t, g, img.with(next, junk), next, int64(n))
	}
}

// Two files behind the good ones, the first torn in its first record and the
// second empty, are no loop of failed starts.
// https://github.com/vesoft-inc/nebula/pull/1194
func TestTornSegmentBelowAnEmptyOneIsTorn(t *testing.T) {
	g, img := unsealed(t)
	newest, next := lastNames(img)
	var first LSN // of the newest segment
	held := 0
	for i, b := range g.batches {
		if number, _ := parseSegmentName(newest); b.lsn.Segment() == number {
			first, held = b.lsn, i
			break
		}
	}
	for _, keep := range []int64{first.Offset() + frameHeader + 3, headerSize + linkSize, headerSize + 5, headerSize} {
		torn := img.with(newest, img[newest][:keep]).with(next, nil)
		l := openOn(t, torn.disk())
		if n, err := g.check(l, held); err != nil || n != held {
			t.Errorf("cut to %d: %d batches, want %d: %v", keep, n, held, err)
		}
		if r := l.Recovery(); keep > headerSize && keep != headerSize+linkSize && r.TornBytes == 0 {
			t.Errorf("cut to %d: nothing reported: %+v", keep, r)
		}
		after := *g
		after.acked = held
		if err := after.goOn(torn.disk(), held); err != nil {
			t.Errorf("cut to %d: %v", keep, err)
		}
	}
}

// A damaged header with intact records behind it is corruption: a header is
// synced before the first record may follow it.
// https://github.com/tikv/raft-engine/pull/219
func TestDamagedHeaderBeforeRecordsIsCorrupt(t *testing.T) {
	_, img := unsealed(t)
	newest, _ := lastNames(img)
	below, _ := parseSegmentName(newest)
	sealed := segmentName(below - 1)
	for name, damage := range map[string]func(image){
		"a bit":        func(i image) { i[newest][20] ^= 1 },
		"zeros":        func(i image) { clear(i[newest][:headerSize]) },
		"and its link": func(i image) { clear(i[newest][:headerSize+linkSize]) },
		"and the seal": func(i image) { i[newest][20] ^= 1; clear(i[sealed][lastUsed(i[sealed])-20:]) },
		"all but a record": func(i image) { // which promises nothing
			first := int64(headerSize + linkSize)
			size, _ := frameLength(i[newest][first:], makeLSN(below, first))
			clear(i[newest][:first])
			clear(i[newest][first+size:])
			clear(i[sealed][lastUsed(i[sealed])-20:])
		},
	} {
		damaged := img.with(newest, bytes.Clone(img[newest])).with(sealed, bytes.Clone(img[sealed]))
		damage(damaged)
		d := damaged.disk()
		l, err := Open(logDir, Options{FS: d, SegmentSize: small})
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: got error %v, want %v", name, err, ErrCorrupt)
		}
		if err == nil {
			l.Close()
		}
		if !sameImage(damaged, d.image()) {
			t.Errorf("%s: Open changed a corrupt log", name)
		}
	}
}

// A seal that names a segment proves that it had its header: one that has none
// by now is damaged, and so is an empty one.
func TestSealedSuccessorWithoutAHeaderIsCorrupt(t *testing.T) {
	_, img := unsealed(t)
	newest, _ := lastNames(img)
	for _, rest := range [][]byte{nil, img[newest][:headerSize/2], []byte("junk"), make([]byte, small)} {
		_, err := Open(logDir, Options{FS: img.with(newest, rest).disk()})
		wantErr(t, err, ErrCorrupt)
	}
}

// A newest file of a newer format is no junk, wherever its segment stands.
// https://github.com/txpipe/dolos/pull/984
func TestNewerFormatIsNoJunk(t *testing.T) {
	_, img := unsealed(t)
	newest, next := lastNames(img)
	for _, version := range []uint32{0, 2, 0xff} {
		h := header{version: version, segment: 4, id: [16]byte{1: 7}}.appendTo(nil)
		for _, name := range []string{img.segments()[0], newest, next} {
			d := img.with(name, append(h, img[name][min(headerSize, len(img[name])):]...)).disk()
			before := d.image()
			_, err := Open(logDir, Options{FS: d})
			if !errors.Is(err, ErrFormat) || errors.Is(err, ErrCorrupt) {
				t.Errorf("version %d in %s: got error %v, want %v", version, name, err, ErrFormat)
			}
			if !sameImage(before, d.image()) {
				t.Errorf("version %d in %s: Open changed the log", version, name)
			}
		}
	}
}
