package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"walbench.example/cmd/internal/host"
	"walbench.example/cmd/internal/report"
	"walbench.example/wal"
	"walbench.example/wal/simdisk"
)

// value is a flag with a value: it checks the text where it is read, so that
// the error can name the flag and what was wrong with it.
type value struct {
	name        string
	placeholder string // of the help
	initial     string // default, for the help
	set         func(string) error
	c           *config
}

func (v *value) String() string { return v.initial }

// Set is called by the flag package, which wraps an error in words of its
// own: so the error is kept, and OnUsageError takes it from there.
func (v *value) Set(text string) error {
	if err := v.set(text); err != nil {
		v.c.invalid = usagef("--%s %s: %v", v.name, text, err)
		return v.c.invalid
	}
	v.c.given[v.name] = true
	return nil
}

func (c *config) flag(name, placeholder, initial, usage string, set func(string) error) cli.Flag {
	return &cli.GenericFlag{Name: name, Usage: usage, Value: &value{name, placeholder, initial, set, c}}
}

// into turns a parser and a place into the set function of a flag.
func into[T any](place *T, parse func(string) (T, error)) func(string) error {
	return func(text string) error {
		v, err := parse(text)
		if err == nil {
			*place = v
		}
		return err
	}
}

func sized(limit int64) func(string) (int64, error) {
	return func(text string) (int64, error) { return parseSize(text, limit) }
}

func counted(limit int64) func(string) (int, error) {
	return func(text string) (int, error) {
		n, err := parseWhole(text, min(limit, math.MaxInt))
		return int(n), err
	}
}

func word(words ...string) func(string) (string, error) {
	return func(text string) (string, error) { return parseWord(text, words...) }
}

func anyText(text string) (string, error) { return text, nil }

// Flags of every command, and of those that measure.

func (c *config) everywhereFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "quiet", Destination: &c.quiet, Usage: "print results only: of the main job the verdict, of log verify, repair and trim nothing"},
		&cli.BoolFlag{Name: "version", Destination: &c.version, Usage: "print the version and exit"},
	}
}

func (c *config) measuringFlags() []cli.Flag {
	return append([]cli.Flag{
		c.flag("dir", "DIR", "", "make the work directory in DIR instead of the current directory", into(&c.run.Parent, anyText)),
		c.flag("json", "FILE", "", "write the results to FILE as one JSON document; - is standard output, text then goes to standard error",
			into(&c.json, anyText)),
		c.flag("no-warn", "CODES", "", "silence warnings, such as W03 or W03,W06; may be repeated", c.silence),
	}, c.everywhereFlags()...)
}

func (c *config) silence(text string) error {
	var codes []string
	for _, w := range host.Catalogue() {
		codes = append(codes, w.Code)
	}
	list, err := parseList(strings.ToUpper(text), word(codes...))
	c.run.Silenced = append(c.run.Silenced, list...)
	return err
}

func (c *config) taxFlags() []cli.Flag {
	t := c.run.Tax
	return append([]cli.Flag{
		c.flag("size", "SIZE", "200", "bytes of a record", into(&c.size, sized(maxRecord))),
		c.flag("writes", "N", "as many as the time allows", "appends of an arm in a repeat", into(&c.writes, func(text string) (int64, error) {
			return parseWhole(text, maxWrites)
		})),
		c.flag("every", "LIST", "10,50", "also sync every N appends only", into(&t.Every, func(text string) ([]int, error) {
			return parseNumbers(text, 2, maxEvery)
		})),
		c.flag("repeats", "N", fmt.Sprint(t.Repeats), "how often each arm is measured", into(&t.Repeats, counted(maxRepeats))),
		c.flag("shape", "NAME", "", "lab1 (2,000 x 200 B) or lab2 (2,000 x 256 B and 500 x 4 KiB)", into(&c.shape, word("lab1", "lab2"))),
	}, c.measuringFlags()...)
}

