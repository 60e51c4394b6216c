package main

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// brokenPipe reports whether a write failed because the reader has gone.
func brokenPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, syscall.EPIPE)
}
