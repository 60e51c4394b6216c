package commit

import "time"

// A Policy says when pending records are flushed: at once, or a little later
// together with others. It is one of PerWrite, Greedy, Window and Adaptive. A
// Policy is a description without state; any number of committers may be made
// with the same one, concurrently.
//
// A policy decides only how long a free disk waits for company. Close, Flush,
// a full log buffer and appenders held up by Options.MaxPending flush at once
// under each of them, and so does a disk that has become free after the
// policy's time has passed.
type Policy interface {
	// String returns the policy's name, with its parameters if it has any.
	String() string

	// start returns a decider in its initial state, or says what is wrong
	// with the parameters.
	start() (decider, error)

	// appends bounds how many calls of Append may share a flush; 0: no bound.
	appends() int64
}

// A decider is a policy at work for one committer. It is pure: it sees views
// and accounts, never the log, a clock or a goroutine, and so runs in a test
// as an event model. The flusher is its only caller.
type decider interface {
	// next is asked while records are pending and no flush is running, again
	// after each wait, until it says flush.
	next(v view) step

	// flushed is told about each flush that did not fail.
	flushed(a account)
}

// A view is what a decider sees. Times count from the committer's start.
type view struct {
	now     time.Duration
	first   time.Duration // when the oldest pending record came
	records int           // pending: appended and not in flight
	bytes   int64         // length of those records
	waiters int           // callers waiting for them to be durable
}

// An account is what one flush did.
type account struct {
	start, end time.Duration
	records    int // 0: there was nothing to write, and no I/O
	waiters    int // acknowledged by it
	queued     int // waiters already pending at its end
}

// A step is a decision: flush now for a reason, or (reason 0) wait until a
// time, and no longer than until one of the counts is reached. A count of 0
// sets no bound.
type step struct {
	flush   Reason
	until   time.Duration
	records int
	bytes   int64
	waiters int
}

// over reports whether the wait s asked for has ended in v.
func (s step) over(v view) bool {
	return v.now >= s.until || s.met(v)
}

// met reports whether v reaches a count of s.
func (s step) met(v view) bool {
	return s.records > 0 && v.records >= s.records ||
		s.bytes > 0 && v.bytes >= s.bytes ||
		s.waiters > 0 && v.waiters >= s.waiters
}

// PerWrite flushes each Append by itself, in the order the callers came: N
// writers get one commit per flush between them, however many they are. It is
// the ceiling the other policies are measured against; a batch counts as one
// Append.
func PerWrite() Policy { return perWrite{} }

// Greedy flushes whenever the disk is free and something is pending: what
// arrives during a flush shares the next one. Closed-loop writers fall into
// two cohorts that take turns, so N of them share about N/2 commits per flush.
func Greedy() Policy { return greedy{} }

type greedy struct{}

func (greedy) String() string          { return "greedy" }
func (greedy) start() (decider, error) { return greedy{}, nil }
func (greedy) appends() int64          { return 0 }
func (greedy) next(view) step          { return step{flush: ReasonIdle} }
func (greedy) flushed(account)         {}

// perWrite decides as greedy does: there never is more than one append to
// decide about.
type perWrite struct{ greedy }

func (perWrite) String() string          { return "per-write" }
func (perWrite) start() (decider, error) { return perWrite{}, nil }
func (perWrite) appends() int64          { return 1 }
