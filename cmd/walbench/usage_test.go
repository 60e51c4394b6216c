package main

import (
	"bytes"
	"strings"
	"testing"
)

// usageErrors are command lines, and what the error says of each.
var usageErrors = []struct{ line, want string }{
	{"tx", `unknown command "tx", did you mean tax?`},
	{"benchmark", `unknown command "benchmark": choose from tax, group, log`},
	{"log", "log: which one? append, dump, verify, repair, trim"},
	{"log dmp x", `unknown command "dmp", did you mean dump?`},
	{"help tx", `unknown command "tx", did you mean tax?`},
	{"help tax size", `tax has no command "size"`},
	{"tax stray", `tax: stray argument "stray"`},
	{"tax --quiet stray", `tax: stray argument "stray"`},
	{"log dump", "log dump needs DIR: DIR is missing"},
	{"log dump a b", `log dump: stray argument "b"`},
	{"log trim d", "LSN is missing"},
	{"log trim d -3", "LSN -3: must be above zero"},
	{"log trim d x", `LSN x: "x" is no whole number`},
	{"log trim d 99999999999999999999", "LSN 99999999999999999999: at most "},
	{"log append d --policy greedy,adaptive", `"greedy,adaptive" is unknown: choose from per-write, greedy, window, adaptive`},
	{"log append d --sync fsnc", "did you mean fsync?"},
	{"log append d --writers 0", "--writers 0: must be above zero"},
	{"log append d --segment-size 2KiB", "--segment-size 2KiB: must be a multiple of 4KiB"},

	{"tax --sise 4", "unknown flag --sise, did you mean --size?"},
	{"--sise 4 tax", "did you mean --size?"},
	{"group --polcy=greedy", "did you mean --policy?"},
	{"tax --colour", "unknown flag --colour (see walbench tax --help)"},
	{"--size 4", "the main job has no flag --size: it belongs to tax, group"},
	{"log dump d --json -", "log dump has no flag --json: it belongs to the main job, tax, group, log verify"},
	{"log verify d --json -", `log verify: stray argument "-"`},
	{"--json", "--json needs a value"},
	{"--json= tax", "--json needs a value"},
	{"--json --quiet", "--json needs a value"},
	{"--quiet=yes", "--quiet takes no value"},
	{"tax --size 4 --size 5", "--size is given twice"},
	{"--quiet tax --quiet", "--quiet is given twice"},

	{"tax --size 4x", `--size 4x: unit "x" is unknown`},
	{"tax --size -1", "--size -1: must be above zero"},
	{"tax --size 0", "--size 0: must be above zero"},
	{"tax --size 10EB", `--size 10EB: unit "EB" is unknown`},
	{"tax --writes 1.5", `--writes 1.5: "1.5" is no whole number`},
	{"tax --every 1", "--every 1: 1 is too few"},
	{"tax --repeats 0", "--repeats 0: must be above zero"},
	{"tax --shape lab3", "--shape lab3: "},
	{"group --duration 5", "--duration 5: needs a unit"},
	{"group --duration -5s", "--duration -5s: must be above zero"},
	{"group --writers 0", "--writers 0: must be above zero"},
	{"group --writers 1,,2", "--writers 1,,2: an element of the list is empty"},
	{"group --policy gredy", "did you mean greedy?"},
	{"group --window 2", "--window 2: needs a unit"},
	{"group --sync fsnc", "did you mean fsync?"},
	{"group --segment-size 5000", "--segment-size 5000: must be a multiple of 4KiB"},
	{"group --device disk", "--device disk: choose real"},
	{"group --device sim:200", "--device sim:200: "},
	{"--no-warn W99", `--no-warn W99: "W99" is unknown`},
	{"log dump d --format xml", `--format xml: "xml" is unknown: choose from text, json, raw`},

	{"tax --shape lab1 --size 200", "--shape and --size contradict"},
	{"tax --writes 3 --shape lab2", "--shape and --writes contradict"},
	{"group --policy greedy --window 1ms", "--window is for the policy window"},
	{"group --size 1MiB --segment-size 64KiB", "--size 1MiB does not fit a segment of --segment-size 64KiB"},
	{"log append d --window 1ms", "--window is for the policy window, not adaptive"},
}

// Every command line that cannot be carried out ends with exit code 2, writes
// nothing to standard output, and one line to standard error that names the
// culprit.
func TestUsageErrors(t *testing.T) {
	for _, c := range usageErrors {
		var out, errs bytes.Buffer
		err := run(strings.Fields(c.line), fakeRooms(""), strings.NewReader(""), &out, &errs)
		if got := exitCode(err); got != exitUsage {
			t.Errorf("walbench %s: exit code %d (%v), want %d", c.line, got, err, exitUsage)
		}
		if out.Len() > 0 {
			t.Errorf("walbench %s: wrote to standard output: %s", c.line, out.String())
		}
		line := errs.String()
		if !strings.HasPrefix(line, "walbench: ") || !strings.Contains(line, c.want) || strings.Count(line, "\n") != 1 {
			t.Errorf("walbench %s: wrote %q to standard error, want one line with %q", c.line, line, c.want)
		}
	}
}