func (c *config) groupFlags() []cli.Flag {
	g := c.run.Group
	return append([]cli.Flag{
		c.flag("policy", "LIST", strings.Join(policyWords, ","), "when a batch is flushed", into(&g.Policies, policies)),
		c.flag("window", "DELAY[,RECORDS][,SIZE]", g.Window.String(), "how long the window policy waits; full at that many records or bytes",
			into(&g.Window, parseWindow)),
		c.flag("writers", "LIST", "1,2,4,8,16,64", "numbers of concurrent writers", into(&g.Writers, func(text string) ([]int, error) {
			return parseNumbers(text, 1, maxWriters)
		})),
		c.flag("sync", "METHOD", g.Sync, syncUsage, into(&g.Sync, syncMethod)),
		c.flag("size", "SIZE", "200", "bytes of a record", into(&c.size, sized(maxRecord))),
		c.flag("duration", "TIME", g.Cell().String(), "measured time of one cell (a policy with so many writers) in one repeat", c.cell),
		c.flag("repeats", "N", fmt.Sprint(g.Repeats), "how often each cell is measured", into(&g.Repeats, counted(maxRepeats))),
		c.flag("segment-size", "SIZE", report.Size(g.SegmentBytes), "bytes of a segment of the log", into(&g.SegmentBytes, segmentSize)),
		c.flag("device", "DEVICE", "real", "real, or a simulated one: sim:200us, or sim:200us+1ns/B with a cost for each byte", into(&g.Device, device)),
	}, c.measuringFlags()...)
}

func (c *config) cell(text string) error {
	d, err := parseDuration(text)
	c.run.Group.CellSeconds = d.Seconds()
	return err
}

func (c *config) logFlags(verb string) []cli.Flag {
	l := &c.log
	switch verb {
	case "append":
		return append([]cli.Flag{
			c.flag("writers", "N", "1", "concurrent appenders", into(&l.writers, counted(maxWriters))),
			c.flag("policy", "NAME", l.policy, "when a batch is flushed: "+strings.Join(policyWords, ", "), into(&l.policy, word(policyWords...))),
			c.flag("window", "DELAY[,RECORDS][,SIZE]", l.window.String(), "how long the window policy waits", into(&l.window, parseWindow)),
			c.flag("sync", "METHOD", l.sync, syncUsage, into(&l.sync, syncMethod)),
			c.flag("segment-size", "SIZE", report.Size(l.segment), "bytes of a segment, from 4KiB", into(&l.segment, segmentSize)),
		}, c.everywhereFlags()...)
	case "dump":
		return append([]cli.Flag{
			c.flag("format", "NAME", l.format, "text, json or raw", into(&l.format, word("text", "json", "raw"))),
		}, c.everywhereFlags()...)
	case "verify":
		return append([]cli.Flag{
			&cli.BoolFlag{Name: "json", Destination: &l.json, Usage: "print one JSON document instead, whatever is found"},
		}, c.everywhereFlags()...)
	case "repair":
		return append([]cli.Flag{
			&cli.BoolFlag{Name: "yes", Destination: &l.yes, Usage: "do it; without it nothing is changed"},
		}, c.everywhereFlags()...)
	default:
		return c.everywhereFlags()
	}
}

const syncUsage = "how a flush becomes durable: none, fsync, fdatasync, dsync or fullfsync; which of them there are depends on the platform"

func syncMethod(text string) (string, error) {
	return parseWord(text, "none", "fsync", "fdatasync", "dsync", "fullfsync")
}

func policies(text string) ([]string, error) {
	return parseList(text, word(policyWords...))
}

func segmentSize(text string) (int64, error) {
	n, err := parseSize(text, wal.MaxSegmentSize)
	switch {
	case err != nil:
		return 0, err
	case n < wal.MinSegmentSize || n%wal.MinSegmentSize != 0:
		return 0, fmt.Errorf("must be a multiple of %s", report.Size(wal.MinSegmentSize))
	}
	return n, nil
}

func device(text string) (string, error) {
	if text == "real" {
		return text, nil
	}
	sim, ok := strings.CutPrefix(text, "sim:")
	if !ok {
		return "", fmt.Errorf("choose real, or a simulated one such as sim:200us")
	}
	options, err := simdisk.Parse(sim)
	if err != nil {
		return "", err
	}
	return "sim:" + options.String(), nil
}

// names returns the names of flags, each with its aliases.
func names(flags []cli.Flag) []string {
	var all []string
	for _, f := range flags {
		all = append(all, f.Names()...)
	}
	slices.Sort(all)
	return all
}
