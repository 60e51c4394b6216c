// Package tax measures what it costs to make one append durable: the same
// records are written to a plain file in each mode that the platform has, from
// no sync at all to a sync after each append.
//
// The method is that of a careful stopwatch:
//
//   - One writer appends records of one size; nothing of the log runs here.
//   - Each mode runs on a growing file, created anew each time, and on a
//     prepared file, which was filled with zeros and synced before any clock
//     started and is overwritten from its start, round and round.
//   - Modes take turns in an order that is shuffled for each repeat, so that a
//     disk that slows down slows all of them.
//   - The first eighth of a turn is discarded.
//   - Throughput is the size of a batch over the median wall time of a batch,
//     its syncs included. It is never summed over repeats.
//   - What failed is not counted: the first error ends the run.
package tax

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Config says what to measure. The zero value of each field but Dir is the
// main job's.
type Config struct {
	// Dir is an existing directory. Run creates its files in it, never opens
	// one that it did not create, and removes them before it returns.
	Dir string

	Shapes  []Shape       // default: 200 B, cut by time
	Every   []int         // N of the every-N modes, each 2 or more; nil means 10 and 50, empty none
	Repeats int           // default 5
	Budget  time.Duration // time for the whole part when cut by time, default 8 s
	Seed    uint64        // of the payload and of the order of modes
}

// Shape is a record size and where its turns are cut.
type Shape struct {
	RecordBytes int // 1 B to 64 MiB

	// Writes is the number of appends measured in each mode, file and repeat.
	// 0 cuts by time: the budget is divided evenly, and a slow mode has fewer
	// samples. Either all shapes of a Config are cut by time or none.
	Writes int
}

// maxRecordBytes bounds the memory that a payload takes.
const maxRecordBytes = 64 << 20

// LabShapes returns the shapes of the published labs that this part repeats,
// lab1 and lab2; it is false for any other name.
func LabShapes(name string) ([]Shape, bool) {
	switch name {
	case "lab1":
		return []Shape{{RecordBytes: 200, Writes: 2000}}, true
	case "lab2":
		return []Shape{{RecordBytes: 256, Writes: 2000}, {RecordBytes: 4096, Writes: 500}}, true
	}
	return nil, false
}

// Progress is where a run stands. Total is the budget, or an estimate when cut
// by count: 0 until the first turn ended.
type Progress struct {
	Done, Total time.Duration
	What        string // the turn that starts now: "fdatasync, growing file, 200 B"
}

// Result is what one run measured.
type Result struct {
	Rows          []Row  `json:"rows"`    // by shape, then growing before prepared, then from no sync to the most
	Payload       string `json:"payload"` // what the records hold
	PreparedBytes int64  `json:"prepared_bytes"`
	Seed          uint64 `json:"seed"`
	Interrupted   bool   `json:"interrupted,omitempty"`
}

// Run measures every mode and returns one row for each mode, file and shape.
//
// It blocks for about the budget, or longer where one whole round over the
// modes takes longer: then it does fewer repeats than asked, and the rows say
// how many. After an I/O error or when ctx ends it returns what was measured so far
// and an error, which names mode, file and operation or is that of ctx.
//
// progress, unless nil, is called from the same goroutine before each turn and
// outside the clock.
func Run(ctx context.Context, config Config, progress func(Progress)) (Result, error) {
	config = config.withDefaults()
	if err := config.validate(); err != nil {
		return Result{}, err
	}
	epoch := time.Now()
	b := &bench{
		config: config,
		disk:   &directory{dir: config.Dir, prefix: "walbench-tax-"},
		now:    func() time.Duration { return time.Since(epoch) },
		arms:   newArms(config, methods()),
	}
	return b.run(ctx, progress)
}

// SpaceNeeded returns the bytes that Run takes on disk at most, the file
// system's own bookkeeping estimated at 1 MiB.
func SpaceNeeded(config Config) int64 {
	config = config.withDefaults()
	var growing int64
	for _, shape := range config.Shapes {
		growing = max(growing, growingRecords(config, shape)*int64(shape.RecordBytes))
	}
	return preparedBytes(config) + growing + 1<<20
}

