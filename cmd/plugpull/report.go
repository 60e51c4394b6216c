package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"
)

// session is the result of everything, as --json writes it.
type session struct {
	Seed     uint64          `json:"seed"`
	Systems  []*systemResult `json:"file_systems"`
	Seconds  float64         `json:"seconds"`
	Complete bool            `json:"complete"` // not interrupted
}

type systemResult struct {
	Name      string           `json:"fs"`
	Scenarios []scenarioResult `json:"scenarios"`
	Faults    []*faultResult   `json:"faults"`
	Failures  []*failure       `json:"failures"`
	Sound     float64          `json:"sound_seconds"` // spent on the sound library
}

func newSystemResult(name string, list []scenario) *systemResult {
	r := &systemResult{Name: name}
	for _, s := range list {
		r.Scenarios = append(r.Scenarios, scenarioResult{Name: s.Name})
	}
	return r
}

type scenarioResult struct {
	Name string `json:"scenario"`
	tally
}

type faultResult struct {
	Fault   string   `json:"fault"`
	What    string   `json:"what"`
	Cuts    int      `json:"cuts"`
	Caught  bool     `json:"caught"`
	Missed  bool     `json:"missed"` // not caught, though this file system shows it
	Verdict string   `json:"verdict"`
	By      *failure `json:"by,omitempty"`
}

// judge says what came of a fault, by what the sound library's runs showed on
// the same file system.
func (r *faultResult) judge(f *fault, s *systemResult) {
	shows := false
	switch f.Shown {
	case always:
		shows = true
	case tornTail:
		shows = s.sum(func(t *tally) int { return t.Torn }) > 0
	case reopened:
		shows = s.sum(func(t *tally) int { return t.Reopened }) > 0
	}
	switch {
	case r.Caught && r.By.Cut < 0:
		r.Verdict = "caught while writing"
	case r.Caught:
		r.Verdict = fmt.Sprintf("caught by cut %d", r.Cuts)
	case shows:
		r.Missed = true
		r.Verdict = fmt.Sprintf("MISSED in %d cuts, though %s", r.Cuts, f.Shown)
		if f.Shown == always {
			r.Verdict = fmt.Sprintf("MISSED in %d cuts", r.Cuts)
		}
	default:
		r.Verdict = fmt.Sprintf("hidden by this file system in %d cuts", r.Cuts)
	}
}

func (s *systemResult) sum(of func(*tally) int) int {
	n := 0
	for i := range s.Scenarios {
		n += of(&s.Scenarios[i].tally)
	}
	return n
}

func (s *systemResult) cuts() int { return s.sum(func(t *tally) int { return t.Cuts }) }

// good says whether nothing was lost and no fault missed.
func (s *session) good() bool {
	for _, sys := range s.Systems {
		if len(sys.Failures) > 0 {
			return false
		}
		for _, f := range sys.Faults {
			if f.Missed {
				return false
			}
		}
	}
	return true
}

// write prints the tables.
func (s *session) write(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "file system\tscenario\truns\tcuts\tdistinct\tsecond\ttorn tails\terrors\treopened\trefused\trecords checked\tlost\t")
	for _, sys := range s.Systems {
		for i := range sys.Scenarios {
			r := &sys.Scenarios[i]
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", sys.Name, r.Name,
				r.Runs, r.Cuts, r.Distinct, r.Second, r.Torn, r.Errors, r.Reopened, r.Refused, r.Checked, r.Lost)
		}
	}
	t.Flush()
	fmt.Fprintln(w)
	for _, sys := range s.Systems {
		if sys.Sound > 0 {
			fmt.Fprintf(w, "%s: %.0f cuts a minute, writers' runs included\n", sys.Name, float64(sys.cuts())/sys.Sound*60)
		}
	}
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nfile system\tplanted fault\t\t")
	for _, sys := range s.Systems {
		for _, f := range sys.Faults {
			fmt.Fprintf(t, "%s\t%s\t%s\t\n", sys.Name, f.What, f.Verdict)
		}
	}
	t.Flush()
	fmt.Fprintf(w, "\nseed %d, %v\n", s.Seed, time.Duration(s.Seconds*float64(time.Second)).Round(time.Second))
	for _, sys := range s.Systems {
		for _, f := range sys.Failures {
			fmt.Fprintf(w, "FAILED  %v\n        again: %s\n", f, f.again())
		}
	}
}

// save writes the results to a file, which is replaced.
func (s *session) save(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(s.encode(f), f.Close())
}

func (s *session) encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(s)
}
