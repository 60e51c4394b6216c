package main

import (
	"fmt"

	"walbench.example/cmd/plugpull/internal/disk"
)

// tally is what trials of one scenario found.
type tally struct {
	Runs     int `json:"runs"`
	Cuts     int `json:"cuts"`        // images mounted, of second cuts too
	Distinct int `json:"distinct"`    // of different contents
	Second   int `json:"second_cuts"` // while recovering from a first, or later
	Torn     int `json:"torn_tails"`  // images in which the log saw one
	Errors   int `json:"errors"`      // runs that hit the error set for them
	Reopened int `json:"reopened"`    // and went on, reopened on the same mount
	Refused  int `json:"refused"`     // records refused for want of space
	Checked  int `json:"checked"`     // acknowledged records required, and compared byte for byte
	Lost     int `json:"lost"`        // of them, not there

	seen map[uint64]bool
}

// count enters an image.
func (t *tally) count(m *disk.Image) {
	if t.seen == nil {
		t.seen = map[uint64]bool{}
	}
	t.Cuts++
	if s := m.Sum(); !t.seen[s] {
		t.seen[s] = true
		t.Distinct++
	}
}

// failure is a broken promise, and how to see it again.
type failure struct {
	System   string `json:"fs"`
	Scenario string `json:"scenario"`
	Seed     uint64 `json:"seed"`   // of the session
	Round    int    `json:"round"`  // of the scenario, from 0
	Cut      int    `json:"cut"`    // position in the device's recording; -1: none was needed
	Second   bool   `json:"second"` // of a cut after a cut
	Where    string `json:"where"`  // mount, open, check, append, close, run
	What     string `json:"what"`
	Kept     string `json:"kept,omitempty"` // file for --recheck

	image *disk.Image
	check *check
}

func (f *failure) String() string {
	cut := fmt.Sprintf("cut at event %d", f.Cut)
	switch {
	case f.Second:
		cut = fmt.Sprintf("second cut, at event %d", f.Cut)
	case f.Cut < 0:
		cut = "while writing"
	}
	return fmt.Sprintf("%s, %s, seed %d, round %d, %s: %s: %s", f.System, f.Scenario, f.Seed, f.Round, cut, f.Where, f.What)
}

// again is a command that shows the failure once more: the very image if it
// was kept, else the same run, whose writers may be scheduled otherwise.
func (f *failure) again() string {
	if f.Kept != "" {
		return fmt.Sprintf("go run . --recheck '%s'", f.Kept)
	}
	return fmt.Sprintf("go run . --fs %s --scenario '%s' --seed %d --faults none --keep DIR", f.System, f.Scenario, f.Seed)
}
