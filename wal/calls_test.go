package wal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"walbench.example/wal/crashfs"
)

// TestCalls runs short lives of a log and compares each call that changes the
// disk, in order, with testdata/calls.golden: read that file to see which sync
// happens when. go test -run TestCalls -update writes it anew.
func TestCalls(t *testing.T) {
	var got strings.Builder
	for _, s := range scripts {
		fmt.Fprintf(&got, "# %s\n", s.title)
		s.run(&recorder{t: t, out: &got, disk: newDisk()})
		got.WriteByte('\n')
	}
	golden := filepath.Join("testdata", "calls.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got.String(), "\n"), strings.Split(strings.ReplaceAll(string(want), "\r\n", "\n"), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
			t.Fatalf("%s, line %d: the log did\n%s\nand not as the golden file says. If that is right: -update", golden, i+1, strings.Join(gotLines[max(0, i-3):min(len(gotLines), i+3)], "\n"))
		}
	}
}

// recorder writes down what is done to a log and what the log then does to the
// disk. Its preparer works only when told.
type recorder struct {
	t    testing.TB
	out  *strings.Builder
	disk *disk
	log  *Log
}

func (r *recorder) note(c call) error {
	switch c.verb {
	case "write":
		fmt.Fprintf(r.out, "  write %s %d+%d\n", c.name, c.off, len(c.data))
	case "reserve", "truncate":
		fmt.Fprintf(r.out, "  %s %s %d\n", c.verb, c.name, c.off)
	case "rename":
		fmt.Fprintf(r.out, "  rename %s %s\n", c.name, c.to)
	default:
		name := map[string]string{".": "dir", "..": "parent"}[c.name]
		if name == "" {
			name = c.name
		}
		fmt.Fprintf(r.out, "  %s %s\n", c.verb, name)
	}
	return nil
}

// do notes a step and its calls.
func (r *recorder) do(step string, f func() error) {
	r.t.Helper()
	fmt.Fprintf(r.out, "%s\n", step)
	r.disk.setHook(r.note)
	err := f()
	r.disk.setHook(nil)
	if err != nil {
		fmt.Fprintf(r.out, "  error: %v\n", err)
	}
}

func (r *recorder) open() {
	r.t.Helper()
	r.log = nil
	r.do("open", func() (err error) {
		r.log, err = openStill(r.disk)
		return err
	})
	if r.log == nil {
		r.t.Fatalf("open failed: %s", r.out)
	}
	rec := r.log.Recovery()
	fmt.Fprintf(r.out, "  = clean %v, torn %d, end %v\n", rec.Clean, rec.TornBytes, rec.End)
}

func (r *recorder) append(n int) {
	r.t.Helper()
	r.do(fmt.Sprintf("append %d bytes", n), func() error {
		_, err := r.log.Append(make([]byte, n))
		return err
	})
}

func (r *recorder) sync()    { r.t.Helper(); r.do("sync", r.log.Sync) }
func (r *recorder) close()   { r.t.Helper(); r.do("close", r.log.Close) }
func (r *recorder) prepare() { r.do("prepare", func() error { settle(r.log); return nil }) }

// quietly does what needs no reading.
func (r *recorder) quietly(f func() error) {
	r.t.Helper()
	if err := f(); err != nil {
		r.t.Fatal(err)
	}
}

var scripts = []struct {
	title string
	run   func(r *recorder)
}{
	{"create, append, sync, close: a new log in a new directory", func(r *recorder) {
		r.open()
		r.append(64)
		r.append(64)
		r.sync()
		r.sync()
		r.close()
		r.open()
		r.close()
	}},
	{"rotate: the next segment is prepared, and named, before it is needed", func(r *recorder) {
		r.quietly(func() (err error) { r.log, err = openStill(r.disk); return err })
		r.append(1000)
		r.sync()
		r.prepare()
		r.append(64)
		r.sync()
		r.append(2000)
		r.sync()
		r.prepare()
		r.append(3000)
		r.sync()
		r.close()
	}},
	{"rotate without a prepared segment: the flush makes one", func(r *recorder) {
		r.quietly(func() (err error) { r.log, err = openStill(r.disk); return err })
		r.append(3900)
		r.append(64)
		r.sync()
		r.append(64)
		r.sync()
		r.close()
	}},
	{"trim: one segment is kept for reuse, others go, oldest first", func(r *recorder) {
		r.quietly(func() (err error) { r.log, err = openStill(r.disk); return err })
		for range 3 {
			r.quietly(func() error { put(r.t, r.log, make([]byte, 3800)); settle(r.log); return nil })
		}
		r.do("trim to the newest record", func() error { return r.log.Trim(r.log.Durable() - 1) })
		r.append(100)
		r.sync()
		r.prepare()
		r.do("trim all", func() error { return r.log.Trim(r.log.Next()) })
		r.close()
	}},
	{"torn recovery: a crash kept only the first sector of the last flush", func(r *recorder) {
		r.quietly(func() (err error) { r.log, err = openStill(r.disk); return err })
		r.append(100)
		r.sync()
		r.append(2000)
		before := r.disk.crash(crashfs.None).image()
		r.quietly(r.log.Sync)
		torn := r.disk.crash(crashfs.None).image()
		r.quietly(r.log.Close)
		kept := torn["00000001.wal"]
		kept = kept[:min(crashfs.SectorSize, len(kept))]
		torn["00000001.wal"] = append(kept, make([]byte, len(before["00000001.wal"]))...)
		fmt.Fprintln(r.out, "crash")
		r.disk = torn.disk()
		r.open()
		r.append(64)
		r.sync()
		r.close()
	}},
	{"a failed sync: nothing more is written to that file until it is reopened", func(r *recorder) {
		r.quietly(func() (err error) { r.log, err = openStill(r.disk); return err })
		r.append(64)
		r.disk.setHook(failing("sync", "00000001.wal", errors.New("the disk broke")))
		fmt.Fprintf(r.out, "sync, which fails\n  error: %v\n", r.log.Sync())
		r.disk.setHook(nil)
		r.sync()
		r.close()
		r.open()
		r.close()
	}},
}
