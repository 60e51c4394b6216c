package main

import (
	"context"
	"io"
	"time"

	"walbench.example/cmd/internal/host"
	"walbench.example/cmd/internal/load"
	"walbench.example/cmd/internal/report"
	"walbench.example/cmd/internal/tax"
)

// rooms are the packages that do the work, as functions: the tests put
// others in their place. All take what to do from the configuration, and
// return what they measured also when they return an error: one of ctx when
// they were asked to stop. nil means that there is no row.
type rooms struct {
	inspect func(dir string) (host.Environment, error)
	warn    func(host.Environment, host.Probe) []host.Warning
	space   func(dir string, need int64) error
	need    func(report.Config) int64
	workDir func(parent string) (workDir, error)
	probe   func(ctx context.Context, dir string) (time.Duration, error)
	tax     func(ctx context.Context, dir string, c report.TaxConfig, progress progressFunc) (*tax.Result, error)
	group   func(ctx context.Context, dir string, c report.GroupConfig, progress progressFunc) (*load.Result, error)
	log     func(ctx context.Context, c logConfig, in io.Reader, out io.Writer) error
}

// progressFunc hears from a room how much of its work is done, from 0 to 1,
// and what it is at. It may be called from any goroutine, as often as one
// likes.
type progressFunc func(done float64, what string)

// workDir is a directory that a run made for itself. Remove may be called
// more than once, and concurrently.
type workDir interface {
	Path() string
	Remove() error
}

// nowhere is the work directory of a run that needs none.
type nowhere struct{}

func (nowhere) Path() string  { return "" }
func (nowhere) Remove() error { return nil }
