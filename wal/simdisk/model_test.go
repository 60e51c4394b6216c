package simdisk

import (
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/vfs"
	"pgregory.net/rapid"
)

// TestAgainstMemFS does the same random steps on an FS and on a vfs.MemFS, and
// compares what each step returns and, after each, the whole tree: names,
// sizes and bytes.
//
// Steps where MemFS is known to differ from a Unix file system are not taken:
// renaming into a missing directory (it loses the file), renaming over a
// directory or over another name of the same file, opening a directory for
// writing, and mixing Read and Write on one handle (it has a position for
// each). names_test.go and file_test.go hold what we do there.
func TestAgainstMemFS(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{got: New(Options{}), want: vfs.NewMem()}
		t.Repeat(map[string]func(*rapid.T){
			"":              m.compare,
			"create":        m.create,
			"open":          m.open,
			"openReadWrite": m.openReadWrite,
			"write":         m.write,
			"writeAt":       m.writeAt,
			"read":          m.read,
			"readAt":        m.readAt,
			"sync":          m.sync,
			"close":         m.close,
			"rename":        m.rename,
			"renameDir":     m.renameDir,
			"reuse":         m.reuse,
			"link":          m.link,
			"remove":        m.remove,
			"removeAll":     m.removeAll,
			"mkdirAll":      m.mkdirAll,
		})
	})
}

type model struct {
	got     *FS
	want    *vfs.MemFS
	handles []handle
}

// A handle is the same file, open in both.
type handle struct {
	got, want vfs.File
	reads     bool // is for Read, and not for Write
	writes    bool // the other way round
}

var (
	fileName = rapid.SampledFrom([]string{"a", "b", "/d/a", "d/b", "e/a", "d/f/a"})
	dirName  = rapid.SampledFrom([]string{"d", "e", "d/f", "/d/f"})
	anyName  = rapid.OneOf(fileName, dirName)
	bytesOf  = rapid.SliceOfN(rapid.Byte(), 1, 40)
	offset   = rapid.Int64Range(0, 100)
)

func (m *model) create(t *rapid.T) {
	name := fileName.Draw(t, "name")
	got, gotErr := m.got.Create(name)
	want, wantErr := m.want.Create(name)
	if sameOutcome(t, gotErr, wantErr) {
		m.handles = append(m.handles, handle{got: got, want: want, writes: true})
	}
}

func (m *model) open(t *rapid.T) {
	name := fileName.Draw(t, "name")
	got, gotErr := m.got.Open(name, vfs.SequentialReadsOption)
	want, wantErr := m.want.Open(name)
	if sameOutcome(t, gotErr, wantErr) {
		m.handles = append(m.handles, handle{got: got, want: want, reads: true})
	}
}

func (m *model) openReadWrite(t *rapid.T) {
	name := fileName.Draw(t, "name")
	got, gotErr := m.got.OpenReadWrite(name)
	want, wantErr := m.want.OpenReadWrite(name)
	if sameOutcome(t, gotErr, wantErr) {
		m.handles = append(m.handles, handle{got: got, want: want, reads: true})
	}
}

func (m *model) reuse(t *rapid.T) {
	from, to := fileName.Draw(t, "from"), fileName.Draw(t, "to")
	if !m.comparable(from, to) {
		t.Skip("MemFS differs")
	}
	got, gotErr := m.got.ReuseForWrite(from, to)
	want, wantErr := m.want.ReuseForWrite(from, to)
	if sameOutcome(t, gotErr, wantErr) {
		// MemFS does not let this handle read.
		_ = got.Close()
		_ = want.Close()
	}
}

func (m *model) write(t *rapid.T) {
	h := m.handle(t)
	if h.reads {
		t.Skip("a handle to read from")
	}
	p := bytesOf.Draw(t, "bytes")
	gotN, gotErr := h.got.Write(p)
	wantN, wantErr := h.want.Write(slices.Clone(p))
	sameOutcome(t, gotErr, wantErr)
	sameCount(t, gotN, wantN)
}

