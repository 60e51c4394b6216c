package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"walbench.example/cmd/plugpull/internal/host"
)

// bench runs a campaign on each file system and reports.
func bench(ctx context.Context, c *config) error {
	if c.Seed == 0 {
		c.Seed = rand.Uint64() >> 1
	}
	fmt.Fprintf(os.Stderr, "plugpull: seed %d, %v on each of %d file systems\n", c.Seed, c.Seconds, len(c.Systems))
	began := time.Now()
	rigs, err := raise(c.Systems, func(s host.FileSystem) int64 { return s.Size }, 0)
	if err != nil {
		return err
	}
	nursery := plantAll(ctx, c.Faults, host.Stage)
	s := &session{Seed: c.Seed}
	for _, r := range rigs {
		sys := newSystemResult(r.system.Name, c.Scenarios)
		s.Systems = append(s.Systems, sys)
		run := &campaign{config: c, rig: r, result: sys, until: time.Now().Add(c.Seconds)}
		if err = run.all(ctx, nursery); err != nil || ctx.Err() != nil {
			break
		}
	}
	s.Seconds = time.Since(began).Seconds()
	s.Complete = err == nil && ctx.Err() == nil
	return conclude(c, s, err)
}

// conclude keeps what failed, prints what was reached, and says what it means.
func conclude(c *config, s *session, err error) error {
	if c.Keep != "" {
		for _, sys := range s.Systems {
			for _, f := range sys.Failures {
				err = errors.Join(err, f.keep(c.Keep))
			}
		}
	}
	if c.JSON == "-" {
		return errors.Join(err, s.encode(os.Stdout), s.verdict())
	}
	s.write(os.Stdout)
	if c.JSON != "" {
		err = errors.Join(err, s.save(c.JSON))
	}
	return errors.Join(err, s.verdict())
}

func (s *session) verdict() error {
	switch {
	case !s.good():
		return errFailed
	case !s.Complete:
		return errInterrupted
	}
	return nil
}
