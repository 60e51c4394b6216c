package commit

import "time"

const (
	// boundFraction of the recent shortest flush is the longest wait.
	boundFraction = 4

	// regretFraction of flush time may be spent on waits that did not pay.
	regretFraction = 50

	// creditWaits is how many longest waits may be regretted in a row: one
	// flush time's worth, enough to ride out a hiccup of the scheduler.
	creditWaits = 4

	// floorFlushes is the number of flushes after which the shortest one is
	// forgotten, at the latest after twice as many.
	floorFlushes = 64

	// bulk is the number of pending bytes above which there is no waiting.
	// A flush costs a fixed part and its transfer, and company saves the fixed
	// part alone; on the devices we measured or know the figures of (200 us and
	// 2.4 GB/s to 10 ms and 150 MB/s) the transfer has outgrown it by here.
	bulk = 1 << 20
)

// Adaptive, the default, waits for company it has reason to expect. Greedy
// leaves half of each flush empty, because the writers it has just acknowledged
// find the next flush already gone. Adaptive lets them come back first: it
// waits until as many callers wait as the last flush acknowledged plus those
// that queued behind it, and N closed-loop writers share each flush.
//
// It never waits when nobody else was there (a lone writer is flushed at once)
// or when a MiB is pending, and never longer than a quarter of the shortest
// recent flush, give or take the scheduler. What it learns, it learns from its
// own flushes.
//
// A wait that did not pay is regretted: it neither completed the company nor
// brought it twice as fast as an even stream of arrivals would have, or it
// overran its bound because waking the company takes longer than that. Regrets
// may take up to a fiftieth of the time spent in flushes, with a credit of one
// flush to start from; when that is used up, as with writers that think for
// long or arrive independently, Adaptive is Greedy with a rare probe. What
// waits that did not pay cost is thus at most 2 % of the time and one flush,
// stalls of the machine aside. Writers whose think times hardly vary may fall
// into another rhythm because of it, and that may cost or gain more than the
// wait itself.
func Adaptive() Policy { return adaptivePolicy{} }

type adaptivePolicy struct{}

func (adaptivePolicy) String() string          { return "adaptive" }
func (adaptivePolicy) start() (decider, error) { return &adaptive{}, nil }
func (adaptivePolicy) appends() int64          { return 0 }

// adaptive is the state of the policy between two decisions.
type adaptive struct {
	floor  floor
	bound  time.Duration // the longest wait; 0 until a flush was seen
	credit time.Duration // what may yet be regretted; no wait starts with less than bound
	blame  time.Duration // the most that one wait may be charged
	target int           // waiters pending once everybody is back

	waiting bool
	began   time.Duration // of the wait
	had     int           // waiters at that time
}

func (a *adaptive) next(v view) step {
	if !a.waiting {
		switch {
		case v.waiters >= a.target && a.target > 1:
			return step{flush: ReasonTarget}
		case a.target <= 1, a.bound == 0, a.credit < a.bound, v.bytes >= bulk:
			return step{flush: ReasonIdle}
		}
		a.waiting, a.began, a.had = true, v.now, v.waiters
	}
	s := step{until: a.began + a.bound, waiters: a.target, bytes: bulk}
	switch {
	case v.waiters >= a.target:
		s.flush = ReasonTarget
	case s.met(v):
		s.flush = ReasonFull
	case s.over(v):
		s.flush = ReasonWindow
	}
	return s
}

func (a *adaptive) flushed(f account) {
	if a.waiting {
		a.waiting = false
		a.charge(a.regret(f))
	}
	if f.records == 0 {
		return // no company came of it, nor a flush time
	}
	took := f.end - f.start
	first := a.bound == 0
	a.floor.add(took)
	a.bound = a.floor.shortest() / boundFraction
	a.credit = min(a.credit+took/regretFraction, a.bound*creditWaits)
	if first {
		a.credit = a.bound * creditWaits
	}
	a.target = f.waiters + f.queued
}

// charge takes what a wait did not repay from the credit.
//
// A wait that overruns by many flushes may be a stall of the machine, which
// would have hit a flush just as well, or may come of waking more callers than
// the processors can run. The first is charged like a whole flush, to be over
// soon; as long as no wait goes well in between, the next may be charged twice
// as much, until a wait that always overruns pays what it costs.
func (a *adaptive) charge(regret time.Duration) {
	whole := a.bound * creditWaits
	a.blame = max(a.blame, whole)
	a.credit -= min(regret, a.blame)
	switch {
	case regret == 0:
		a.blame = whole
	case regret > a.blame:
		a.blame *= 2
	}
}

// regret returns how much of the wait before flush f did not pay.
//
// Waiting d brought came callers more to the had ones. Arrivals that do not
// depend on the flush come evenly, came/had = d/F on average, and waiting for
// them gains nothing: all of them would share the next flush. So company has
// to come at twice that rate to count as drawn by the last acknowledgement.
func (a *adaptive) regret(f account) time.Duration {
	d := f.start - a.began
	came := time.Duration(f.waiters - a.had)
	had := time.Duration(max(a.had, 1))
	complete := f.waiters >= a.target
	dense := came*a.floor.shortest() >= 2*d*had
	if d <= 2*a.bound && (complete || dense) {
		return 0
	}
	return d
}

// A floor is the shortest of the last floorFlushes to 2*floorFlushes flushes,
// so that one lucky flush, or a device that has become slower, is forgotten.
type floor struct {
	n              int
	recent, before time.Duration // shortest of the running and of the last span
}

func (f *floor) add(took time.Duration) {
	if f.n == floorFlushes {
		f.n, f.before = 0, f.recent
	}
	if f.n == 0 || took < f.recent {
		f.recent = took
	}
	if f.before == 0 {
		f.before = took
	}
	f.n++
}

func (f *floor) shortest() time.Duration { return min(f.recent, f.before) }
