package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"walbench.example/cmd/plugpull/internal/disk"
	"walbench.example/cmd/plugpull/internal/ledger"
	"walbench.example/wal"
)

// trial is one run of writers and the power cuts derived from it.
type trial struct {
	*rig
	agent    *client
	scenario scenario
	sync     wal.SyncMethod
	session  uint64 // its seed
	round    int
	cuts     int

	dice   *rand.Rand
	ledger *ledger.Ledger
	sum    *tally
}

// seed is the trial's own: a session for one scenario alone has the same.
func (t *trial) seed() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %s %d", t.session, t.system.Name, t.scenario.Name, t.round)
	return h.Sum64()
}

// play records one run and cuts it. It returns the first broken promise; an
// error is no verdict.
func (t *trial) play(ctx context.Context, sum *tally) (*failure, error) {
	t.sum, t.dice = sum, rand.New(rand.NewPCG(t.seed(), 0))
	t.device.Load(t.blank.Clone(), true, t.scenario.Fault)
	r, err := t.agent.ask(&request{Run: &playing{
		Scenario: t.scenario, Sync: t.sync, Policy: t.dice.IntN(len(policies)), Seed: t.seed(),
	}})
	if err != nil {
		return nil, err
	}
	sum.Runs++
	sum.Refused += r.Refused
	if r.Erred {
		sum.Errors++
	}
	if r.Reopened {
		sum.Reopened++
	}
	t.ledger = r.Ledger
	if r.Failure != "" {
		return t.failure(&check{}, r, nil), nil
	}
	return t.cut(ctx, t.device.Recording())
}

// cut checks images of cuts all over the recording.
func (t *trial) cut(ctx context.Context, rec *disk.Recording) (*failure, error) {
	c := disk.NewCutter(rec)
	c.Whole = t.system.Whole
	for i, at := range t.positions(rec) {
		if ctx.Err() != nil {
			return nil, nil
		}
		c.Advance(at)
		q := &check{Cut: uint64(at), Segment: t.scenario.Segment, Sync: t.sync, Again: t.dice.IntN(3) == 0}
		if i == 0 {
			q.Ledger = t.ledger
		}
		f, err := t.examine(c.Cut(t.dice), q)
		if f == nil && err == nil && q.Again {
			f, err = t.cutAgain()
		}
		if f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// positions picks where to cut: a third of them anywhere, a third just where
// somebody was told that his record is durable, and a third just before a
// flush is answered, when the most is at stake.
func (t *trial) positions(rec *disk.Recording) []int {
	var acked, flushes []int
	for _, e := range t.ledger.Entries {
		if e.Acked != ledger.Never {
			acked = append(acked, int(e.Acked))
		}
	}
	for i, e := range rec.Events {
		if e.Kind == disk.Answered && rec.Ops[e.Op].Flush {
			flushes = append(flushes, i)
		}
	}
	at := make([]int, t.cuts)
	for i := range at {
		from := [][]int{nil, acked, flushes}[i%3]
		if len(from) == 0 {
			at[i] = t.dice.IntN(len(rec.Events) + 1)
		} else {
			at[i] = from[t.dice.IntN(len(from))]
		}
	}
	slices.Sort(at)
	return at
}

// cutAgain cuts the power while the log recovers from the last cut, or while
// it is appended to afterwards.
func (t *trial) cutAgain() (*failure, error) {
	rec := t.device.Recording()
	c := disk.NewCutter(rec)
	c.Whole = t.system.Whole
	at := 1 + t.dice.IntN(len(rec.Events)) // what the ledger has from before is there from 1 on
	c.Advance(at)
	t.sum.Second++
	return t.examine(c.Cut(t.dice), &check{Second: true, Cut: uint64(at), Segment: t.scenario.Segment, Sync: t.sync})
}

// examine mounts an image and checks the log on it.
func (t *trial) examine(m *disk.Image, q *check) (*failure, error) {
	t.sum.count(m)
	t.device.Load(m.Clone(), q.Again, disk.Fault{})
	r, err := t.agent.ask(&request{Check: q})
	if err != nil {
		return nil, err
	}
	t.sum.Checked += r.Finding.Required
	t.sum.Lost += r.Finding.Lost
	if r.Torn > 0 {
		t.sum.Torn++
	}
	if r.Failure != "" {
		return t.failure(q, r, m), nil
	}
	return nil, nil
}

// failure is what a reply says, with all that is needed to see it again. The
// agent has the ledger of a second cut.
func (t *trial) failure(q *check, r *reply, m *disk.Image) *failure {
	c := *q
	c.Ledger, c.Second, c.Again = r.Ledger, false, false
	f := &failure{
		System: t.system.Name, Scenario: t.scenario.Name, Seed: t.session, Round: t.round,
		Cut: int(q.Cut), Second: q.Second, Where: r.Where, What: r.Failure, image: m, check: &c,
	}
	if m == nil {
		f.Cut = -1
	}
	return f
}
