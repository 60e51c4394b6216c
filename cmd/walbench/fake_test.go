package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"walbench.example/cmd/internal/host"
	"walbench.example/cmd/internal/load"
	"walbench.example/cmd/internal/report"
	"walbench.example/cmd/internal/stats"
	"walbench.example/cmd/internal/tax"
)

// fakeRooms measure nothing and return fixed figures. What goes wrong is one
// word:
//
//	error      the tax ends in an I/O error after some rows
//	interrupt  a signal comes during the tax, as if Ctrl-C was pressed
//	twice      signals keep coming, and the tax does not heed the first
//	space      there is not enough space
//	memory     the directory is on tmpfs
func fakeRooms(wrong string) rooms {
	return rooms{
		inspect: func(dir string) (host.Environment, error) {
			env := host.Environment{Directory: "/fake", FileSystem: "ext4", MountPoint: "/", Device: "/dev/fake",
				FreeBytes: 1 << 30, OS: "linux", Arch: "amd64", Kernel: "6.1", CPU: "fake", Cores: 2, GOMAXPROCS: 2,
				CPUQuota: "none", Durable: true}
			if wrong == "memory" {
				env.FileSystem, env.Durable = "tmpfs", false
			}
			return env, nil
		},
		warn: host.Warnings,
		space: func(dir string, need int64) error {
			if wrong == "space" {
				return fmt.Errorf("host: check space in %s: needs 64 MiB, 3 MiB free", dir)
			}
			return nil
		},
		need:    func(report.Config) int64 { return 64 << 20 },
		workDir: func(parent string) (workDir, error) { return host.NewWorkDir(parent) },
		probe:   func(context.Context, string) (time.Duration, error) { return 190 * time.Microsecond, nil },
		tax: func(ctx context.Context, dir string, _ report.TaxConfig, progress progressFunc) (*tax.Result, error) {
			progress(0.5, "half")
			return fakeTax(ctx, dir, wrong)
		},
		group: func(_ context.Context, _ string, c report.GroupConfig, progress progressFunc) (*load.Result, error) {
			progress(0.5, "half")
			return fakeGroup(c), nil
		},
		log: func(_ context.Context, c logConfig, _ io.Reader, out io.Writer) error {
			if c.verb == "verify" {
				return codedError(3)
			}
			_, err := fmt.Fprintf(out, "%+v\n", c)
			return err
		},
	}
}

// codedError is an error of the log tools, which have exit codes of their
// own.
type codedError int

func (e codedError) Error() string { return "log is corrupt" }
func (e codedError) ExitCode() int { return int(e) }

func fakeTax(ctx context.Context, dir, wrong string) (*tax.Result, error) {
	// A file left open and behind, as by a part that is stopped.
	if err := os.WriteFile(dir+"/segment", []byte("x"), 0o600); err != nil {
		return nil, err
	}
	result := &tax.Result{Rows: []tax.Row{
		fakeRow("none", "prepared", 3e-6, 1), fakeRow("fdatasync", "prepared", 190e-6, 63), fakeRow("fdatasync", "growing", 400e-6, 133),
	}}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return nil, err
	}
	switch wrong {
	case "error":
		return result, fmt.Errorf("tax: fdatasync, growing file: sync: %w", syscall.EIO)
	case "interrupt":
		self.Signal(os.Interrupt)
		<-ctx.Done()
		return result, ctx.Err()
	case "twice":
		for range time.Tick(10 * time.Millisecond) {
			self.Signal(os.Interrupt)
		}
	}
	return result, nil
}

func fakeRow(mode, file string, cost, ratio float64) tax.Row {
	rate, bytes, p := 1/cost, 200/cost, cost
	return tax.Row{Mode: mode, File: file, RecordBytes: 200, Writes: 5000,
		Append:           &stats.Latency{P50: &p, P95: &p, P99: &p, Max: &p, N: 5000},
		RecordsPerSecond: &rate, BytesPerSecond: &bytes, RatioToNone: &ratio}
}

func fakeGroup(c report.GroupConfig) *load.Result {
	result := &load.Result{Device: c.Device, SegmentBytes: c.SegmentBytes, PeakBytes: 3 * c.SegmentBytes}
	for _, policy := range c.Policies {
		for _, writers := range c.Writers {
			f, share := 190e-6, 0.95
			rate := share * float64(writers) / f
			result.Rows = append(result.Rows, load.Row{Policy: policy, Sync: c.Sync, Writers: writers, RecordBytes: c.RecordBytes,
				CommitsPerSecond: rate, CommitsPerFlush: float64(writers), ProbeFlush: &f, IdealFraction: &share, Durable: true})
		}
	}
	return result
}
