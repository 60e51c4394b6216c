package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"walbench.example/cmd/internal/host"
	"walbench.example/cmd/internal/load"
	"walbench.example/cmd/internal/report"
)

// session is one run that measures: it asks the rooms in turn, prints each
// part when it is there, and leaves one document.
//
// Text goes to standard output, or to standard error when the document takes
// standard output. Warnings, progress and errors always go to standard error.
type session struct {
	*program
	c      *config
	text   *printer
	status *status
	color  bool
	doc    *report.Document
}

func newSession(p *program, c *config) *session {
	s := &session{program: p, c: c, text: p.out, status: newStatus(p.errs, c.quiet)}
	if c.json == "-" {
		s.text = &printer{w: p.errs, name: "standard error"}
	}
	s.color = takesColor(s.text.w)
	s.doc = &report.Document{
		Schema: report.Schema, Version: fullVersion(), CommandLine: os.Args, Configuration: c.run,
		Started: time.Now().UTC(), Loop: "closed", Warnings: []host.Warning{}, Verdict: []string{},
	}
	return s
}

// takesColor follows no-color.org.
func takesColor(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(file.Fd()))
}

func (s *session) run(ctx context.Context) error {
	file, err := openDocument(s.c.json, s.out)
	if err != nil {
		return err
	}
	err = stopped(ctx, s.measure(ctx))
	s.status.clear()
	if s.c.run.Command == "main" && (s.doc.Tax != nil || s.doc.Group != nil) {
		s.doc.Verdict = report.Verdict(s.doc)
		report.WriteVerdict(s.text, s.doc.Verdict)
	}
	s.doc.Finished = time.Now().UTC()
	s.doc.Interrupted = ctx.Err() != nil
	if err != nil && !errors.Is(err, errInterrupted) && !errors.Is(err, errPipe) {
		s.doc.Error = oneLine(err)
	}
	if err == nil {
		err = s.text.err // of the verdict; the parts report theirs
	}
	return errors.Join(err, file.write(s.doc))
}

// measure runs the parts. What it has measured stands in the document, also
// when it returns an error.
func (s *session) measure(ctx context.Context) (err error) {
	env, err := s.rooms.inspect(s.c.run.Parent)
	if err != nil {
		return err
	}
	if !s.onDisk() {
		env = withoutStorage(env)
	}
	s.doc.Environment = &env
	dir, err := s.prepare()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Remove()) }()
	if err := s.introduce(ctx, env, dir.Path()); err != nil {
		return err
	}
	if err := s.tax(ctx, dir.Path()); err != nil {
		return err
	}
	return s.group(ctx, dir.Path())
}

// withoutStorage leaves the machine: a simulated device is in memory, and
// what lies under the current directory says nothing about its figures.
func withoutStorage(env host.Environment) host.Environment {
	const na = "n/a (the device is simulated)"
	return host.Environment{
		FileSystem: na, MountPoint: na, MountOptions: []string{na}, Device: na, DeviceModel: na, Rotational: na, WriteCache: na,
		FreeBytes: -1, OS: env.OS, Arch: env.Arch, Kernel: env.Kernel, CPU: env.CPU, Cores: env.Cores,
		CPUQuota: env.CPUQuota, CPUQuotaN: env.CPUQuotaN, GOMAXPROCS: env.GOMAXPROCS, GoVersion: env.GoVersion,
		Durable: true, // of a directory: rows say what is durable on the device
	}
}

// prepare makes the work directory, where there is space for the run.
func (s *session) prepare() (workDir, error) {
	if !s.onDisk() {
		return nowhere{}, nil
	}
	if err := s.rooms.space(s.c.run.Parent, s.rooms.need(s.c.run)); err != nil {
		return nil, err
	}
	dir, err := s.rooms.workDir(s.c.run.Parent)
	if err != nil {
		return nil, err
	}
	s.dir.Store(&dir)
	return dir, nil
}

// introduce says what the figures to come are measured on, and what a reader
// must know before he believes them.
func (s *session) introduce(ctx context.Context, env host.Environment, dir string) error {
	var probe host.Probe
	if s.onDisk() {
		median, err := s.rooms.probe(ctx, dir)
		if err != nil {
			return err
		}
		probe.SyncMedian = median
	}
	warnings, err := host.Silence(s.rooms.warn(env, probe), s.c.run.Silenced)
	if err != nil {
		return err
	}
	s.doc.Warnings = append(s.doc.Warnings, warnings...)
	if s.c.quiet {
		return report.WarningCodes(s.errs, warnings)
	}
	report.Environment(s.text, s.doc)
	report.Warnings(s.errs, warnings)
	return s.readable()
}

// onDisk reports whether any part measures the disk, and not a simulated
// device alone.
func (s *session) onDisk() bool { return s.c.run.Tax != nil || s.onDevice() }

// onDevice reports whether the group part measures the disk.
func (s *session) onDevice() bool { return s.c.run.Group.Device == "real" }

func (s *session) tax(ctx context.Context, dir string) error {
	t := s.c.run.Tax
	if t == nil {
		return nil
	}
	result, failed := s.rooms.tax(ctx, dir, *t, s.status.begin("tax", t.Budget(), groupPlan(s.c.run.Group)))
	s.doc.Tax = result
	s.status.clear()
	if s.printsTables() && result != nil && len(result.Rows) > 0 {
		report.Tax(s.text, result.Rows)
	}
	return errors.Join(failed, s.readable())
}

func (s *session) group(ctx context.Context, dir string) error {
	g := s.c.run.Group
	if g == nil {
		return nil
	}
	result, failed := s.rooms.group(ctx, dir, *g, s.status.begin("group", groupPlan(g), 0))
	s.doc.Group = result
	s.qualify(result)
	s.status.clear()
	if s.printsTables() && result != nil && len(result.Rows) > 0 {
		report.Group(s.text, result)
		report.Chart(s.text, result.Rows, s.color)
	}
	return errors.Join(failed, s.readable())
}

// qualify takes back what only the environment can know to be wrong: a sync
// in memory makes nothing durable.
func (s *session) qualify(result *load.Result) {
	if result == nil || s.doc.Environment.Durable && s.onDevice() {
		return
	}
	for i := range result.Rows {
		result.Rows[i].Durable = false
	}
}

// printsTables leaves the tables of the main job to those who did not ask
// for results only: its result is the verdict.
func (s *session) printsTables() bool { return !s.c.quiet || s.c.run.Command != "main" }

// readable ends a run that nobody can read any more. If a document goes to a
// file, there still is somebody.
func (s *session) readable() error {
	if s.text.err == nil || s.c.json != "" && s.c.json != "-" {
		return nil
	}
	return s.text.err
}

// groupPlan is about how long the group part takes: the cells, each with its
// warm-up and its probe of the flush.
func groupPlan(g *report.GroupConfig) time.Duration {
	if g == nil {
		return 0
	}
	cells := len(g.Policies) * len(g.Writers) * g.Repeats
	return time.Duration(cells) * g.Cell() * 3 / 2
}

func isCanceled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, errInterrupted)
}
