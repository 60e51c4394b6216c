package tax

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"walbench.example/cmd/internal/stats"
)

// The two kinds of file.
const (
	growing  = "growing"
	prepared = "prepared"
)

// method is one way of the platform to make an append durable.
type method struct {
	mode string
	call string // what really runs, for the report
	na   string // why this platform does not have it; the rest is then unset

	flag    int                    // open flags that make each write synchronous
	opened  func(*os.File) error   // checks that the flags took; may be nil
	barrier func(f *os.File) error // nil: no call follows a write
}

// each returns the appends per barrier of the plain mode: 1, or 0 where no call
// follows a write.
func (m method) each() int {
	if m.barrier == nil {
		return 0
	}
	return 1
}

// leavesDirty reports whether written bytes stay in the page cache. Whoever
// syncs the same file next would pay for them.
func (m method) leavesDirty() bool { return m.barrier == nil && m.flag == 0 }

// arm is one mode on one kind of file with one shape, and what was measured of
// it so far.
type arm struct {
	method        // its own mode lacks the N
	mode   string // of the rows: fdatasync/10
	file   string
	shape  Shape
	every  int // appends per barrier; 0: none is called

	// batch is the appends of one batch, a multiple of every and the same in
	// all repeats: set in the first turn.
	batch   int
	repeats []Repeat
	latency *stats.Histogram // of appends, all repeats
	payload *payload         // shared by the arms of the shape, so that no arm repeats another's records
	failure error            // what ended the run in this arm
}

// String names the arm for a reader.
func (a *arm) String() string {
	return fmt.Sprintf("%s, %s file, %d B", a.mode, a.file, a.shape.RecordBytes)
}

// unit is the fewest appends after which all are synced.
func (a *arm) unit() int { return max(a.every, 1) }

// newArms returns the arms in the order of the rows: the methods as given, then
// each N for fdatasync and for fsync.
func newArms(config Config, methods []method) []*arm {
	var arms []*arm
	for _, shape := range config.Shapes {
		payload := newPayload(shape.RecordBytes, config.Seed)
		for _, file := range []string{growing, prepared} {
			for _, m := range methods {
				arms = append(arms, newArm(m, m.mode, file, shape, m.each(), payload))
			}
			for _, m := range methods {
				if m.mode != "fdatasync" && m.mode != "fsync" {
					continue
				}
				for _, n := range config.Every {
					every := m
					if m.na == "" {
						every.call = fmt.Sprintf("%s after every %d appends", m.call, n)
					}
					arms = append(arms, newArm(every, fmt.Sprintf("%s/%d", m.mode, n), file, shape, n, payload))
				}
			}
		}
	}
	return arms
}

func newArm(m method, mode, file string, shape Shape, every int, payload *payload) *arm {
	return &arm{
		method:  m,
		mode:    mode,
		file:    file,
		shape:   shape,
		every:   every,
		latency: stats.NewHistogram(),
		payload: payload,
	}
}

// tryAll makes one append by each method, outside any clock, and returns the
// arms that can be measured. A method that the volume refuses is marked n/a: that
// is an answer, not a failure.
func (b *bench) tryAll(ctx context.Context) ([]*arm, error) {
	refused := make(map[string]string)
	var measurable []*arm
	for _, a := range b.arms {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if a.na != "" {
			continue
		}
		reason, tried := refused[a.method.mode]
		if !tried {
			err := b.try(a)
			if err != nil && !unsupported(err) {
				a.failure = err
				return nil, fmt.Errorf("tax: try %v: %w", a, err)
			}
			if err != nil {
				reason = fmt.Sprintf("this volume refuses it: %v", err)
			}
			refused[a.method.mode] = reason
		}
		if a.na = reason; a.na == "" {
			measurable = append(measurable, a)
		}
	}
	return measurable, nil
}

func (b *bench) try(a *arm) error {
	f, err := b.disk.open(growing, a.method)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(make([]byte, a.shape.RecordBytes), 0)
	if err == nil && a.every > 0 {
		err = f.barrier()
	}
	if closing := b.disk.close(growing, f); err == nil {
		err = closing
	}
	return err
}

// unsupported reports whether err says that the method is not to be had here.
// F_FULLFSYNC answers ENOTSUP, ENOTTY or EINVAL on network, exFAT and FUSE
// volumes, and a file system without synchronous writes EINVAL to the open.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTTY)
}
