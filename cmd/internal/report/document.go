// Package report turns the result of a run into what a reader gets: one JSON
// document for programs, and blocks of text for people. It measures nothing
// and decides nothing about the run.
//
// Each block of text is a function from data to an io.Writer, at most 100
// columns wide. Figures carry their unit and three significant digits. The
// functions write once, so a Writer that fails loses whole blocks, and they
// return its error.
package report

import (
	"fmt"
	"io"
	"time"

	"walbench.example/cmd/internal/host"
	"walbench.example/cmd/internal/load"
	"walbench.example/cmd/internal/tax"
)

// Schema names the form of a Document. Fields may be added under the same
// name; a field that changes its meaning or goes away changes the name.
const Schema = "walbench/1"

// Document is the JSON document of one run, whole, failed or interrupted.
type Document struct {
	Schema        string    `json:"schema"`
	Version       string    `json:"walbench_version"`
	CommandLine   []string  `json:"command_line"`
	Configuration Config    `json:"configuration"`
	Started       time.Time `json:"started"`
	Finished      time.Time `json:"finished"`

	// Loop says how the load was offered. A writer sends its next record
	// when the last one is acknowledged, so latencies are service times and
	// say nothing about a queue in front of the log.
	Loop string `json:"loop"` // closed

	Environment *host.Environment `json:"environment"` // null: could not be found out
	Warnings    []host.Warning    `json:"warnings"`    // those that were not silenced
	Tax         *tax.Result       `json:"tax"`         // null: not part of the run, or never begun
	Group       *load.Result      `json:"group"`       // null: the same
	Verdict     []string          `json:"verdict"`     // three sentences of the main job, else empty

	Interrupted bool   `json:"interrupted"`     // by a signal: what stands here was measured before it
	Error       string `json:"error,omitempty"` // what ended the run early
}

// Write writes the document, indented, with a newline at its end. Figures
// that are not finite are written as null.
func (d *Document) Write(w io.Writer) error {
	text, err := encode(d)
	if err != nil {
		return fmt.Errorf("report: encode document: %w", err)
	}
	_, err = w.Write(text)
	return err
}

func (d *Document) taxRows() []tax.Row {
	if d.Tax == nil {
		return nil
	}
	return d.Tax.Rows
}
