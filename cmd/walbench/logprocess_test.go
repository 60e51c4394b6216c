package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// walbench runs the program as it is and returns what it prints on standard
// output, and its exit code.
func walbench(t *testing.T, in string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command("walbench", args...)
	cmd.Stdin = strings.NewReader(in)
	text, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// lsns are the first fields of lines, sorted.
func lsns(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		list = append(list, strings.Fields(line)[0])
	}
	slices.Sort(list)
	return list
}

// appending is a walbench log append that is under way: its input is open.
type appending struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	printed strings.Builder // the whole lines
}

func startAppending(t *testing.T, dir string, flags ...string) *appending {
	t.Helper()
	a := &appending{cmd: exec.Command("walbench", append([]string{"log", "append", dir}, flags...)...)}
	var err error
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	a.out = bufio.NewReader(out)
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.cmd.Process.Kill(); a.cmd.Wait() })
	return a
}

// feed writes lines until the program has gone.
func (a *appending) feed() {
	block := strings.Repeat("a line of some length, so that segments fill\n", 100)
	for {
		if _, err := io.WriteString(a.in, block); err != nil {
			return
		}
	}
}

// read takes n lines of the output, and all there are for a negative n.
func (a *appending) read(t *testing.T, n int) {
	t.Helper()
	for ; n != 0; n-- {
		line, err := a.out.ReadString('\n')
		if err != nil {
			if n > 0 || err != io.EOF || line != "" {
				t.Fatalf("after %q: %v", line, err)
			}
			return
		}
		a.printed.WriteString(line)
	}
}

// Ctrl-C, while lines come and while the input is silent: what was printed is
// in the log, nothing else is, and the log is closed.
func TestInterruptedAppendKeepsWhatItPrinted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent an interrupt")
	}
	for _, silent := range []bool{true, false} {
		dir := filepath.Join(t.TempDir(), "log")
		a := startAppending(t, dir, "--writers", "8", "--segment-size", "64KiB")
		if silent {
			fmt.Fprint(a.in, strings.Repeat("line\n", 50))
		} else {
			go a.feed()
		}
		a.read(t, 50)
		if err := a.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		a.read(t, -1)
		a.cmd.Wait()
		if got := a.cmd.ProcessState.ExitCode(); got != exitInterrupted {
			t.Errorf("exit code %d, want %d", got, exitInterrupted)
		}
		found, _ := walbench(t, "", "log", "dump", dir)
		if !slices.Equal(lsns(a.printed.String()), lsns(found)) {
			t.Errorf("printed:\n%s\nin the log:\n%s", a.printed.String(), found)
		}
		if report, code := walbench(t, "", "log", "verify", dir); code != 0 || !strings.Contains(report, "closed cleanly") {
			t.Errorf("exit code %d:\n%s", code, report)
		}
	}
}

// Killed after a number of lines that a seed chooses, again and again on one
// log: every LSN that was ever printed is found, the next run goes on, and
// what is left is never corrupt.
func TestKilledAppendLosesNothingPrinted(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	choose := rand.New(rand.NewPCG(seed, 0))
	dir := filepath.Join(t.TempDir(), "log")
	var printed []string
	for round := range 4 {
		a := startAppending(t, dir, "--writers", "8", "--segment-size", "16KiB")
		go a.feed()
		a.read(t, 1+choose.IntN(400))
		a.cmd.Process.Kill()
		for { // what it had printed when it died: the last line may be half
			line, err := a.out.ReadString('\n')
			if err != nil {
				break
			}
			a.printed.WriteString(line)
		}
		a.cmd.Wait()
		printed = append(printed, lsns(a.printed.String())...)
		if report, code := walbench(t, "", "log", "verify", dir); code != 0 && code != 1 {
			t.Fatalf("seed %d, round %d: verify ends with %d:\n%s", seed, round, code, report)
		}
		text, code := walbench(t, "", "log", "dump", dir)
		found := lsns(text)
		for _, lsn := range printed {
			if _, ok := slices.BinarySearch(found, lsn); !ok {
				t.Errorf("seed %d, round %d: LSN %s was printed and is not in the log (dump ends with %d)", seed, round, lsn, code)
			}
		}
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(printed))); len(unique) != len(printed) {
		t.Errorf("seed %d: %d LSNs were printed, %d of them different", seed, len(printed), len(unique))
	}
}

// A second process does not get a log that is being appended to, and may
// read it.
func TestLogCommandsBesideAnAppend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	a := startAppending(t, dir)
	fmt.Fprintln(a.in, "line")
	a.read(t, 1)
	for _, args := range [][]string{{"append", dir}, {"trim", dir, "1"}} {
		if out, code := walbench(t, "line\n", append([]string{"log"}, args...)...); code != exitFailure || out != "" {
			t.Errorf("log %v: exit code %d, want %d; printed %q", args, code, exitFailure, out)
		}
	}
	if found, code := walbench(t, "", "log", "dump", dir); code != 0 || !slices.Equal(lsns(found), lsns(a.printed.String())) {
		t.Errorf("dump: exit code %d:\n%s\nprinted:\n%s", code, found, a.printed.String())
	}
	if report, code := walbench(t, "", "log", "verify", dir); code != 0 || !strings.Contains(report, "not closed") {
		t.Errorf("verify: exit code %d:\n%s", code, report)
	}
	a.in.Close()
	a.read(t, -1)
	if err := a.cmd.Wait(); err != nil {
		t.Error(err)
	}
}
