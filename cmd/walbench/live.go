package main

import (
	"context"
	"io"
	"time"

	"walbench.example/cmd/internal/host"
	"walbench.example/cmd/internal/load"
	"walbench.example/cmd/internal/logtool"
	"walbench.example/cmd/internal/report"
	"walbench.example/cmd/internal/stats"
	"walbench.example/cmd/internal/tax"
	"walbench.example/wal"
)

// How W07 learns how fast a sync is: writes of a page for a short while.
const (
	probeBytes = 4096
	probeTime  = 100 * time.Millisecond
)

// liveRooms are the packages themselves.
func liveRooms() rooms {
	return rooms{
		inspect: host.Inspect,
		warn:    host.Warnings,
		space:   host.CheckSpace,
		need:    spaceNeeded,
		workDir: func(parent string) (workDir, error) { return host.NewWorkDir(parent) },
		probe:   probeSync,
		tax:     runTax,
		group:   runGroup,
		log:     runLog,
	}
}

func spaceNeeded(c report.Config) int64 {
	var need int64
	if c.Tax != nil {
		need = tax.SpaceNeeded(taxConfig("", *c.Tax))
	}
	if c.Group != nil {
		need = max(need, load.Segments*c.Group.SegmentBytes)
	}
	return need
}

func probeSync(ctx context.Context, dir string) (time.Duration, error) {
	times, err := tax.ProbeFlush(ctx, dir, "", probeBytes, probeTime)
	if err != nil || len(times) == 0 {
		return 0, err
	}
	return time.Duration(stats.Median(times) * float64(time.Second)), nil
}

func taxConfig(dir string, c report.TaxConfig) tax.Config {
	config := tax.Config{Dir: dir, Every: c.Every, Repeats: c.Repeats, Budget: c.Budget(), Seed: c.Seed}
	for _, s := range c.Shapes {
		config.Shapes = append(config.Shapes, tax.Shape{RecordBytes: s.RecordBytes, Writes: int(s.Writes)})
	}
	return config
}

func runTax(ctx context.Context, dir string, c report.TaxConfig, progress progressFunc) (*tax.Result, error) {
	result, err := tax.Run(ctx, taxConfig(dir, c), func(p tax.Progress) {
		if p.Total > 0 {
			progress(p.Done.Seconds()/p.Total.Seconds(), p.What)
		}
	})
	if len(result.Rows) == 0 {
		return nil, err
	}
	return &result, err
}

func runGroup(ctx context.Context, dir string, c report.GroupConfig, progress progressFunc) (*load.Result, error) {
	method, err := wal.ParseSync(c.Sync)
	if err != nil {
		return nil, err
	}
	result, err := load.Run(ctx, load.Config{
		Dir: dir, Policies: c.Policies, Writers: c.Writers, Sync: method,
		Window:      windowOf(c.Window),
		RecordBytes: c.RecordBytes, Cell: c.Cell(), Repeats: c.Repeats, SegmentBytes: c.SegmentBytes, Device: c.Device,
	}, func(p load.Progress) { progress(p.Done, p.What) })
	if len(result.Rows) == 0 {
		return nil, err
	}
	return &result, err
}

func runLog(ctx context.Context, c logConfig, in io.Reader, out io.Writer) error {
	switch c.verb {
	case "append":
		method, err := wal.ParseSync(c.sync)
		if err != nil {
			return err
		}
		policy, err := load.Policy(c.policy, windowOf(c.window))
		if err != nil {
			return err
		}
		return logtool.Append(ctx, logtool.AppendConfig{
			Dir: c.dir, Writers: c.writers, Policy: policy, Sync: method, SegmentBytes: c.segment,
		}, in, out)
	case "dump":
		return logtool.Dump(ctx, c.dir, c.format, out)
	case "repair":
		return logtool.Repair(c.dir, c.yes, out)
	case "trim":
		return logtool.Trim(c.dir, c.lsn, out)
	default:
		return logtool.Verify(ctx, c.dir, c.json, out)
	}
}

func windowOf(w report.Window) load.Window {
	return load.Window{Delay: w.Delay(), Records: w.Records, Bytes: w.Bytes}
}
