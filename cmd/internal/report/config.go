package report

import (
	"fmt"
	"strings"
	"time"
)

// Config is what a run was asked to do, with every default filled in: enough
// to ask for the same run again.
type Config struct {
	Command  string       `json:"command"`          // main, tax or group
	Parent   string       `json:"parent_directory"` // where the run makes its own directory
	Silenced []string     `json:"silenced_warnings,omitempty"`
	Tax      *TaxConfig   `json:"tax"`   // null: not part of the run
	Group    *GroupConfig `json:"group"` // null: not part of the run
}

// TaxConfig configures the durability tax.
type TaxConfig struct {
	Shapes        []Shape `json:"shapes"`
	Every         []int   `json:"sync_every"` // N of the arms that sync every N appends
	Repeats       int     `json:"repeats"`
	BudgetSeconds float64 `json:"budget_seconds"` // for all arms together; 0: cut by the writes of the shapes
	Seed          uint64  `json:"seed"`           // of the payload and of the order of the arms
}

// Shape is a record size, and how often it is written.
type Shape struct {
	RecordBytes int   `json:"record_bytes"`
	Writes      int64 `json:"writes,omitempty"` // appends an arm makes in a repeat; 0: cut by time
}

// GroupConfig configures the group-commit part: a cell for each policy and
// number of writers.
type GroupConfig struct {
	Policies     []string `json:"policies"`
	Window       Window   `json:"window"`
	Writers      []int    `json:"writers"`
	Sync         string   `json:"sync"`
	RecordBytes  int      `json:"record_bytes"`
	CellSeconds  float64  `json:"cell_seconds"` // measured time of one cell in one repeat
	Repeats      int      `json:"repeats"`
	SegmentBytes int64    `json:"segment_bytes"`
	Device       string   `json:"device"` // real, or sim:200us+1ns/B
}

// Window is how long the window policy keeps a batch open.
type Window struct {
	DelaySeconds float64 `json:"delay_seconds"`
	Records      int     `json:"records,omitempty"` // closes early at this many; 0: no such cap
	Bytes        int64   `json:"bytes,omitempty"`   // closes early at this many; 0: no such cap
}

// Delay is the time a batch stays open.
func (w Window) Delay() time.Duration { return fromSeconds(w.DelaySeconds) }

// Cell is the measured time of one cell in one repeat.
func (g GroupConfig) Cell() time.Duration { return fromSeconds(g.CellSeconds) }

// Budget is the time all arms have together; 0 if they are cut by count.
func (t TaxConfig) Budget() time.Duration { return fromSeconds(t.BudgetSeconds) }

func fromSeconds(s float64) time.Duration { return time.Duration(s*1e9 + 0.5) }

// String is the form that --window takes.
func (w Window) String() string {
	text := w.Delay().String()
	if w.Records > 0 {
		text += fmt.Sprintf(",%d", w.Records)
	}
	if w.Bytes > 0 {
		text += "," + Size(w.Bytes)
	}
	return text
}

func (t TaxConfig) sentence() string {
	var shapes []string
	for _, s := range t.Shapes {
		text := size(int64(s.RecordBytes)) + " records"
		if s.Writes > 0 {
			text = count(s.Writes) + " x " + text
		}
		shapes = append(shapes, text)
	}
	cut := "cut by count"
	if t.BudgetSeconds > 0 {
		cut = "cut by time (" + t.Budget().String() + " in all)"
	}
	return fmt.Sprintf("%s; synced after %s appends; %s; %d repeats", strings.Join(shapes, " and "),
		joinInts(append([]int{1}, t.Every...)), cut, t.Repeats)
}

func (g GroupConfig) sentence() string {
	policies := strings.Join(g.Policies, ", ")
	policies = strings.Replace(policies, window, window+" ("+g.Window.String()+")", 1)
	return fmt.Sprintf("%s; writers %s; %s records; %s; %v a cell, %d repeats; segments of %s; device %s",
		policies, joinInts(g.Writers), size(int64(g.RecordBytes)), g.Sync, g.Cell(), g.Repeats,
		size(g.SegmentBytes), g.Device)
}

func joinInts(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = count(int64(n))
	}
	return strings.Join(words, ", ")
}
