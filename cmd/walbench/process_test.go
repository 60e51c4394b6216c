package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// fakebench is a command that runs fakebench in a directory of its own.
func fakebench(t *testing.T, fake string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("fakebench", args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "FAKE="+fake)
	return cmd
}

func exitOf(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(cmd.Dir, "walbench-*")); len(left) > 0 {
		t.Errorf("%v left %v behind", cmd.Args, left)
	}
	return cmd.ProcessState.ExitCode()
}

func TestExitCodesAreThoseOfTheHelp(t *testing.T) {
	for _, c := range []struct {
		fake string
		args []string
		want int
	}{
		{"", []string{"tax"}, 0},
		{"error", nil, 1},
		{"", []string{"--nonsense"}, 2},
		{"", []string{"log", "verify", "d"}, 3},
		{"interrupt", nil, 130},
		{"interrupt", []string{"tax", "--json", "-"}, 130},
		{"twice", nil, 130},
	} {
		if runtime.GOOS == "windows" && c.want == 130 {
			continue // a process cannot send itself an interrupt
		}
		if got := exitOf(t, fakebench(t, c.fake, c.args...)); got != c.want {
			t.Errorf("FAKE=%s %v: exit code %d, want %d", c.fake, c.args, got, c.want)
		}
	}
}

// A reader that has gone ends the run without a word, as of a program that
// SIGPIPE ended, and the work directory still goes away.
func TestClosedOutputEndsQuietly(t *testing.T) {
	for _, args := range [][]string{nil, {"--json", "-"}, {"--help"}, {"--version"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd := fakebench(t, "", args...)
		cmd.Stdout = w
		errs, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = errs
		if got := exitOf(t, cmd); got != exitPipe {
			t.Errorf("%v: exit code %d, want %d", args, got, exitPipe)
		}
		text, err := os.ReadFile(errs.Name())
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 0 && (args == nil || args[0] != "--json") { // where text goes to standard error
			t.Errorf("%v: wrote to standard error: %s", args, text)
		}
		errs.Close()
		w.Close()
	}
}

// With a document in a file, somebody still wants the figures.
func TestClosedOutputKeepsTheDocumentOfAFile(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd := fakebench(t, "", "--json", "a.json")
	cmd.Stdout = w
	if got := exitOf(t, cmd); got != exitPipe {
		t.Errorf("exit code %d, want %d", got, exitPipe)
	}
	w.Close()
	text, err := os.ReadFile(filepath.Join(cmd.Dir, "a.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !containsAll(string(text), `"policy": "adaptive"`, `"interrupted": false`) {
		t.Errorf("document lacks the group part:\n%s", text)
	}
}

// What cannot be written for another reason is a failure that is told.
func TestFullOutputIsAFailure(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	cmd := fakebench(t, "", "tax")
	cmd.Stdout = full
	if got := exitOf(t, cmd); got != exitFailure {
		t.Errorf("exit code %d, want %d", got, exitFailure)
	}
}
