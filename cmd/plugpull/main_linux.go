package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"walbench.example/cmd/plugpull/internal/host"
)

var (
	errFailed      = errors.New("FAILED")      // the log, or a fault that was missed
	errInterrupted = errors.New("interrupted") // by a signal
)

// start is the program: once outside its namespaces, to check what was asked
// and what is there, then inside them, and there as an agent.
func start(args []string, c config) int {
	if missing := host.Missing(c.Systems); missing != "" {
		fmt.Fprintf(os.Stderr, "plugpull: cannot run here: %s\n", missing)
		return exitCannot
	}
	code, err := host.Enter(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "plugpull: cannot run here: %v\n", err)
		return exitCannot
	}
	return code
}

// special runs what only this program itself starts.
func special(args []string) (code int, ok bool) {
	if len(args) == 0 {
		return 0, false
	}
	switch args[0] {
	case agentArg:
		return report(agentMain(os.Stdin, os.Stdout)), true
	case host.Inside:
		c, err := parse(args[1:])
		if err != nil {
			return report(err), true
		}
		return inside(c), true
	}
	return 0, false
}

func inside(c config) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	switch {
	case c.Emulate != nil:
		return emulate(ctx, c.Emulate)
	case c.Recheck != "":
		return report(recheck(c.Recheck))
	}
	return report(bench(ctx, &c))
}

// report prints an error and returns the exit code for it.
func report(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted):
		fmt.Fprintln(os.Stderr, "plugpull: interrupted")
		return 130
	case errors.Is(err, errFailed):
		fmt.Fprintln(os.Stderr, err)
		return 1
	case errors.Is(err, host.ErrCannot):
		fmt.Fprintf(os.Stderr, "plugpull: cannot run here: %v\n", err)
		return exitCannot
	}
	fmt.Fprintf(os.Stderr, "plugpull: %v\n", err)
	return 1
}
