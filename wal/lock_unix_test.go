//go:build unix

package wal

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// TestKilledOpenerLeavesNoLock has another process hold the log, and kills it
// with SIGKILL: what it acknowledged is there, and the lock is free.
func TestKilledOpenerLeavesNoLock(t *testing.T) {
	path := t.TempDir()
	if dir := os.Getenv("WAL_TEST_HOLD"); dir != "" {
		l, err := Open(dir, Options{SegmentSize: small})
		if err == nil {
			_, err = l.Append([]byte("held"))
		}
		if err == nil {
			err = l.Sync()
		}
		fmt.Println("held", err)
		select {}
	}
	holder := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	holder.Env = append(os.Environ(), "WAL_TEST_HOLD="+path)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "held <nil>\n" {
		t.Errorf("the holder said %q (%v)", line, err)
	}
	_, err = Open(path, Options{SegmentSize: small})
	wantErr(t, err, ErrLocked)
	holder.Process.Kill()
	holder.Wait()
	wantRecords(t, mustOpen(t, path, Options{SegmentSize: small}), [][]byte{[]byte("held")})
}

func TestFilesAreTheOwnersAlone(t *testing.T) {
	path := t.TempDir() + "/log"
	l := mustOpen(t, path, Options{SegmentSize: small})
	put(t, l, make([]byte, 3000))
	put(t, l, make([]byte, 3000))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory's mode is %v (%v)", info.Mode(), err)
	}
	mustClose(t, l)
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v (%v)", e.Name(), info.Mode(), err)
		}
	}
}
