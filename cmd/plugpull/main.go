package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

const (
	exitUsage  = 2
	exitCannot = 3 // this machine lacks something: no verdict
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	if code, ok := special(args); ok {
		return code
	}
	c, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(usage)
		return 0
	case err != nil:
		fmt.Fprintf(os.Stderr, "plugpull: %v (--help explains)\n", err)
		return exitUsage
	}
	return start(args, c)
}

const usage = `plugpull cuts the power of file systems on which a log is being written, and looks for what is lost.

  go run . [flags]                        on a disk in memory; Linux, as root
  go run . emulate [flags] -- COMMAND     run a command in a directory on such a disk, with slow flushes

  --fs LIST          ext4, ext4-writeback, xfs, btrfs        (ext4,xfs,btrfs)
  --seconds N        for each file system                    (25)
  --cuts N           for each file system, at most           (as many as the time allows)
  --scenario LIST    all, or some of them by name            (all)
  --faults LIST      planted faults: all, none, or some      (all)
  --seed N           of the dice                             (from the clock; printed)
  --json FILE        write the results there too, - for stdout
  --keep DIR         save images that fail
  --recheck FILE     mount such an image once more

  emulate:
  --fs NAME          file system of the disk                 (ext4)
  --size SIZE        of the disk, with MiB or GiB            (1GiB)
  --flush-delay D    what a flush takes, as 5ms              (0)

Exit codes: 0 nothing lost and no fault missed, 1 otherwise, 2 usage, 3 cannot run here, 130 interrupted.
The manual is the package comment: go doc .
`
