package main

import (
	"math"
	"slices"
	"strings"
	"time"

	"walbench.example/cmd/internal/report"
	"walbench.example/wal"
)

// Defaults of the flags. Together the main job takes about 20 seconds,
// whatever a flush takes: both parts are cut by time.
const (
	defaultSize       = 200
	defaultTaxRepeats = 5
	defaultTaxBudget  = 8 * time.Second
	defaultWindow     = time.Millisecond
	defaultCell       = 120 * time.Millisecond
	defaultRepeats    = 3
)

// Limits of the flags.
const (
	maxRecord  = 64 << 20
	maxWrites  = 1_000_000_000
	maxRepeats = 1000
	maxWriters = 100_000
	maxEvery   = 1_000_000
)

var policyWords = []string{"per-write", "greedy", "window", "adaptive"}

// config is what one command line asks for, checked. Nothing below it knows
// of flags.
type config struct {
	run   report.Config // of a command that measures; the document shows it
	log   logConfig     // of a log command
	json  string        // file for the document; "-" for standard output, "" for none
	quiet bool

	version bool // print it, and do nothing else

	size   int64  // --size of tax and of group
	writes int64  // --writes; 0: cut by time
	shape  string // --shape; "" for none

	invalid error // the first value that a flag refused

	// given names the flags of the command line, to find those that
	// contradict each other.
	given map[string]bool
}

// logConfig is what a log command is to do.
type logConfig struct {
	verb    string // append, dump, verify, repair or trim
	dir     string
	lsn     wal.LSN // trim
	format  string  // dump: text, json or raw
	json    bool    // verify: a document
	yes     bool    // repair: not a dry run
	writers int     // append, like the following
	policy  string
	window  report.Window
	sync    string
	segment int64
}

func newConfig() *config {
	sync := wal.PlatformSync().String()
	window := report.Window{DelaySeconds: defaultWindow.Seconds()}
	return &config{
		given: make(map[string]bool),
		size:  defaultSize,
		run: report.Config{
			Command: "main", Parent: ".",
			Tax: &report.TaxConfig{Every: []int{10, 50}, Repeats: defaultTaxRepeats, Seed: 1},
			Group: &report.GroupConfig{
				Policies: slices.Clone(policyWords), Window: window, Writers: []int{1, 2, 4, 8, 16, 64},
				Sync: sync, RecordBytes: defaultSize, CellSeconds: defaultCell.Seconds(),
				Repeats: defaultRepeats, SegmentBytes: wal.DefaultSegmentSize, Device: "real",
			},
		},
		log: logConfig{writers: 1, policy: "adaptive", window: window, sync: sync,
			segment: wal.DefaultSegmentSize, format: "text"},
	}
}

// finish checks the flags against one another and fills in what follows from
// several of them.
func (c *config) finish(command string) error {
	c.run.Command = command
	if command == "group" {
		c.run.Tax = nil
	}
	if command == "tax" {
		c.run.Group = nil
	}
	if t := c.run.Tax; t != nil {
		if err := c.finishTax(t); err != nil {
			return err
		}
	}
	if g := c.run.Group; g != nil {
		return c.finishGroup(g)
	}
	return nil
}

func (c *config) finishTax(t *report.TaxConfig) error {
	for _, other := range []string{"size", "writes"} {
		if c.given["shape"] && c.given[other] {
			return usagef("--shape and --%s contradict each other: a shape sets both the size and the writes", other)
		}
	}
	switch c.shape {
	case "lab1":
		t.Shapes = []report.Shape{{RecordBytes: 200, Writes: 2000}}
	case "lab2":
		t.Shapes = []report.Shape{{RecordBytes: 256, Writes: 2000}, {RecordBytes: 4096, Writes: 500}}
	default:
		t.Shapes = []report.Shape{{RecordBytes: int(c.size), Writes: c.writes}}
	}
	if t.Shapes[0].Writes == 0 {
		t.BudgetSeconds = defaultTaxBudget.Seconds()
	}
	return nil
}

func (c *config) finishGroup(g *report.GroupConfig) error {
	if c.given["window"] && !slices.Contains(g.Policies, "window") {
		return usagef("--window is for the policy window, which --policy %s leaves out", strings.Join(g.Policies, ","))
	}
	if c.run.Command == "group" {
		g.RecordBytes = int(c.size)
	}
	return fits(int64(g.RecordBytes), g.SegmentBytes)
}

func fits(record, segment int64) error {
	if record > wal.MaxRecord(segment) {
		return usagef("--size %s does not fit a segment of --segment-size %s, which holds records up to %s",
			report.Size(record), report.Size(segment), report.Size(wal.MaxRecord(segment)))
	}
	return nil
}

// finishLog fills in the arguments of a log command.
func (c *config) finishLog(verb string, args []string) error {
	c.log.verb, c.log.dir = verb, args[0]
	if c.log.dir == "" {
		return usagef("log %s: DIR is empty", verb)
	}
	if c.given["window"] && c.log.policy != "window" {
		return usagef("--window is for the policy window, not %s", c.log.policy)
	}
	if verb == "trim" {
		lsn, err := parseWhole(args[1], math.MaxInt64-1) // the greatest also stands for all beyond
		if err != nil {
			return usagef("LSN %s: %v", args[1], err)
		}
		c.log.lsn = wal.LSN(lsn)
	}
	return nil
}
