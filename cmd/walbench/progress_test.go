package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTimeLeft(t *testing.T) {
	for _, c := range []struct {
		done                    float64
		elapsed, planned, later time.Duration
		want                    string
	}{
		{0, 0, 8 * time.Second, 12 * time.Second, "20 s left"},                           // by plan
		{0.5, 2 * time.Second, 8 * time.Second, 12 * time.Second, "14 s left"},           // faster than planned
		{0.5, 8 * time.Second, 8 * time.Second, 0, "8 s left"},                           // slower
		{0, time.Second, 0, 0, "time left unknown"},                                      // no plan yet
		{0.01, time.Second, 0, 0, "99 s left"},                                           // no plan, but a start
		{0, 10 * time.Second, 8 * time.Second, 0, "0 s left"},                            // overdue, not negative
		{1, 8 * time.Second, 8 * time.Second, 12*time.Second + time.Second, "13 s left"}, // the parts after it
	} {
		if got := left(c.done, c.elapsed, c.planned, c.later); got != c.want {
			t.Errorf("left(%v, %v, %v, %v) = %s, want %s", c.done, c.elapsed, c.planned, c.later, got, c.want)
		}
	}
}

func TestStatusIsOneLineWithinTheTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		s := &status{w: &b, width: func() int { return 40 }}
		report := s.begin("tax", 8*time.Second, 0)
		report(0.25, "fdatasync, growing file, 200 B, and so on")
		report(0.26, "too soon after the last")
		time.Sleep(2 * statusEvery)
		report(0.5, "fsync")
		s.clear()
		s.clear()
		got := strings.Split(b.String(), "\r\x1b[K")
		if len(got) != 4 || !strings.HasPrefix(got[1], "tax  25 %  ") || !strings.HasSuffix(got[2], "fsync") || got[3] != "" {
			t.Errorf("wrote %q", got)
		}
		for _, line := range got {
			if len([]rune(line)) >= 40 || strings.Contains(line, "\n") {
				t.Errorf("line %q does not stay on one line of 40 columns", line)
			}
		}
	})
}

func TestNoStatusWithoutATerminal(t *testing.T) {
	if s := newStatus(&bytes.Buffer{}, false); s != nil {
		t.Error("a buffer got a status line")
	}
	var none *status
	none.begin("tax", 0, 0)(0.5, "nothing")
	none.clear()
}
