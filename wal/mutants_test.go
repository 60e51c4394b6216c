package wal_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var mutantImages = flag.Int("mutants.images", 50_000, "in how many images of crashes TestMutantsAreCaught looks for each fault")

// mutants are faults that logs have had, each as an edit of one file here, and
// the promise that TestCrashLosesNothingAcknowledged must find broken.
var mutants = []struct {
	name     string
	file     string // from the module's root
	old, new string
	promise  int
}{
	{"acknowledge before the sync", "wal/flush.go",
		"if err := m.sync(s.file); err != nil {", "go m.sync(s.file)\n\tif err := error(nil); err != nil {", 1},
	{"acknowledge what arrived during the flush", "commit/batch.go",
		"case lsn < c.inflightEnd:", "case c.flying != nil:", 1},
	{"no directory sync after creating a segment", "wal/dir.go",
		"from, to, err)\n\t}\n\treturn d.sync()", "from, to, err)\n\t}\n\treturn nil", 1},
	{"no directory sync after renaming or removing a segment", "wal/prepare.go",
		"return true, d.sync()", "return true, nil", 7},
	{"parent directory not synced", "wal/dir.go",
		"return d.syncParent(parent)", "return nil", 1},
	{"previous segment not synced at rotation", "wal/flush.go",
		"b.data[:b.split], b.fromOff, l.barrier())", "b.data[:b.split], b.fromOff, SyncNone)", 7},
	{"header not synced", "wal/prepare.go",
		"if err := l.barrier().sync(p.file); err != nil {\n\t\treturn nil, p.spoiled", "if err := error(nil); err != nil {\n\t\treturn nil, p.spoiled", 7},
	{"any first bad frame called a torn tail", "wal/tail.go",
		"if promised := max(t.promised, behind.promised); promised > r.End {", "if promised := r.End; false {", 7},
	{"recovery does not rewrite and sync what it recovered", "wal/open.go",
		"if err := s.rewrite(l.active, l.barrier()); err != nil {", "if err := error(nil); err != nil {", 6},
	{"checksum not bound to its segment", "wal/frame.go",
		"LSN(binary.LittleEndian.Uint64(b[8:])) != lsn", "binary.LittleEndian.Uint32(b[8:]) != uint32(lsn)", 7},
	{"checksum ignored", "wal/frame.go",
		"if sum != binary.LittleEndian.Uint32(b) {", "if false && sum != 0 {", 7},
	{"append after a torn tail into the same place", "wal/open.go",
		"if s.recovery.Clean {\n\t\treturn l.resumeClean", "if true {\n\t\treturn l.resumeClean", 13},
	{"refuse a torn tail", "wal/tail.go",
		"if behind.used > t.end {\n", "if behind.used > t.end {\n\t\treturn s.corrupt(newest.number, t.end, \"torn\")\n", 7},
	{"sync tried again after EIO", "wal/sync.go",
		"if !errors.Is(err, syscall.EINTR) {", "if !errors.Is(err, syscall.EINTR) && !errors.Is(err, syscall.EIO) {", 1},
	{"only the leader told of a failure", "commit/flusher.go",
		"c.settleLocked(filling, c.failed)", "c.settleLocked(filling, nil)", 1},
}

// TestMutantsAreCaught builds the log with one fault after the other, by go
// test -overlay, so that nothing of it is in the product, and runs the crash
// test on it: that has to fail, with the promise that the fault breaks. An edit
// that does not fit exactly once is an error: then the log has changed, and the
// fault must be told anew.
func TestMutantsAreCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the log once for each fault")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		t.Run(strings.ReplaceAll(m.name, " ", "-"), func(t *testing.T) {
			overlay := mutate(t, root, m.file, m.old, m.new)
			cmd := exec.Command("go", "test", "-overlay", overlay, "-run", "^TestCrashLosesNothingAcknowledged$", "-timeout", "5m",
				"./wal", fmt.Sprintf("-crash.images=%d", *mutantImages))
			cmd.Dir = root
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("the crash test passes with this fault:\n%s", out)
			}
			found := regexp.MustCompile(`promise (\d+): .*`).FindSubmatch(out)
			if found == nil {
				t.Fatalf("the crash test failed, and names no promise:\n%.2000s", out)
			}
			if got, want := string(found[1]), fmt.Sprint(m.promise); got != want {
				t.Errorf("promise %s was found broken, want promise %s:\n%s", got, want, found[0])
			}
			t.Logf("%.150s", found[0])
		})
	}
}

// mutate writes an overlay with one file edited, and returns its name.
func mutate(t *testing.T, root, file, before, after string) string {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(file))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	source := strings.ReplaceAll(string(text), "\r\n", "\n")
	if n := strings.Count(source, before); n != 1 {
		t.Fatalf("the edit of %s fits %d times, want 1: tell the fault anew\n%s", file, n, before)
	}
	dir := t.TempDir()
	edited := filepath.Join(dir, filepath.Base(file))
	if err := os.WriteFile(edited, []byte(strings.Replace(source, before, after, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: edited}})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
