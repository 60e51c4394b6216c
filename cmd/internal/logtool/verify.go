package logtool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"walbench.example/wal"
)

// Finding is why a log did not verify as clean, with the exit code that says
// so to scripts.
type Finding struct {
	Code int
	Err  error
}

// Exit codes of verify; 0 is a log that is whole.
const (
	ExitTorn    = 1
	ExitCorrupt = 3
	ExitUnknown = 4 // I/O error, no permission, not a log, newer format
)

func (f *Finding) Error() string { return f.Err.Error() }
func (f *Finding) Unwrap() error { return f.Err }
func (f *Finding) ExitCode() int { return f.Code }

// Verify reads a whole log, writes what it found to out, and changes nothing.
// A log that is not whole is a *Finding.
func Verify(ctx context.Context, dir string, out io.Writer) error {
	r, err := inspect(ctx, dir)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var b strings.Builder
	finding := judge(&b, r, err)
	if r.Segments > 0 {
		describe(&b, r)
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return err
	}
	if finding == nil {
		return nil
	}
	return finding
}

// inspect returns when ctx ends, and then leaves wal.Verify to itself: it
// knows no context, may have a large log still to read, and changes nothing.
func inspect(ctx context.Context, dir string) (wal.Report, error) {
	type outcome struct {
		report wal.Report
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := wal.Verify(dir, wal.Options{})
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		return o.report, o.err
	case <-ctx.Done():
		return wal.Report{}, ctx.Err()
	}
}

func judge(b *strings.Builder, r wal.Report, err error) *Finding {
	switch {
	case errors.Is(err, wal.ErrCorrupt):
		fmt.Fprintf(b, "corrupt    %v\n", err)
		return &Finding{ExitCorrupt, err}
	case err != nil:
		fmt.Fprintf(b, "unknown    %v\n", err)
		return &Finding{ExitUnknown, err}
	case r.TornBytes > 0:
		err := fmt.Errorf("torn tail: %d bytes in %s look like a write that did not finish; none were promised durable", r.TornBytes, r.TornSegment)
		fmt.Fprintf(b, "torn       %d bytes in %s look like a write that did not finish; none were promised durable\n", r.TornBytes, r.TornSegment)
		return &Finding{ExitTorn, err}
	case r.Clean:
		b.WriteString("clean      closed cleanly\n")
	default:
		b.WriteString("clean      not closed, nothing torn\n")
	}
	return nil
}

func describe(b *strings.Builder, r wal.Report) {
	fmt.Fprintf(b, "segments   %d\n", r.Segments)
	fmt.Fprintf(b, "records    %d, of %d bytes\n", r.Records, r.Bytes)
	if r.Records > 0 {
		fmt.Fprintf(b, "first      LSN %d\n", uint64(r.First))
		fmt.Fprintf(b, "last       LSN %d\n", uint64(r.Last))
	}
	fmt.Fprintf(b, "promised   all below LSN %d\n", uint64(r.Promised))
	fmt.Fprintf(b, "end        LSN %d\n", uint64(r.End))
	if len(r.Dead) > 0 {
		fmt.Fprintf(b, "unused     %s\n", strings.Join(r.Dead, " "))
	}
}
