package commit

import (
	"container/heap"
	"testing"
	"time"
)

// model runs a policy's decisions against closed-loop writers and a device, in
// virtual time and in one goroutine. A writer acknowledged at t is back at
// t + think(); the flusher decides at t before anybody is back, as in life.
type model struct {
	d     decider
	flush func(records int) time.Duration
	think func() time.Duration
	late  func() time.Duration // by how much a wait overruns; nil: never

	now     time.Duration
	first   time.Duration
	waiting int      // writers pending
	back    arrivals // when the others return
	batches []int
	commits int
	held    time.Duration // time the disk was free and somebody waited
}

type arrivals []time.Duration

func (a arrivals) Len() int           { return len(a) }
func (a arrivals) Less(i, j int) bool { return a[i] < a[j] }
func (a arrivals) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *arrivals) Push(x any)        { *a = append(*a, x.(time.Duration)) }
func (a *arrivals) Pop() any {
	last := len(*a) - 1
	x := (*a)[last]
	*a = (*a)[:last]
	return x
}

const recordBytes = 200

func (m *model) arrive() {
	at := heap.Pop(&m.back).(time.Duration)
	m.now = max(m.now, at)
	if m.waiting == 0 {
		m.first = at
	}
	m.waiting++
}

// step runs up to the end of the next flush.
func (m *model) step() {
	if m.waiting == 0 {
		m.arrive()
	}
	free, held := m.now, false
	for {
		s := m.d.next(view{now: m.now, first: m.first, records: m.waiting,
			bytes: int64(m.waiting) * recordBytes, waiters: m.waiting})
		if s.flush != 0 {
			break
		}
		if len(m.back) > 0 && m.back[0] <= s.until {
			m.arrive()
		} else {
			m.now = max(m.now, s.until)
		}
		held = true
	}
	if held && m.late != nil {
		m.now += m.late()
		for len(m.back) > 0 && m.back[0] <= m.now {
			m.waiting++
			heap.Pop(&m.back)
		}
	}
	m.held += m.now - free

	start, covered := m.now, m.waiting
	m.waiting = 0
	end := start + m.flush(covered)
	for len(m.back) > 0 && m.back[0] <= end {
		m.arrive()
	}
	m.now = end
	m.batches = append(m.batches, covered)
	m.commits += covered
	m.d.flushed(account{start: start, end: end, records: covered, waiters: covered, queued: m.waiting})
	for range covered {
		heap.Push(&m.back, end+m.think())
	}
}

func newModel(t testing.TB, p Policy, writers int, flush time.Duration, think func() time.Duration) *model {
	t.Helper()
	d, err := p.start()
	if err != nil {
		t.Fatal(err)
	}
	m := &model{d: d, think: think, flush: func(int) time.Duration { return flush }}
	for i := range writers { // one writer first, the others find it in flight
		m.back = append(m.back, time.Duration(min(i, 1)))
	}
	return m
}

func atOnce() time.Duration { return 0 }
