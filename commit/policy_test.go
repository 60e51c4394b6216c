package commit

import (
	"math"
	"slices"
	"testing"
	"time"
)

// On a device of constant flush time F with N writers that do not think, the
// commits of a number of flushes are exact: Greedy alternates between the one
// that started and the others, N/(2F); Adaptive joins them in the second flush
// and keeps them together, N/F.
func TestPoliciesOnConstantDevice(t *testing.T) {
	const flush, flushes = 200 * time.Microsecond, 200
	for _, n := range []int{1, 2, 4, 8, 64, 1024} {
		greedy := newModel(t, Greedy(), n, flush, atOnce)
		adaptive := newModel(t, Adaptive(), n, flush, atOnce)
		for range flushes {
			greedy.step()
			adaptive.step()
		}
		want := flushes / 2 * n
		if n == 1 {
			want = flushes
		}
		if greedy.commits != want || greedy.held != 0 {
			t.Errorf("greedy, %d writers: %d commits in %d flushes, want %d; disk held free for %v",
				n, greedy.commits, flushes, want, greedy.held)
		}
		if want := 1 + (flushes-1)*n; adaptive.commits != want {
			t.Errorf("adaptive, %d writers: %d commits in %d flushes, want %d (%v ...)",
				n, adaptive.commits, flushes, want, adaptive.batches[:8])
		}
		share := float64(adaptive.commits) / (float64(n) * float64(adaptive.now) / float64(flush))
		if share < 0.95 {
			t.Errorf("adaptive, %d writers: %.3f of N/F, want at least 0.95", n, share)
		}
	}
}

func TestWindowDecides(t *testing.T) {
	const ms = time.Millisecond
	w, err := Window(2*ms, 64, 1<<20).start()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		v    view
		want Reason
	}{
		{"fresh", view{now: 10 * ms, first: 10 * ms, records: 1}, 0},
		{"almost", view{now: 12*ms - 1, first: 10 * ms, records: 63, bytes: 1<<20 - 1}, 0},
		{"delay", view{now: 12 * ms, first: 10 * ms, records: 1}, ReasonWindow},
		{"spent behind a flush", view{now: 15 * ms, first: 10 * ms, records: 1}, ReasonWindow},
		{"records", view{now: 10 * ms, first: 10 * ms, records: 64}, ReasonFull},
		{"bytes", view{now: 10 * ms, first: 10 * ms, records: 1, bytes: 1 << 20}, ReasonFull},
	} {
		s := w.next(test.v)
		if s.flush != test.want {
			t.Errorf("%s: flush for %v, want %v", test.name, s.flush, test.want)
		}
		if want := test.v.first + 2*ms; s.flush == 0 && s.until != want {
			t.Errorf("%s: wait until %v, want %v", test.name, s.until, want)
		}
	}
}

// A delay without end leaves it to the caps.
func TestWindowWithoutEnd(t *testing.T) {
	w, err := Window(math.MaxInt64, 2, 0).start()
	if err != nil {
		t.Fatal(err)
	}
	v := view{now: time.Second, first: time.Second, records: 1}
	if s := w.next(v); s.flush != 0 || s.until <= v.now {
		t.Errorf("one record: flush for %v, wait until %v, want a wait", s.flush, s.until)
	}
	v.records = 2
	if s := w.next(v); s.flush != ReasonFull {
		t.Errorf("two records: flush for %v, want full", s.flush)
	}
}

// A Policy is a value: committers made with the same one do not share state.
func TestPolicyKeepsNoState(t *testing.T) {
	p := Adaptive()
	a, b := newModel(t, p, 8, time.Millisecond, atOnce), newModel(t, p, 8, time.Millisecond, atOnce)
	for range 10 {
		a.step()
	}
	for range 10 {
		b.step()
	}
	if !slices.Equal(a.batches, b.batches) {
		t.Errorf("second committer's batches %v, first's %v", b.batches, a.batches)
	}
}
