package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"walbench.example/cmd/internal/host"
	"walbench.example/cmd/internal/report"
)

const helpWidth = 80

const intro = `walbench measures what a durable commit costs on this machine's disk, and how
far group commit goes past one commit for each flush.

Usage:
  walbench [flags]                  the main job, about 20 s: environment,
                                    durability tax, group commit, verdict
  walbench tax [flags]              what one durable append costs
  walbench group [flags]            how far group commit goes
  walbench log append DIR [flags]   append the lines of standard input
  walbench log dump DIR [flags]     print the records
  walbench log verify DIR           check a log, and change nothing
  walbench log repair DIR           end a damaged log before the damage; moves
                                    aside what comes behind, deletes nothing
  walbench log trim DIR LSN         remove whole segments below LSN
  walbench help COMMAND             the flags of a command

It works in a new directory inside the current one, or inside --dir, and
removes it at the end. Choose a place on the disk you want to know about.
`

const outro = `
Examples:
  walbench --dir /mnt/usb
  walbench --json - --quiet | jq .verdict
  walbench tax --shape lab2 --json tax.json
  walbench group --policy greedy,adaptive --writers 2,8,64 --duration 1s
  walbench group --device sim:200us+1ns/B
  seq 1000 | walbench log append ./log --writers 8

Sizes are bytes: 200, 200B, 4KiB (or 4K), 16MiB, 1GiB; powers of 1,024. Times
need a unit: 500us, 20ms, 2s. Flags may stand before or after arguments, once
each (--no-warn adds up); -- ends them.

Exit codes (of the built program; go run turns each failure into 1):
  0    done                      1    failed: one line on standard error
  2    wrong command line        130  interrupted; what was measured is printed
  141  the reader of standard output has gone
  log verify: 0 clean, 1 torn tail, 3 corrupt, 4 cannot tell
  log repair: 0 repaired or nothing to do, 3 damage (a dry run), 4 cannot tell

NO_COLOR in the environment turns colour off.
`

const verifyCodes = `Exit codes:
  0  clean     the log is whole
  1  torn      a write at its end did not finish; the next open cuts it
  2            wrong command line
  3  damage    corrupt, gap (a segment is missing) or foreign (one of another log)
  4  unknown   no log, a newer format, or it cannot be read
`

const repairHelp = `It keeps every record before the first damage, in whole batches. All else goes
under names that the log ignores, such as 0000000b.wal.damaged-1, in DIR; no
byte is deleted. New records never get the LSN of one that was dropped. It can
be run again, also after it was cut short. A torn tail is no damage: the next
open cuts it. Look at log verify first.

Exit codes:
  0  repaired, or nothing to do
  1  it failed, or the log is open elsewhere
  2  wrong command line
  3  a dry run found damage; nothing was changed
  4  no log, a newer format, or it cannot be read: nothing was changed
`

// rootHelp is the manual: usage, flags, examples, codes, warnings.
func rootHelp(app *cli.App) string {
	var b strings.Builder
	b.WriteString(intro)
	b.WriteString("\nFlags of the main job, tax and group (tax --help and group --help list the others):\n")
	b.WriteString(flagList(app.Flags))
	b.WriteString(outro)
	b.WriteString("\nWarnings, for --no-warn:\n")
	for _, w := range host.Catalogue() {
		b.WriteString(report.Hang("  "+w.Code+"  ", w.Meaning+" "+w.Advice, helpWidth))
	}
	return b.String()
}

// commandHelp is one command's usage, flags, and what its description adds.
func commandHelp(path string, c *cli.Command) string {
	var b strings.Builder
	line := path + " " + c.Name
	switch {
	case len(c.Subcommands) > 0:
		line += " COMMAND"
	case c.ArgsUsage != "":
		line += " " + c.ArgsUsage
	}
	fmt.Fprintf(&b, "%s: %s\n\nUsage:\n  %s [flags]\n", path+" "+c.Name, c.Usage, line)
	if len(c.Subcommands) > 0 {
		b.WriteString("\nCommands:\n")
		for _, s := range c.Subcommands {
			b.WriteString(report.Hang(fmt.Sprintf("  %-8s", s.Name), s.Usage, helpWidth))
		}
	}
	b.WriteString("\nFlags:\n")
	b.WriteString(flagList(c.Flags))
	if c.Description != "" {
		b.WriteString("\n" + c.Description)
	}
	return b.String()
}

func flagList(flags []cli.Flag) string {
	var b strings.Builder
	for _, f := range flags {
		switch f := f.(type) {
		case *cli.GenericFlag:
			v := f.Value.(*value)
			usage := f.Usage
			if v.initial != "" {
				usage += " (default " + v.initial + ")"
			}
			b.WriteString(flagHelp("--"+f.Name+" "+v.placeholder, usage))
		case *cli.BoolFlag:
			b.WriteString(flagHelp("--"+f.Name, f.Usage))
		}
	}
	return b.String()
}

// flagHelp puts the usage beside a flag, or below one that is too long.
func flagHelp(flag, usage string) string {
	const column = 21
	if len(flag) < column-3 {
		return report.Hang(fmt.Sprintf("  %-*s", column-2, flag), usage, helpWidth)
	}
	return "  " + flag + "\n" + report.Hang(strings.Repeat(" ", column), usage, helpWidth)
}
