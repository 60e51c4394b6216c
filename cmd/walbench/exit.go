package main

import (
	"errors"
	"fmt"
	"strings"
)

// Exit codes, as the help lists them. The log commands add their own, by an
// error with a method ExitCode() int. They hold for the built program: go run
// turns each but 0 into 1.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // 128 + SIGINT, as a shell has it
	exitPipe        = 141 // 128 + SIGPIPE, as of a program that SIGPIPE ended
)

// errInterrupted ends a run that was asked to stop. What was measured before
// it has been reported.
var errInterrupted = errors.New("interrupted")

// errPipe ends a run whose reader has gone. There is nobody to tell.
var errPipe = errors.New("standard output is closed")

// usageError is a command line that cannot be carried out. Nothing was done,
// and nothing was written to standard output.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// exitCode maps the outcome of a run to the code of the process.
func exitCode(err error) int {
	var usage *usageError
	var coded interface{ ExitCode() int }
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &coded):
		return coded.ExitCode()
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.Is(err, errPipe):
		return exitPipe
	default:
		return exitFailure
	}
}

// oneLine is an error as the last line on standard error: joined errors
// follow one another.
func oneLine(err error) string {
	return strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ")
}
