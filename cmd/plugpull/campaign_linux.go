package main

import (
	"context"
	"fmt"
	"time"

	"walbench.example/wal"
)

// soundPart is the part of a file system's time that goes to the sound
// library; what planted faults need comes after.
const soundPart = 0.6

// cutsOfRun is how many cuts are derived from one run of writers.
const cutsOfRun = 60

// methods are the ways to sync that runs of the sound library take turns in.
// The faults are planted where the first one passes.
var methods = []wal.SyncMethod{wal.SyncFdatasync, wal.SyncFsync, wal.SyncFdatasync, wal.SyncDsync}

// campaign is what is done on one file system.
type campaign struct {
	*config
	*rig
	result *systemResult
	until  time.Time
}

// all plays the scenarios with the sound library, then with each fault.
func (c *campaign) all(ctx context.Context, nursery map[string]*planted) error {
	began := time.Now()
	if err := c.sound(ctx); err != nil {
		return err
	}
	c.result.Sound = time.Since(began).Seconds()
	for i := range c.Faults {
		f := &c.Faults[i]
		p := nursery[f.Name]
		select {
		case <-p.ready:
		case <-ctx.Done():
			return nil
		}
		if p.err != nil {
			return p.err
		}
		// What a fault leaves of its share goes to those after it.
		share := max(0, time.Until(c.until)) / time.Duration(len(c.Faults)-i)
		r, err := c.hunt(ctx, f, p.program, time.Now().Add(share))
		if err != nil || ctx.Err() != nil {
			return err
		}
		c.result.Faults = append(c.result.Faults, r)
	}
	return nil
}

// sound plays the scenarios in turn, on the sound library, until its share
// of the time, or of the cuts, is used up. Each is played at least once.
func (c *campaign) sound(ctx context.Context) error {
	if len(c.Scenarios) == 0 {
		return nil
	}
	agent, err := c.agent(self)
	if err != nil {
		return err
	}
	defer agent.close()
	until := time.Now().Add(time.Duration(float64(time.Until(c.until)) * soundShare(len(c.Faults))))
	for round := 0; ; round++ {
		for i, s := range c.Scenarios {
			sum := &c.result.Scenarios[i].tally
			enough := c.Cuts > 0 && c.result.cuts() >= c.Cuts || time.Now().After(until)
			if ctx.Err() != nil || round > 0 && enough {
				return nil
			}
			t := c.trial(agent, s, round)
			t.sync = methods[round%len(methods)]
			if enough {
				t.cuts /= 6 // late, but not without a look
			}
			f, err := t.play(ctx, sum)
			if err != nil {
				return fmt.Errorf("%s, %s, round %d: %w", c.system.Name, s.Name, round, err)
			}
			if f != nil {
				c.result.Failures = append(c.result.Failures, f)
			}
		}
	}
}

func soundShare(faults int) float64 {
	if faults == 0 {
		return 1
	}
	return soundPart
}

func (c *campaign) trial(agent *client, s scenario, round int) *trial {
	return &trial{rig: c.rig, agent: agent, scenario: s, sync: methods[0], session: c.Seed, round: round, cuts: cutsOfRun}
}

// hunt plays scenarios with a fault planted until it is found or the time
// for it is over, but each scenario at least once.
func (c *campaign) hunt(ctx context.Context, f *fault, program string, until time.Time) (*faultResult, error) {
	agent, err := c.agent(program)
	if err != nil {
		return nil, err
	}
	defer agent.close()
	r := &faultResult{Fault: f.Name, What: f.What}
	for i := 0; i < len(f.Scenarios) || time.Now().Before(until); i++ {
		s, err := pick(scenarios, f.Scenarios[i%len(f.Scenarios)], "scenario", func(s scenario) string { return s.Name })
		if err != nil {
			return nil, err
		}
		var sum tally
		found, err := c.trial(agent, s[0], i).play(ctx, &sum)
		if err != nil {
			return nil, fmt.Errorf("%s, with %s planted: %w", c.system.Name, f.Name, err)
		}
		r.Cuts += sum.Cuts
		if found != nil {
			r.Caught, r.By = true, found
			break
		}
		if ctx.Err() != nil {
			return r, nil
		}
	}
	r.judge(f, c.result)
	return r, nil
}
