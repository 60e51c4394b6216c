package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"walbench.example/cmd/plugpull/internal/host"
)

// config is what the flags say, checked.
type config struct {
	Systems   []host.FileSystem
	Scenarios []scenario
	Faults    []fault
	Seconds   time.Duration // for each file system
	Cuts      int           // for each file system, 0: as many as fit
	Seed      uint64        // 0: of the clock
	JSON      string
	Keep      string
	Recheck   string

	Emulate *emulation // instead of all that
}

// emulation is a disk for somebody else's program.
type emulation struct {
	System     host.FileSystem
	Size       int64
	FlushDelay time.Duration
	Command    []string
}

// parse reads the arguments. flag.ErrHelp asks for the manual; every other
// error is one line.
func parse(args []string) (config, error) {
	if len(args) > 0 && args[0] == "emulate" {
		return parseEmulate(args[1:])
	}
	var c config
	fs := newFlags("plugpull")
	systems := fs.String("fs", "ext4,xfs,btrfs", "")
	only := fs.String("scenario", "all", "")
	planted := fs.String("faults", "all", "")
	seconds := fs.Float64("seconds", 25, "")
	fs.IntVar(&c.Cuts, "cuts", 0, "")
	fs.Uint64Var(&c.Seed, "seed", 0, "")
	fs.StringVar(&c.JSON, "json", "", "")
	fs.StringVar(&c.Keep, "keep", "", "")
	fs.StringVar(&c.Recheck, "recheck", "", "")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	if fs.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	c.Seconds = time.Duration(*seconds * float64(time.Second))
	if c.Seconds <= 0 || c.Cuts < 0 {
		return c, errors.New("--seconds must be more than 0, and --cuts not negative")
	}
	for _, name := range strings.Split(*systems, ",") {
		s, err := host.Lookup(name)
		if err != nil {
			return c, err
		}
		c.Systems = append(c.Systems, s)
	}
	var err error
	if c.Scenarios, err = pick(scenarios, *only, "scenario", func(s scenario) string { return s.Name }); err != nil {
		return c, err
	}
	c.Faults, err = pick(faults, *planted, "fault", func(f fault) string { return f.Name })
	return c, err
}

func parseEmulate(args []string) (config, error) {
	e := &emulation{}
	fs := newFlags("plugpull emulate")
	system := fs.String("fs", "ext4", "")
	size := fs.String("size", "1GiB", "")
	fs.DurationVar(&e.FlushDelay, "flush-delay", 0, "")
	if err := fs.Parse(args); err != nil {
		return config{}, err
	}
	e.Command = fs.Args()
	if len(e.Command) == 0 {
		return config{}, errors.New("emulate: which command? plugpull emulate --flush-delay 5ms -- COMMAND [ARGUMENT]...")
	}
	if e.FlushDelay < 0 {
		return config{}, errors.New("emulate: --flush-delay is negative")
	}
	var err error
	if e.System, err = host.Lookup(*system); err != nil {
		return config{}, err
	}
	if e.Size, err = parseSize(*size); err != nil {
		return config{}, err
	}
	if e.Size < e.System.Size {
		return config{}, fmt.Errorf("emulate: --size %s is too small for %s: at least %dMiB", *size, e.System.Name, e.System.Size>>20)
	}
	return config{Emulate: e, Systems: []host.FileSystem{e.System}}, nil
}

func newFlags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// pick returns the members of a list that a flag names: all, none, or some.
func pick[T any](from []T, names, what string, name func(T) string) ([]T, error) {
	switch names {
	case "all":
		return from, nil
	case "none":
		return nil, nil
	}
	var picked []T
	for _, n := range strings.Split(names, ",") {
		i := slices.IndexFunc(from, func(t T) bool { return name(t) == n })
		if i < 0 {
			var known []string
			for _, t := range from {
				known = append(known, name(t))
			}
			return nil, fmt.Errorf("unknown %s %q: want all, none or some of %s", what, n, strings.Join(known, ","))
		}
		picked = append(picked, from[i])
	}
	return picked, nil
}

// parseSize reads a number of bytes: 512MiB, 1GiB.
func parseSize(s string) (int64, error) {
	var n int64
	var unit string
	if _, err := fmt.Sscanf(s, "%d%s", &n, &unit); err == nil && n > 0 && n < 1<<20 {
		switch unit {
		case "MiB":
			return n << 20, nil
		case "GiB":
			return n << 30, nil
		}
	}
	return 0, fmt.Errorf("size %q: want a number with MiB or GiB", s)
}
