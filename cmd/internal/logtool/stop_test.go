package logtool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// endless is lines without end, or a terminal: a few lines, and then a read
// that does not return while the test runs.
type endless struct {
	left   int
	silent chan struct{} // nil: lines go on
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left--; e.left < 0 && e.silent != nil {
		<-e.silent
		return 0, io.EOF
	}
	return copy(p, "line\n"), nil
}

// hook calls a function after each write.
type hook struct {
	bytes.Buffer
	written func(n int)
	n       int
}

func (h *hook) Write(p []byte) (int, error) {
	h.n++
	defer h.written(h.n)
	return h.Buffer.Write(p)
}

// A stop in the middle: the log holds exactly what was reported, also when
// the input says nothing more and does not end.
func TestAppendFinishesWhatItBegan(t *testing.T) {
	silent := make(chan struct{})
	defer close(silent)
	for _, in := range []*endless{{}, {left: 20, silent: silent}} {
		cause := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		out := &hook{written: func(n int) {
			if n == 20 {
				cancel(cause)
			}
		}}
		c := small(filepath.Join(t.TempDir(), "log"))
		c.Writers = 8
		if err := Append(ctx, c, in, out); err != cause {
			t.Errorf("error %v, want %v", err, cause)
		}
		reported, found := sorted(first(out.String())), first(dumped(t, c.Dir, "text"))
		if !slices.Equal(reported, found) {
			t.Errorf("reported %v, the log holds %v", reported, found)
		}
	}
}

// failing is a reader of the reports that takes n and then fails.
type failing struct{ n int }

var errGone = errors.New("gone")

func (f *failing) Write(p []byte) (int, error) {
	if f.n--; f.n < 0 {
		return 0, errGone
	}
	return len(p), nil
}

// A report that cannot be written names its line, and leaves a whole log.
func TestAppendFailsWithItsOutput(t *testing.T) {
	c := small(filepath.Join(t.TempDir(), "log"))
	c.Writers = 4
	err := Append(t.Context(), c, &endless{}, &failing{5})
	if !errors.Is(err, errGone) || !strings.HasPrefix(err.Error(), "line ") {
		t.Errorf("error %v, want the line and %v", err, errGone)
	}
	if err := Verify(t.Context(), c.Dir, false, io.Discard); err != nil {
		t.Error(err)
	}
}

func TestAppendFailsWithItsInput(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	in := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(errGone))
	err := Append(t.Context(), small(dir), in, io.Discard)
	if !errors.Is(err, errGone) || !strings.Contains(err.Error(), "line 2: ") {
		t.Errorf("error %v, want line 2 and %v", err, errGone)
	}
	if got := dumped(t, dir, "raw"); got != "a\n" {
		t.Errorf("the log holds %q: half a line is no line", got)
	}
}
