package simdisk

import (
	"bytes"
	"io"
	"os"
	"slices"

	"github.com/cockroachdb/pebble/vfs"
	"pgregory.net/rapid"
)

// compare fails unless both trees hold the same names, sizes and bytes.
func (m *model) compare(t *rapid.T) { m.compareDir(t, "/") }

func (m *model) compareDir(t *rapid.T, dir string) {
	got, gotErr := m.got.List(dir)
	want, wantErr := m.want.List(dir)
	slices.Sort(want)
	sameOutcome(t, gotErr, wantErr)
	if !slices.Equal(got, want) {
		t.Fatalf("%s holds %v, want %v", dir, got, want)
	}
	for _, base := range want {
		name := m.got.PathJoin(dir, base)
		gotInfo, gotErr := m.got.Stat(name)
		wantInfo, wantErr := m.want.Stat(name)
		if !sameOutcome(t, gotErr, wantErr) {
			t.Fatalf("%s is listed and cannot be described: %v", name, gotErr)
		}
		if gotInfo.Name() != base || gotInfo.Size() != wantInfo.Size() || gotInfo.IsDir() != wantInfo.IsDir() {
			t.Fatalf("%s: is %s of %d bytes, directory %v; want %d bytes, directory %v", name,
				gotInfo.Name(), gotInfo.Size(), gotInfo.IsDir(), wantInfo.Size(), wantInfo.IsDir())
		}
		if wantInfo.IsDir() {
			m.compareDir(t, name)
			continue
		}
		if got, want := all(t, m.got, name), all(t, m.want, name); !bytes.Equal(got, want) {
			t.Fatalf("%s holds %q, want %q", name, got, want)
		}
	}
}

func all(t *rapid.T, fs vfs.FS, name string) []byte {
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

// sameOutcome fails unless both calls succeeded, both missed a name, or both
// failed otherwise. It returns whether they succeeded.
func sameOutcome(t *rapid.T, got, want error) bool {
	class := func(err error) string {
		switch {
		case err == nil:
			return "success"
		case os.IsNotExist(err):
			return "does not exist"
		}
		return "failure"
	}
	if class(got) != class(want) {
		t.Fatalf("got %v (%s), want %v (%s)", got, class(got), want, class(want))
	}
	return got == nil
}

func sameCount(t *rapid.T, got, want int) {
	if got != want {
		t.Fatalf("%d bytes, want %d", got, want)
	}
}

func sameRead(t *rapid.T, got, want []byte, gotN, wantN int, gotErr, wantErr error) {
	sameCount(t, gotN, wantN)
	if gotErr != wantErr || !bytes.Equal(got, want) {
		t.Fatalf("read %q, %v, want %q, %v", got, gotErr, want, wantErr)
	}
}
