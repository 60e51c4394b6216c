package main

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// A stop is the outcome of what it ended, and hides nothing that failed
// besides.
func TestStopHidesNoFailure(t *testing.T) {
	failure := errors.New("remove work directory: busy")
	canceled := fmt.Errorf("load: a cell: %w", context.Canceled)
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errInterrupted)
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		want string
		code int
	}{
		{"nothing", t.Context(), nil, "", 0},
		{"a failure", t.Context(), failure, failure.Error(), exitFailure},
		{"a stop after all was done", ended, nil, "interrupted", exitInterrupted},
		{"a stop", ended, canceled, "interrupted", exitInterrupted},
		{"a stop and its cause", ended, errors.Join(canceled, errInterrupted), "interrupted", exitInterrupted},
		{"a failure beside a stop", ended, failure, failure.Error(), exitFailure},
		{"a failure after a stop", ended, errors.Join(errors.Join(canceled, nil), failure), failure.Error(), exitFailure},
	} {
		err := stopped(c.ctx, c.err)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want || exitCode(err) != c.code {
			t.Errorf("%s: %q, exit code %d, want %q, %d", c.name, got, exitCode(err), c.want, c.code)
		}
	}
}
