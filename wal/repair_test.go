package wal

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"walbench.example/wal/crashfs"
)

// patient is a damaged log, and what is known of it whole.
type patient struct {
	ledger
	image image
}

func newPatient(g *ledger, damaged, whole image) *patient {
	p := &patient{*g, damaged}
	if damaged[whole.segments()[0]] == nil {
		p.trimmed = len(g.batches) // a removed front reads as a trim
	}
	return p
}

// repaired repairs the patient on a disk and holds the outcome against what
// Repair promises. It returns how many batches were kept.
func (p *patient) repaired(d *disk) (int, error) {
	damaged := p.image.disk()
	dry, err := Repair(logDir, Options{FS: damaged, SegmentSize: small, ReadOnly: true})
	if err != nil {
		return 0, fmt.Errorf("dry run: %w", err)
	}
	if !maps.EqualFunc(p.image, damaged.image(), bytes.Equal) {
		return 0, errors.New("a dry run changed something")
	}
	r, err := Repair(logDir, Options{FS: d, SegmentSize: small})
	if err != nil {
		return 0, err
	}
	if _, err := p.read(p.image.disk()); (r.Damage != nil) != errors.Is(err, ErrCorrupt) {
		return 0, fmt.Errorf("the damage is %v, reading found %v", r.Damage, err)
	}
	if len(r.Aside) != r.Dropped.Segments {
		return 0, fmt.Errorf("%d files aside, %d dropped", len(r.Aside), r.Dropped.Segments)
	}
	again, err := Repair(logDir, Options{FS: d, SegmentSize: small})
	if err != nil || again.Damage != nil || again.Kept.Records != r.Kept.Records {
		return 0, fmt.Errorf("a second repair: %+v, %v; the first: %+v", again, err, r)
	}
	if !reflect.DeepEqual(dry, r) {
		return 0, fmt.Errorf("the dry run said %+v, then it was %+v", dry, r)
	}
	if r.Damage == nil {
		return p.read(d)
	}
	held, err := p.sound(d)
	if err == nil && p.trimmed == 0 && p.records(held) != r.Kept.Records {
		err = fmt.Errorf("%d records are there, %d said", p.records(held), r.Kept.Records)
	}
	return held, err
}

func (p *patient) records(batches int) (n int64) {
	for _, b := range p.batches[:batches] {
		n += int64(len(b.recs))
	}
	return n
}