func (c Config) withDefaults() Config {
	if c.Shapes == nil {
		c.Shapes = []Shape{{RecordBytes: 200}}
	}
	if c.Every == nil {
		c.Every = []int{10, 50}
	}
	if c.Repeats == 0 {
		c.Repeats = 5
	}
	if c.Budget == 0 {
		c.Budget = 8 * time.Second
	}
	return c
}

func (c Config) validate() error {
	if c.Repeats < 0 || c.Budget < 0 || len(c.Shapes) == 0 {
		return fmt.Errorf("tax: config: %d repeats, budget %v, %d shapes: each must be positive", c.Repeats, c.Budget, len(c.Shapes))
	}
	for i, n := range c.Every {
		if n < 2 || slices.Contains(c.Every[:i], n) {
			return fmt.Errorf("tax: config: every %v: each must be 2 or more and occur once", c.Every)
		}
	}
	for i, shape := range c.Shapes {
		if shape.RecordBytes < 1 || shape.RecordBytes > maxRecordBytes {
			return fmt.Errorf("tax: config: record of %d bytes: must be 1 to %d", shape.RecordBytes, maxRecordBytes)
		}
		if shape.Writes < 0 || (shape.Writes == 0) != (c.Shapes[0].Writes == 0) {
			return fmt.Errorf("tax: config: %d writes: must be positive in all shapes or 0 in all", shape.Writes)
		}
		if slices.ContainsFunc(c.Shapes[:i], func(s Shape) bool { return s.RecordBytes == shape.RecordBytes }) {
			return fmt.Errorf("tax: config: record of %d bytes: asked for twice", shape.RecordBytes)
		}
	}
	return nil
}

func (c Config) byTime() bool { return c.Shapes[0].Writes == 0 }

// bench is one run.
type bench struct {
	config Config
	disk   disk
	now    func() time.Duration // monotonic, from any start
	arms   []*arm
}

// run measures, cleans up, and reports what there is, whatever ended it.
func (b *bench) run(ctx context.Context, progress func(Progress)) (Result, error) {
	err := b.measureAll(ctx, progress)
	if removing := b.disk.removeAll(); err == nil && removing != nil {
		err = fmt.Errorf("tax: clean up: %w", removing)
	}
	return Result{
		Rows:          rows(b.arms),
		Payload:       payloadIs,
		PreparedBytes: preparedBytes(b.config),
		Seed:          b.config.Seed,
		Interrupted:   err != nil && errors.Is(err, ctx.Err()),
	}, err
}

// measureAll prepares, tries each mode once, and measures round after round.
// The budget pays for all three.
func (b *bench) measureAll(ctx context.Context, progress func(Progress)) error {
	start := b.now()
	if err := b.disk.prepare(preparedBytes(b.config)); err != nil {
		return fmt.Errorf("tax: prepare file: %w", err)
	}
	measurable, err := b.tryAll(ctx)
	if err != nil {
		return err
	}
	return b.rounds(ctx, measurable, start, progress)
}

// rounds gives each arm one turn a round. The time left is divided evenly over
// the turns left, so that one that overran is made up for by all that follow;
// a round that would not fit is not begun.
func (b *bench) rounds(ctx context.Context, arms []*arm, start time.Duration, progress func(Progress)) error {
	order := rand.New(rand.NewPCG(b.config.Seed, 0))
	deadline := start + b.config.Budget
	turns := b.config.Repeats * len(arms)
	done := 0
	var round time.Duration
	for repeat := range b.config.Repeats {
		begin := b.now()
		if b.config.byTime() && repeat > 0 && begin+round/2 > deadline {
			return nil
		}
		order.Shuffle(len(arms), func(i, j int) { arms[i], arms[j] = arms[j], arms[i] })
		for _, a := range arms {
			if err := ctx.Err(); err != nil {
				return err
			}
			now := b.now()
			if progress != nil {
				progress(b.progress(a, now-start, done, turns))
			}
			if err := b.turn(ctx, a, max(0, deadline-now)/time.Duration(turns-done)); err != nil {
				return err
			}
			done++
		}
		round = b.now() - begin
	}
	return nil
}

func (b *bench) progress(a *arm, elapsed time.Duration, done, turns int) Progress {
	total := b.config.Budget
	if !b.config.byTime() {
		total = 0
		if done > 0 {
			total = elapsed / time.Duration(done) * time.Duration(turns)
		}
	}
	return Progress{Done: elapsed, Total: total, What: a.String()}
}
