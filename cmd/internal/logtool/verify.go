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
	Kind string // a word of VerifyDocument.Kind
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

// Verify reads a whole log, writes what it found to out, as text or as one
// JSON document, and changes nothing. A log that is not whole is a *Finding.
func Verify(ctx context.Context, dir string, asJSON bool, out io.Writer) error {
	r, err := inspect(ctx, dir)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	finding := judge(r, err)
	if asJSON {
		err = writeJSON(out, document(dir, r, finding))
	} else {
		_, err = io.WriteString(out, describe(r, finding))
	}
	if err != nil {
		return err
	}
	if finding.Code == 0 {
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

// judge says of what kind a log is. A whole one has code 0, and no error.
func judge(r wal.Report, err error) *Finding {
	var damage *wal.CorruptionError
	switch {
	case errors.As(err, &damage):
		return &Finding{ExitCorrupt, err, damage.Kind.String()}
	case errors.Is(err, wal.ErrFormat):
		return &Finding{ExitUnknown, err, "newer_format"}
	case err != nil:
		return &Finding{ExitUnknown, err, "unknown"}
	case r.TornBytes > 0:
		return &Finding{ExitTorn, fmt.Errorf("torn tail: %d bytes in %s look like a write that did not finish; none were promised durable", r.TornBytes, r.TornSegment), "torn"}
	}
	return &Finding{0, nil, "clean"}
}

func describe(r wal.Report, f *Finding) string {
	var b strings.Builder
	switch {
	case f.Code == ExitCorrupt:
		fmt.Fprintf(&b, "corrupt    %v\n", f.Err)
	case f.Code == ExitUnknown:
		fmt.Fprintf(&b, "unknown    %v\n", f.Err)
	case f.Code == ExitTorn:
		fmt.Fprintf(&b, "torn       %s\n", strings.TrimPrefix(f.Error(), "torn tail: "))
	case r.Clean:
		b.WriteString("clean      closed cleanly\n")
	default:
		b.WriteString("clean      not closed, nothing torn\n")
	}
	if r.Segments > 0 {
		describeWhole(&b, r)
	}
	if f.Code == ExitCorrupt {
		fmt.Fprintf(&b, "behind     %s, can still be read behind the damage\n", tally(r.Behind, "records"))
	}
	return b.String()
}

func describeWhole(b *strings.Builder, r wal.Report) {
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