func (p *patient) read(d *disk) (int, error) {
	l, err := Open(logDir, Options{FS: d, ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return p.check(l, 0)
}

// sound opens a log that has been repaired, as a power cut leaves it, and wants
// whole batches from the first on, every byte of what was dropped under some
// name, and new LSNs above all old ones.
func (p *patient) sound(d *disk) (int, error) {
	d = d.crash(crashfs.None)
	l, err := openStill(d)
	if err != nil {
		return 0, err
	}
	defer l.Close()
	held, err := p.check(l, 0)
	if err != nil {
		return 0, err
	}
	if err := p.preserved(d.image()); err != nil {
		return 0, err
	}
	if held < len(p.batches) {
		lsn, err := l.Append([]byte("new"))
		for errors.Is(err, ErrFull) {
			if err = l.Sync(); err == nil {
				lsn, err = l.Append([]byte("new"))
			}
		}
		if last := p.batches[len(p.batches)-1].lsn; err != nil || lsn <= last {
			return 0, fmt.Errorf("the next record is %v, the last one dropped was %v (%v)", lsn, last, err)
		}
	}
	return held, l.Close()
}

// preserved holds that each segment of the damaged log that holds anything is
// there byte for byte, under its name or beside it. The newest of a log that
// was not damaged is written to when it is opened.
func (p *patient) preserved(img image) error {
	for _, name := range p.image.segments() {
		data := p.image[name]
		if h, err := decodeHeader(data[:min(headerSize, len(data))]); err == nil && lastUsed(data) <= headerSize && segmentName(h.segment) == name {
			continue // prepared
		}
		found := false
		for n, other := range img {
			found = found || strings.HasPrefix(n, name) && !strings.HasSuffix(n, partSuffix) && bytes.HasPrefix(other, data[:lastUsed(data)])
		}
		if !found {
			return fmt.Errorf("the bytes of %s are gone", name)
		}
	}
	return nil
}

// damages are the ways in which the logs of sample are damaged, by name.
func damages(t *testing.T, img image) map[string]image {
	t.Helper()
	_, foreign := sample(t, true, 4)
	for name, data := range foreign { // of another log, with the same numbers
		h, err := decodeHeader(data[:min(headerSize, len(data))])
		if err == nil {
			h.id[5] = 99
			foreign[name] = append(h.appendTo(nil), data[headerSize:]...)
		}
	}
	all := map[string]image{"all gone but one": {}}
	edit := func(what, name string, change func([]byte) []byte) {
		all[what+" "+name] = img.with(name, change(bytes.Clone(img[name])))
	}
	names := img.segments()
	for i, name := range names {
		used := lastUsed(img[name])
		for at := 0; at < used; at += 97 {
			edit(fmt.Sprintf("flip %d of", at), name, func(b []byte) []byte { b[at] ^= 4; return b })
		}
		for _, at := range []int{0, 20, headerSize, headerSize + 20, used / 2, used - 1} {
			edit(fmt.Sprintf("cut to %d", at), name, func(b []byte) []byte { return b[:at] })
			edit(fmt.Sprintf("zeros from %d in", at), name, func(b []byte) []byte { clear(b[at:min(at+crashfs.SectorSize, len(b))]); return b })
		}
		edit("junk for", name, func([]byte) []byte { return bytes.Repeat([]byte{3}, 300) })
		edit("foreign for", name, func([]byte) []byte { return foreign[name] })
		all["without "+name] = img.without(name)
		all["renamed "+name] = img.without(name).with("00000777.wal", img[name])
		all["copied "+name] = img.with("00000777.wal", img[name])
		all["foreign beside "+name] = img.with("00000777.wal", foreign[name])
		all["copied over its successor "+name] = img.with(names[min(i+1, len(names)-1)], img[name])
		for _, other := range names[i+1:] {
			both := img.with(name, bytes.Clone(img[name])).with(other, bytes.Clone(img[other]))
			both[name][used/2] ^= 1
			both[other][20] ^= 1
			all["half of "+name+" and the header of "+other] = both
			all["without "+name+" and "+other] = img.without(name).without(other)
		}
	}
	all["all gone but one"] = img.without(names[0]).without(names[1])
	return all
}

// TestRepairKeepsAllBeforeTheDamage damages logs in many ways. What Open and a
// reader call corrupt Repair makes whole, with every batch that is whole
// before the damage, and every byte of what it drops set aside; what they do
// not it leaves alone. A dry run says the same and changes nothing, and a
// second repair has nothing to do.
// https://github.com/prometheus/prometheus/issues/16074
func TestRepairKeepsAllBeforeTheDamage(t *testing.T) {
	everyVictim(t, func(t *testing.T, v *victim) {
		for what, img := range damages(t, v.image) {
			p := newPatient(v.ledger, img, v.image)
			if _, err := p.read(img.disk()); err != nil && !errors.Is(err, ErrCorrupt) {
				continue
			}
			d := img.disk()
			held, err := p.repaired(d)
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			if err := p.goOn(d, held); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}

// A payload byte in the middle of the middle segment costs the records from
// there on, and not one before it; all three numbers are said, and the places.
// https://github.com/hyperledger-labs/SmartBFT/issues/101
func TestRepairSaysWhatWentWhere(t *testing.T) {
	g, img := sample(t, true, 4)
	names := img.segments()
	middle := names[1]
	number, _ := parseSegmentName(middle)
	at := slices.IndexFunc(g.batches, func(b batch) bool { return b.lsn.Segment() == number }) + 1
	if len(g.batches[at].recs) > 1 {
		t.Fatal("the sample has a batch where a record was expected")
	}
	for _, place := range []int64{frameHeader, 5, 6} { // payload, length, length beyond the file
		damaged := img.with(middle, bytes.Clone(img[middle]))
		damaged[middle][g.batches[at].lsn.Offset()+place] ^= 8
		p := newPatient(g, damaged, img)
		d := damaged.disk()
		r, err := Repair(logDir, Options{FS: d, SegmentSize: small})
		if err != nil {
			t.Fatal(err)
		}
		if r.Damage == nil || r.Damage.LSN != g.batches[at].lsn || r.Damage.Kind != Damaged || r.Kept.Records != p.records(at) {
			t.Errorf("%+v, want damage at %v and %d records kept", r, g.batches[at].lsn, p.records(at))
		}
		if all := p.records(len(g.batches)); r.Dropped.Records != all-p.records(at)-1 {
			t.Errorf("%d records dropped, want the %d readable ones of %d", r.Dropped.Records, all-p.records(at)-1, all)
		}
		var moved []string
		after := d.image()
		for _, a := range r.Aside {
			moved = append(moved, a.Name)
			if !bytes.Equal(after[a.To], damaged[a.Name]) || a.Size != int64(len(damaged[a.Name])) {
				t.Errorf("%+v is not what %s was", a, a.Name)
			}
			if a.Copy != (a.Name == middle) || a.To != a.Name+".damaged-1" {
				t.Errorf("%+v", a)
			}
		}
		if want := names[1:]; !slices.Equal(moved, want[:len(moved)]) || len(moved) < 2 {
			t.Errorf("set aside %v, want those from %s on", moved, middle)
		}
	}
}

// A crash before any call that a repair makes, whatever it keeps of what was
// not synced, leaves a log that is damaged as before or repaired. Repaired
// again, or just opened, it loses no byte and gives no LSN again.
func TestCrashDuringRepairLosesNothing(t *testing.T) {
	g, img := sample(t, true, 4)
	all := damages(t, img)
	for i, what := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(what, "flip") && i%8 > 0 || i%2 > 0 {
			continue // they differ little from others
		}
		damaged := all[what]
		p := newPatient(g, damaged, img)
		if _, err := p.read(damaged.disk()); !errors.Is(err, ErrCorrupt) {
			continue
		}
		calm := damaged.disk()
		want, err := p.repaired(calm)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		d := damaged.disk()
		calls := 0
		d.setHook(func(c call) error {
			calls++
			for i, keep := range []func() bool{crashfs.None, crashfs.All, crashfs.Seed(uint64(calls)), crashfs.Seed(uint64(calls + 1000))} {
				cut := d.crash(keep)
				if err := p.crashed(cut, cut.crash(crashfs.All), want); err != nil {
					t.Errorf("%s: crash %d before call %d, %v: %v", what, i, calls, c, err)
				}
			}
			return nil
		})
		if _, err := Repair(logDir, Options{FS: d, SegmentSize: small}); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if calls == 0 {
			t.Fatalf("%s: a repair without a call", what)
		}
	}
}

// crashed repairs one disk and opens another, in the same state.
func (p *patient) crashed(d, other *disk, want int) error {
	if _, err := Repair(logDir, Options{FS: d, SegmentSize: small}); err != nil {
		return fmt.Errorf("repair: %w", err)
	}
	if held, err := p.sound(d); err != nil || held != want {
		return fmt.Errorf("repaired: %d batches, want %d: %w", held, want, err)
	}
	l, err := openStill(other)
	if errors.Is(err, ErrCorrupt) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	held, err := p.check(l, 0)
	l.Close()
	if errors.Is(err, ErrCorrupt) {
		return nil
	}
	if err != nil || held != want {
		return fmt.Errorf("opened: %d batches, want %d: %w", held, want, err)
	}
	return p.preserved(other.image())
}

// A failed call ends a repair with an error, and another one still succeeds.
func TestFailedRepairIsDoneAgain(t *testing.T) {
	g, img := sample(t, true, 4)
	name := img.segments()[1]
	damaged := img.with(name, bytes.Clone(img[name]))
	damaged[name][300] ^= 1
	p := newPatient(g, damaged, img)
	for fail := 1; ; fail++ {
		d, n := damaged.disk(), 0
		d.setHook(func(c call) error {
			if n++; n == fail && c.verb != "reserve" {
				return fmt.Errorf("call %d: %w", n, errBroken)
			}
			return nil
		})
		_, err := Repair(logDir, Options{FS: d, SegmentSize: small})
		d.setHook(nil)
		if n < fail {
			break
		}
		if err != nil && !errors.Is(err, errBroken) {
			t.Fatalf("call %d failed: %v", fail, err)
		}
		if _, err := Repair(logDir, Options{FS: d, SegmentSize: small}); err != nil {
			t.Fatalf("after call %d failed: %v", fail, err)
		}
		mustClose(t, mustOpenStill(t, d)) // whose sync makes good a failed one of the directory
		if _, err := p.sound(d); err != nil {
			t.Errorf("after call %d failed: %v", fail, err)
		}
	}
}

var errBroken = errors.New("broken")

// Repair leaves alone what is not damaged, what it does not know, and what
// somebody else has open.
func TestRepairIsRefused(t *testing.T) {
	_, img := sample(t, true, 4)
	first := img.segments()[0]
	newer := img.with(first, append(header{version: 2, segment: 1, id: [16]byte{1: 7}}.appendTo(nil), img[first][headerSize:]...))
	newer[img.segments()[1]] = []byte("and damage")
	for what, c := range map[string]struct {
		image image
		want  error
	}{
		"newer format": {newer, ErrFormat},
		"clean":        {img, nil},
	} {
		d := c.image.disk()
		d.setHook(func(c call) error { t.Errorf("%s: %v", what, c); return nil })
		r, err := Repair(logDir, Options{FS: d, SegmentSize: small})
		wantErr(t, err, c.want)
		if r.Damage != nil || r.Aside != nil {
			t.Errorf("%s: %+v", what, r)
		}
	}
	empty := newDisk()
	if _, err := Repair(logDir, Options{FS: empty}); err == nil || len(empty.image()) > 0 {
		t.Errorf("repair of nothing: %v, made %v", err, empty.image())
	}

	d := img.disk()
	l := openOn(t, d)
	f, err := d.OpenReadWrite(logDir + "/" + first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{1}, headerSize+linkSize+30); err != nil {
		t.Fatal(err)
	}
	_, err = Repair(logDir, Options{FS: d, SegmentSize: small})
	wantErr(t, err, ErrLocked)
	mustClose(t, l)
}

// Without a number left there is no segment in which the log could go on.
func TestRepairKeepsNumbersApart(t *testing.T) {
	_, img := sample(t, true, 4)
	d := img.without(img.segments()[1]).with(segmentName(math.MaxUint32), []byte("junk")).disk()
	before := d.image()
	if _, err := Repair(logDir, Options{FS: d, SegmentSize: small}); err == nil || !strings.Contains(err.Error(), "no segment number is left") {
		t.Errorf("got error %v", err)
	}
	if !sameImage(before, d.image()) {
		t.Error("and the log was changed")
	}
}
