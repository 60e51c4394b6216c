package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/urfave/cli/v2"
)

// version is that of the program; the document's form has its own.
const version = "0.1.0"

// run carries out one command line and returns how it ended, after it has
// written that to stderr.
func run(args []string, r rooms, stdin io.Reader, stdout, stderr io.Writer) error {
	ignorePipe()
	p := &program{rooms: r, in: stdin, out: &printer{w: stdout, name: "standard output"}, errs: stderr}
	err := p.run(args)
	if err == nil {
		err = p.out.err
	}
	if err != nil && exitCode(err) != exitPipe {
		fmt.Fprintf(stderr, "walbench: %s\n", oneLine(err))
	}
	return err
}

// program is one run of walbench: a command line, and the streams around it.
type program struct {
	rooms rooms
	in    io.Reader
	out   *printer
	errs  io.Writer

	// dir is the work directory while there is one, for a second signal to
	// remove.
	dir atomic.Pointer[workDir]
}

func (p *program) run(args []string) error {
	c := newConfig()
	app := p.app(c)
	line, err := arrange(app, args)
	if err != nil {
		return err
	}
	return app.Run(append([]string{app.Name}, line...))
}

// app declares the commands. Each fills the one config and hands it on; no
// function below knows urfave/cli.
func (p *program) app(c *config) *cli.App {
	usageError := func(_ *cli.Context, err error, _ bool) error {
		if c.invalid != nil {
			return c.invalid
		}
		return &usageError{err.Error()}
	}
	measure := func(name string) cli.ActionFunc {
		return func(*cli.Context) error { return p.measure(c, name) }
	}
	app := &cli.App{
		Name: "walbench", HideHelpCommand: true, HideVersion: true,
		Writer: p.out, ErrWriter: p.errs,
		ExitErrHandler: func(*cli.Context, error) {}, // the exit is main's
		OnUsageError:   usageError,
		Flags:          c.measuringFlags(), Action: measure("main"),
		Commands: []*cli.Command{
			{Name: "tax", Usage: "what one durable append costs, by each way to sync", Flags: c.taxFlags(), Action: measure("tax")},
			{Name: "group", Usage: "how far group commit goes past one commit a flush", Flags: c.groupFlags(), Action: measure("group")},
			{Name: "log", Usage: "append to, dump, verify, repair and trim a log", Flags: c.everywhereFlags(),
				Subcommands: p.logCommands(c),
				Action:      func(*cli.Context) error { return p.printVersion() }}, // all else is refused before
		},
	}
	app.CustomAppHelpTemplate = verbatim(rootHelp(app))
	prepare(app.Name, app.Commands, usageError)
	return app
}

func (p *program) logCommands(c *config) []*cli.Command {
	commands := []*cli.Command{
		{Name: "append", ArgsUsage: "DIR", Usage: "append the lines of standard input, print the LSN of each once it is durable"},
		{Name: "dump", ArgsUsage: "DIR", Usage: "print LSN, length and SHA-256 of each record; changes nothing"},
		{Name: "verify", ArgsUsage: "DIR", Usage: "print what recovery would find; changes nothing", Description: verifyCodes},
		{Name: "repair", ArgsUsage: "DIR", Usage: "end a damaged log before the damage, and move aside what comes behind; a dry run without --yes", Description: repairHelp},
		{Name: "trim", ArgsUsage: "DIR LSN", Usage: "remove the segments wholly below LSN"},
	}
	for _, command := range commands {
		command.Flags = c.logFlags(command.Name)
		command.Action = func(ctx *cli.Context) error { return p.log(c, command.Name, ctx.Args().Slice()) }
	}
	return commands
}

// prepare sets what all commands have in common.
func prepare(path string, commands []*cli.Command, usageError cli.OnUsageErrorFunc) {
	for _, c := range commands {
		c.HideHelpCommand = true
		c.OnUsageError = usageError
		c.CustomHelpTemplate = verbatim(commandHelp(path, c))
		prepare(path+" "+c.Name, c.Subcommands, usageError)
	}
}

// log runs one of the log commands.
func (p *program) log(c *config, verb string, args []string) error {
	if c.version {
		return p.printVersion()
	}
	if err := c.finishLog(verb, args); err != nil {
		return err
	}
	var out io.Writer = p.out
	if c.quiet && verb != "append" && verb != "dump" && !c.log.json { // whose output is the result
		out = io.Discard
	}
	ctx, stop := heed(func() {})
	defer stop()
	return stopped(ctx, p.rooms.log(ctx, c.log, p.in, out))
}

// measure runs one of the commands that measure.
func (p *program) measure(c *config, command string) error {
	if c.version {
		return p.printVersion()
	}
	if err := c.finish(command); err != nil {
		return err
	}
	ctx, stop := heed(p.removeDir)
	defer stop()
	return newSession(p, c).run(ctx)
}

func (p *program) removeDir() {
	if dir := p.dir.Load(); dir != nil {
		(*dir).Remove()
	}
}

func (p *program) printVersion() error {
	fmt.Fprintf(p.out, "walbench %s (%s %s/%s)\n", fullVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return p.out.err
}

// fullVersion adds the revision that the program was built from, if the
// build recorded it.
func fullVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	revision, dirty := "", ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			revision = "+" + setting.Value[:min(len(setting.Value), 12)]
		case setting.Key == "vcs.modified" && setting.Value == "true":
			dirty = ".dirty"
		}
	}
	if revision == "" {
		return version
	}
	return version + revision + dirty
}

// stopped is the outcome of a part: errInterrupted if a signal ended it,
// whatever the part made of the end of its context. What failed besides, such
// as the removal of the work directory, outweighs it: somebody has to know.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if err = besidesCancel(err); err != nil {
		return err
	}
	return errInterrupted
}

// besidesCancel returns what is left of joined errors without those that only
// say that a context ended.
func besidesCancel(err error) error {
	if !isCanceled(err) {
		return err
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var rest []error
	for _, e := range joined.Unwrap() {
		rest = append(rest, besidesCancel(e))
	}
	return errors.Join(rest...)
}

// verbatim is a template that yields text as it is.
func verbatim(text string) string {
	return "{{`" + strings.ReplaceAll(text, "`", "'") + "`}}"
}
