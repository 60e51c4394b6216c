package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// statusEvery is how often the status line changes at most: a room may
// report each append.
const statusEvery = 100 * time.Millisecond

// status is the one line on a terminal that says what a run is at and how
// long it will take. A nil status says nothing. It is safe for concurrent
// use.
type status struct {
	w     io.Writer
	width func() int

	mu      sync.Mutex
	part    string        // of the run
	began   time.Time     // of the part
	planned time.Duration // of the part; 0: it has no plan
	later   time.Duration // plan of the parts after it
	shown   time.Time     // when the line was last written; zero: there is none
}

// newStatus returns a status line on f if that is a terminal which can take
// one back, and nil if not.
func newStatus(f io.Writer, quiet bool) *status {
	file, ok := f.(*os.File)
	if !ok || quiet || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return &status{w: f, width: func() int {
		width, _, err := term.GetSize(int(file.Fd()))
		if err != nil || width < 20 {
			return 80
		}
		return width
	}}
}

// begin starts a part and returns what its room reports to.
func (s *status) begin(part string, planned, later time.Duration) progressFunc {
	if s == nil {
		return func(float64, string) {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.part, s.planned, s.later, s.began = part, planned, later, time.Now()
	return s.report
}

func (s *status) report(done float64, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Sub(s.shown) < statusEvery {
		return
	}
	s.shown = now
	line := []rune(fmt.Sprintf("%s %3.0f %%  %s  %s", s.part, done*100, left(done, now.Sub(s.began), s.planned, s.later), what))
	line = line[:min(len(line), s.width()-1)]
	fmt.Fprintf(s.w, "\r\x1b[K%s", string(line))
}

// clear takes the line away, so that text can be written.
func (s *status) clear() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.shown.IsZero() {
		fmt.Fprint(s.w, "\r\x1b[K")
		s.shown = time.Time{}
	}
}

// left says how long the run will still take. What a part has taken so far
// tells more than its plan once there is enough of it.
func left(done float64, elapsed, planned, later time.Duration) string {
	if done > 0.1 || planned == 0 && done > 0 {
		planned = time.Duration(float64(elapsed) / done)
	}
	if planned == 0 {
		return "time left unknown"
	}
	seconds := max((planned - elapsed + later).Seconds(), 0)
	return fmt.Sprintf("%.0f s left", seconds)
}
