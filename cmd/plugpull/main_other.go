//go:build !linux

package main

import (
	"fmt"
	"os"
)

func special([]string) (code int, ok bool) { return 0, false }

func start([]string, config) int {
	fmt.Fprintln(os.Stderr, "plugpull: cannot run here: it needs Linux, its file systems and its loop devices")
	return exitCannot
}
