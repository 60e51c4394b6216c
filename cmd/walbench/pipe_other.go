//go:build !windows

package main

import (
	"errors"
	"syscall"
)

// brokenPipe reports whether a write failed because the reader has gone.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
