package tax

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// fakeDisk is a disk of set times on a clock of its own. It keeps what was
// done to it.
type fakeDisk struct {
	clock  time.Duration
	writes time.Duration         // one write into the page cache
	flush  time.Duration         // one barrier, and the rest of a synchronous write
	slow   map[int]time.Duration // extra time of the nth write or barrier, from 1
	fail   map[int]error         // failure of the nth write or barrier, from 1

	ops       int      // writes and barriers so far
	turns     []string // "call file" of each open
	log       []string // "open call file", "write", "barrier", "settle", "close", "removeAll"
	dirty     bool     // the prepared file has bytes that no barrier covered
	trespass  string   // first thing done that must not be
	live      map[string]int64
	peakBytes int64
}

func newFakeDisk(write, flush time.Duration) *fakeDisk {
	return &fakeDisk{writes: write, flush: flush, live: make(map[string]int64)}
}

func (d *fakeDisk) now() time.Duration { return d.clock }

func (d *fakeDisk) step(took time.Duration) error {
	d.ops++
	d.clock += took + d.slow[d.ops]
	return d.fail[d.ops]
}

func (d *fakeDisk) grow(kind string, size int64) {
	d.live[kind] = max(d.live[kind], size)
	d.peakBytes = max(d.peakBytes, d.live[growing]+d.live[prepared])
}

func (d *fakeDisk) prepare(size int64) error {
	d.clock += 50 * time.Millisecond
	d.grow(prepared, size)
	return nil
}

func (d *fakeDisk) open(kind string, m method) (file, error) {
	d.clock += 10 * time.Microsecond
	if kind == prepared && d.dirty {
		d.trespass = m.call + " starts on bytes that another arm left dirty"
	}
	d.turns = append(d.turns, m.call+" "+kind)
	d.log = append(d.log, "open "+m.call+" "+kind)
	if kind == growing {
		d.grow(kind, 0)
	}
	return &fakeFile{d, kind, m}, nil
}

func (d *fakeDisk) close(kind string, _ file) error {
	d.log = append(d.log, "close")
	if kind == growing {
		delete(d.live, kind)
	}
	return nil
}

func (d *fakeDisk) removeAll() error {
	d.log = append(d.log, "removeAll")
	d.live = nil
	return nil
}

type fakeFile struct {
	disk *fakeDisk
	kind string
	method
}

func (f *fakeFile) WriteAt(p []byte, off int64) (int, error) {
	took := f.disk.writes
	if f.flag != 0 {
		took += f.disk.flush
	}
	if err := f.disk.step(took); err != nil {
		return 0, fmt.Errorf("write fake: %w", err)
	}
	f.disk.log = append(f.disk.log, "write")
	if f.kind == prepared && off+int64(len(p)) > f.disk.live[prepared] {
		f.disk.trespass = "write beyond the prepared file"
	}
	f.disk.grow(f.kind, off+int64(len(p)))
	f.disk.dirty = f.disk.dirty || f.kind == prepared && f.flag == 0
	return len(p), nil
}

func (f *fakeFile) barrier() error {
	if err := f.disk.step(f.disk.flush); err != nil {
		return fmt.Errorf("%s fake: %w", f.mode, err)
	}
	f.disk.log = append(f.disk.log, "barrier")
	f.disk.dirty = f.disk.dirty && f.kind != prepared
	return nil
}

func (f *fakeFile) settle() error {
	f.disk.log = append(f.disk.log, "settle")
	f.disk.clock += f.disk.flush
	f.disk.dirty = false
	return nil
}

func (f *fakeFile) Close() error { return nil }

// fakeMethods has a mode of each kind: no sync, a barrier, a flag, none here.
func fakeMethods() []method {
	return []method{
		{mode: "none", call: "none"},
		{mode: "fdatasync", call: "fdatasync", barrier: unreachable},
		{mode: "fsync", call: "fsync", barrier: unreachable},
		{mode: "O_DSYNC", call: "O_DSYNC", flag: 1},
		{mode: "F_FULLFSYNC", na: "not here"},
	}
}

// unreachable stands for a barrier: a fakeFile has its own.
func unreachable(*os.File) error { panic("tax: the real barrier of a fake file") }

// runFake runs config on the disk and checks what must hold of every run.
func runFake(ctx context.Context, t *testing.T, d *fakeDisk, config Config, progress func(Progress)) (Result, error) {
	t.Helper()
	config = config.withDefaults()
	if err := config.validate(); err != nil {
		t.Fatal(err)
	}
	b := &bench{config: config, disk: d, now: d.now, arms: newArms(config, fakeMethods())}
	result, err := b.run(ctx, progress)
	if d.trespass != "" {
		t.Errorf("trespass: %s", d.trespass)
	}
	if d.live != nil {
		t.Error("files were not removed")
	}
	if most := SpaceNeeded(config); d.peakBytes > most {
		t.Errorf("used %d bytes, SpaceNeeded said %d", d.peakBytes, most)
	}
	for _, row := range result.Rows {
		if row.Append == nil && row.NA+row.Error == "" || row.Append != nil && row.NA != "" {
			t.Errorf("%s %s: figures %v, n/a %q, error %q: want figures or a reason", row.Mode, row.File, row.Append, row.NA, row.Error)
		}
	}
	return result, err
}

// find returns the row of mode on a kind of file.
func find(t *testing.T, result Result, mode, file string) Row {
	t.Helper()
	i := slices.IndexFunc(result.Rows, func(row Row) bool { return row.Mode == mode && row.File == file })
	if i < 0 {
		t.Fatalf("no row %s %s", mode, file)
	}
	return result.Rows[i]
}

// turnsOf returns the operations of each turn of call on a kind of file, with
// the try before the first round if there was one.
func (d *fakeDisk) turnsOf(call, kind string) [][]string {
	var turns [][]string
	for i, op := range d.log {
		if op == "open "+call+" "+kind {
			end := i + slices.Index(d.log[i:], "close")
			turns = append(turns, d.log[i+1:end])
		}
	}
	return turns
}