func (m *model) writeAt(t *rapid.T) {
	h, p, off := m.handle(t), bytesOf.Draw(t, "bytes"), offset.Draw(t, "off")
	gotN, gotErr := h.got.WriteAt(p, off)
	wantN, wantErr := h.want.WriteAt(slices.Clone(p), off)
	sameOutcome(t, gotErr, wantErr)
	sameCount(t, gotN, wantN)
}

func (m *model) read(t *rapid.T) {
	h := m.handle(t)
	if h.writes {
		t.Skip("a handle to write to")
	}
	n := rapid.IntRange(1, 60).Draw(t, "n")
	got, want := make([]byte, n), make([]byte, n)
	gotN, gotErr := h.got.Read(got)
	wantN, wantErr := h.want.Read(want)
	sameRead(t, got, want, gotN, wantN, gotErr, wantErr)
}

func (m *model) readAt(t *rapid.T) {
	h, n, off := m.handle(t), rapid.IntRange(1, 60).Draw(t, "n"), offset.Draw(t, "off")
	got, want := make([]byte, n), make([]byte, n)
	gotN, gotErr := h.got.ReadAt(got, off)
	wantN, wantErr := h.want.ReadAt(want, off)
	sameRead(t, got, want, gotN, wantN, gotErr, wantErr)
}

func (m *model) sync(t *rapid.T) {
	h := m.handle(t)
	sameOutcome(t, h.got.Sync(), h.want.Sync())
}

func (m *model) close(t *rapid.T) {
	h := m.handle(t)
	sameOutcome(t, h.got.Close(), h.want.Close())
	m.handles = slices.DeleteFunc(m.handles, func(other handle) bool { return other.got == h.got })
}

func (m *model) rename(t *rapid.T) {
	from, to := fileName.Draw(t, "from"), fileName.Draw(t, "to")
	if !m.comparable(from, to) {
		t.Skip("MemFS differs")
	}
	sameOutcome(t, m.got.Rename(from, to), m.want.Rename(from, to))
}

func (m *model) renameDir(t *rapid.T) {
	from, to := "d", "e"
	if rapid.Bool().Draw(t, "back") {
		from, to = to, from
	}
	if _, err := m.want.Stat(to); err == nil {
		t.Skip("MemFS differs")
	}
	sameOutcome(t, m.got.Rename(from, to), m.want.Rename(from, to))
}

func (m *model) link(t *rapid.T) {
	from, to := fileName.Draw(t, "from"), fileName.Draw(t, "to")
	sameOutcome(t, m.got.Link(from, to), m.want.Link(from, to))
}

func (m *model) remove(t *rapid.T) {
	name := anyName.Draw(t, "name")
	sameOutcome(t, m.got.Remove(name), m.want.Remove(name))
}

func (m *model) removeAll(t *rapid.T) {
	name := anyName.Draw(t, "name")
	sameOutcome(t, m.got.RemoveAll(name), m.want.RemoveAll(name))
}

func (m *model) mkdirAll(t *rapid.T) {
	name := dirName.Draw(t, "name")
	sameOutcome(t, m.got.MkdirAll(name, 0o700), m.want.MkdirAll(name, 0o700))
}

func (m *model) handle(t *rapid.T) handle {
	if len(m.handles) == 0 {
		t.Skip("no file is open")
	}
	return m.handles[rapid.IntRange(0, len(m.handles)-1).Draw(t, "handle")]
}

// comparable tells whether MemFS renames from one name to another as Unix does.
func (m *model) comparable(from, to string) bool {
	if _, err := m.want.Stat(m.want.PathDir(to)); err != nil {
		return false
	}
	source, err := m.got.findLocked(from)
	if err != nil {
		return true
	}
	target, err := m.got.findLocked(to)
	return err != nil || source != target
}
