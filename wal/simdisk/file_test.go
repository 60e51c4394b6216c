package simdisk

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/vfs"
)

func contents(t testing.TB, fs *FS, name string) []byte {
	t.Helper()
	f, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The log looks for this method to give back the tail of a segment.
func TestTruncate(t *testing.T) {
	fs := New(Options{})
	var f vfs.File = create(t, fs, "f")
	truncate := f.(interface{ Truncate(int64) error }).Truncate
	if _, err := f.Write([]byte("abcdef")); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		size int64
		want string
	}{
		{6, "abcdef"},
		{3, "abc"},
		{5, "abc\x00\x00"}, // what was cut does not come back
		{0, ""},
		{2, "\x00\x00"},
	}
	for _, s := range steps {
		if err := truncate(s.size); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, fs, "f"); string(got) != s.want {
			t.Errorf("truncated to %d: %q, want %q", s.size, got, s.want)
		}
	}
	// The position stays, so a write leaves a hole of zeros.
	if _, err := f.Write([]byte("g")); err != nil {
		t.Fatal(err)
	}
	if got, want := contents(t, fs, "f"), "\x00\x00\x00\x00\x00\x00g"; string(got) != want {
		t.Errorf("written after the cut: %q, want %q", got, want)
	}
}

func TestTruncateGivesMemoryBack(t *testing.T) {
	f := create(t, New(Options{}), "f")
	if _, err := f.WriteAt(make([]byte, 1<<20), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(10); err != nil {
		t.Fatal(err)
	}
	if got := cap(f.inode.data); got > 64 {
		t.Errorf("10 bytes occupy %d", got)
	}
}

func TestWritePastTheEndLeavesZeros(t *testing.T) {
	fs := New(Options{})
	f := create(t, fs, "f")
	var want []byte
	for _, off := range []int64{1, 100, 3000, 70_000} {
		if _, err := f.WriteAt([]byte("x"), off); err != nil {
			t.Fatal(err)
		}
		want = append(want, make([]byte, int(off)+1-len(want))...)
		want[off] = 'x'
		if got := contents(t, fs, "f"); !bytes.Equal(got, want) {
			t.Fatalf("after a write at %d the file differs", off)
		}
	}
}

// Read and Write share one position, as they do in an *os.File.
func TestReadAndWriteShareAPosition(t *testing.T) {
	fs := New(Options{})
	f := create(t, fs, "f")
	if _, err := f.WriteAt([]byte("abcdef"), 0); err != nil {
		t.Fatal(err)
	}
	two := make([]byte, 2)
	if _, err := f.Read(two); err != nil || string(two) != "ab" {
		t.Fatalf("read %q, %v", two, err)
	}
	if _, err := f.Write([]byte("XY")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(two); err != nil || string(two) != "ef" {
		t.Fatalf("read %q, %v", two, err)
	}
	if n, err := f.Read(two); n != 0 || err != io.EOF {
		t.Fatalf("read at the end: %d, %v, want EOF", n, err)
	}
	if got, want := string(contents(t, fs, "f")), "abXYef"; got != want {
		t.Errorf("file holds %q, want %q", got, want)
	}
}

func TestWriteLeavesItsArgumentAlone(t *testing.T) {
	f := create(t, New(Options{}), "f")
	p := []byte("abc")
	if _, err := f.Write(p); err != nil || string(p) != "abc" {
		t.Fatalf("%q, %v", p, err)
	}
	p[0] = 'x'
	got := make([]byte, 3)
	if _, err := f.ReadAt(got, 0); err != nil || string(got) != "abc" {
		t.Errorf("the file follows the caller's buffer: %q, %v", got, err)
	}
}

func TestFileErrors(t *testing.T) {
	fs := New(Options{})
	if err := fs.MkdirAll("d", 0o700); err != nil {
		t.Fatal(err)
	}
	f := create(t, fs, "f")
	readonly, err := fs.Open("f")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := fs.OpenDir("d")
	if err != nil {
		t.Fatal(err)
	}
	closed := create(t, fs, "closed")
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	tests := []struct {
		what string
		call func() error
		want error
	}{
		{"write read-only", func() error { _, err := readonly.Write(b); return err }, syscall.EBADF},
		{"write at read-only", func() error { _, err := readonly.WriteAt(b, 0); return err }, syscall.EBADF},
		{"truncate read-only", func() error { return readonly.(*file).Truncate(0) }, syscall.EBADF},
		{"read a directory", func() error { _, err := dir.Read(b); return err }, syscall.EISDIR},
		{"write a directory", func() error { _, err := dir.Write(b); return err }, syscall.EISDIR},
		{"read before the start", func() error { _, err := f.ReadAt(b, -1); return err }, syscall.EINVAL},
		{"write before the start", func() error { _, err := f.WriteAt(b, -1); return err }, syscall.EINVAL},
		{"write far out", func() error { _, err := f.WriteAt(b, 1<<62); return err }, syscall.EFBIG},
		{"write past the largest", func() error { _, err := f.WriteAt(b, maxFileSize); return err }, syscall.EFBIG},
		{"truncate below zero", func() error { return f.Truncate(-1) }, syscall.EINVAL},
		{"truncate far out", func() error { return f.Truncate(maxFileSize + 1) }, syscall.EFBIG},
		{"read closed", func() error { _, err := closed.Read(b); return err }, os.ErrClosed},
		{"read at closed", func() error { _, err := closed.ReadAt(b, 0); return err }, os.ErrClosed},
		{"write closed", func() error { _, err := closed.Write(b); return err }, os.ErrClosed},
		{"write at closed", func() error { _, err := closed.WriteAt(b, 0); return err }, os.ErrClosed},
		{"truncate closed", func() error { return closed.Truncate(0) }, os.ErrClosed},
		{"sync closed", closed.Sync, os.ErrClosed},
		{"sync data closed", closed.SyncData, os.ErrClosed},
		{"sync to closed", func() error { _, err := closed.SyncTo(1); return err }, os.ErrClosed},
		{"stat closed", func() error { _, err := closed.Stat(); return err }, os.ErrClosed},
		{"close closed", closed.Close, os.ErrClosed},
	}
	for _, tt := range tests {
		err := tt.call()
		var path *os.PathError
		if !errors.Is(err, tt.want) || !errors.As(err, &path) {
			t.Errorf("%s: %v, want a PathError with %v", tt.what, err, tt.want)
		}
	}
	if got := len(contents(t, fs, "f")); got != 0 {
		t.Errorf("failed writes left %d bytes", got)
	}
	if got := fs.Flushes(); got != 0 {
		t.Errorf("failed syncs made %d flushes", got)
	}
}

// Readers of a file see each write as a whole, whatever syncs and truncates
// beside it.
func TestConcurrentReadersAndWriters(t *testing.T) {
	const size, rounds = 512, 200
	fs := New(Options{})
	f := create(t, fs, "f")
	if _, err := f.WriteAt(make([]byte, size), 0); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := range rounds {
				if _, err := f.WriteAt(bytes.Repeat([]byte{byte(w*rounds + i)}, size), 0); err != nil {
					t.Error(err)
				}
				if _, err := f.WriteAt([]byte{1}, int64(size+i*100)); err != nil {
					t.Error(err)
				}
				if err := f.SyncData(); err != nil {
					t.Error(err)
				}
				if err := f.Truncate(size); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			got := make([]byte, size)
			for range rounds {
				if n, err := f.ReadAt(got, 0); err != nil || !bytes.Equal(got, bytes.Repeat(got[:1], size)) {
					t.Errorf("read %d bytes of more than one write (%v)", n, err)
					return
				}
				if _, err := fs.Stat("f"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got, want := fs.Flushes(), int64(4*rounds); got != want {
		t.Errorf("%d flushes, want %d", got, want)
	}
}
