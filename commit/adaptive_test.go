package commit

import (
	"math/rand/v2"
	"testing"
	"time"
)

// A lone writer is flushed the moment it comes, however long it thinks.
func TestAdaptiveNeverHoldsLoneWriter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	think := func() time.Duration { return time.Duration(r.IntN(1_000_000)) }
	m := newModel(t, Adaptive(), 1, 200*time.Microsecond, think)
	for range 1000 {
		m.step()
	}
	if m.held != 0 {
		t.Errorf("held the lone writer for %v in all", m.held)
	}
}

// A record that nobody waits for yet is no company to wait for either: one
// goroutine that appends, and waits later, is flushed at once.
func TestAdaptiveNeverHoldsLoneAppend(t *testing.T) {
	d, err := Adaptive().start()
	if err != nil {
		t.Fatal(err)
	}
	d.flushed(account{end: time.Millisecond, records: 1, waiters: 1})
	v := view{now: 2 * time.Millisecond, first: 2 * time.Millisecond, records: 1}
	if s := d.next(v); s.flush != ReasonIdle {
		t.Errorf("append after a lone commit: flush for %v, want idle", s.flush)
	}
}

// The bound in Adaptive's doc comment: 2 % and one flush are all it loses to
// Greedy, with writers whose think times span from nothing to many flushes,
// alike or mixed, and a device that jitters, so that no rhythm lasts.
func TestAdaptiveIsNeverFarBehindGreedy(t *testing.T) {
	const flush, flushes = 200 * time.Microsecond, 3000
	thinks := map[string]func(r *rand.Rand) time.Duration{
		"none":    func(*rand.Rand) time.Duration { return 0 },
		"eighth":  func(*rand.Rand) time.Duration { return flush / 8 },
		"third":   func(*rand.Rand) time.Duration { return flush / 3 },
		"one":     func(*rand.Rand) time.Duration { return flush },
		"ten":     func(*rand.Rand) time.Duration { return 10 * flush },
		"uniform": func(r *rand.Rand) time.Duration { return time.Duration(r.Int64N(int64(4 * flush))) },
		"exponential": func(r *rand.Rand) time.Duration {
			return time.Duration(r.ExpFloat64() * float64(2*flush))
		},
		"mixed": func(r *rand.Rand) time.Duration { return time.Duration(r.IntN(2)) * 3 * flush },
	}
	for name, think := range thinks {
		for _, n := range []int{2, 3, 8, 64} {
			run := func(p Policy) *model {
				r := rand.New(rand.NewPCG(7, uint64(n)))
				m := newModel(t, p, n, flush, func() time.Duration { return think(r) })
				m.flush = func(int) time.Duration { return flush + time.Duration(r.Int64N(int64(flush)/4)) }
				for m.now < flushes*flush {
					m.step()
				}
				return m
			}
			g, a := run(Greedy()), run(Adaptive())
			rate := func(m *model) float64 { return float64(m.commits) / float64(m.now) }
			ratio := rate(a) / rate(g)
			if ratio < 0.98-1.0/flushes {
				t.Errorf("think %s, %d writers (seed 7,%d): adaptive makes %.3f of greedy's commits", name, n, n, ratio)
			}
		}
	}
}

// Waking 256 writers one after the other takes longer than the bound, and a
// wait that yields to so many overruns it: Adaptive has to give up on them.
func TestAdaptiveGivesUpWhenWakingCostsMore(t *testing.T) {
	const flush, writers = 200 * time.Microsecond, 256
	run := func(p Policy) *model {
		i := 0
		m := newModel(t, p, writers, flush, func() time.Duration {
			i++
			return time.Duration(i%writers) * time.Microsecond
		})
		m.late = func() time.Duration { return 8 * flush }
		for m.now < 5000*flush {
			m.step()
		}
		return m
	}
	g, a := run(Greedy()), run(Adaptive())
	if ratio := float64(a.commits) / float64(g.commits); ratio < 0.97 {
		t.Errorf("adaptive makes %.3f of greedy's commits, held the disk for %v of %v", ratio, a.held, a.now)
	}
}

// A machine that stalls now and then, in a wait as anywhere, does not put
// Adaptive off.
func TestAdaptiveShrugsOffStalls(t *testing.T) {
	const flush, writers, flushes = 200 * time.Microsecond, 8, 5000
	m := newModel(t, Adaptive(), writers, flush, func() time.Duration { return time.Microsecond })
	waits := 0
	m.late = func() time.Duration {
		if waits++; waits%200 == 0 {
			return 20 * flush
		}
		return 0
	}
	for range flushes {
		m.step()
	}
	if mean := float64(m.commits) / flushes; mean < 0.9*writers {
		t.Errorf("%.2f commits per flush, want at least %.2f", mean, 0.9*writers)
	}
}

// A wait is regretted unless it completed the company or brought it at twice
// the rate of an even stream, and in any case if it overran.
func TestAdaptiveRegrets(t *testing.T) {
	const flush = 400 * time.Microsecond // bound 100us
	for _, test := range []struct {
		name   string
		waited time.Duration
		came   int // to 16, of 32 awaited
		regret bool
	}{
		{"nobody", 100, 0, true},
		{"an even stream", 100, 4, true},
		{"twice as many", 100, 8, false},
		{"twice as many a second", 50, 4, false},
		{"all", 100, 16, false},
		{"all, far too late", 201, 16, true},
	} {
		a := &adaptive{}
		a.flushed(account{end: flush, records: 16, waiters: 16, queued: 16})
		if s := a.next(view{now: flush, records: 16, waiters: 16}); s.flush != 0 {
			t.Fatalf("%s: flush for %v, want a wait", test.name, s.flush)
		}
		wait := test.waited * time.Microsecond
		want := time.Duration(0)
		if test.regret {
			want = wait
		}
		got := a.regret(account{start: flush + wait, records: 16 + test.came, waiters: 16 + test.came})
		if got != want {
			t.Errorf("%s: regret %v, want %v", test.name, got, want)
		}
	}
}

// Where the transfer outweighs the barrier, company saves nothing worth a wait.
func TestAdaptiveDoesNotHoldBulk(t *testing.T) {
	d, err := Adaptive().start()
	if err != nil {
		t.Fatal(err)
	}
	d.flushed(account{end: time.Millisecond, records: 8, waiters: 8})
	v := view{now: time.Millisecond, records: 4, waiters: 4, bytes: bulk - 1}
	s := d.next(v)
	if s.flush != 0 {
		t.Fatalf("4 of 8 back: flush for %v, want a wait", s.flush)
	}
	v.bytes = bulk
	if !s.over(v) || d.next(v).flush != ReasonFull {
		t.Error("wait goes on though it has become bulk")
	}
	d.flushed(account{start: 2 * time.Millisecond, end: 3 * time.Millisecond, records: 8, waiters: 8})
	if s := d.next(v); s.flush != ReasonIdle {
		t.Errorf("bulk: flush for %v, want idle", s.flush)
	}
}

// A floor forgets: after a device slows down, the shortest flush is one of the
// slow ones within two spans.
func TestFloorForgets(t *testing.T) {
	var f floor
	f.add(time.Microsecond)
	for range 2 * floorFlushes {
		f.add(time.Millisecond)
	}
	if got := f.shortest(); got != time.Millisecond {
		t.Errorf("shortest = %v, want 1ms", got)
	}
	f.add(time.Microsecond)
	if got := f.shortest(); got != time.Microsecond {
		t.Errorf("shortest = %v right after a flush of 1us", got)
	}
}
