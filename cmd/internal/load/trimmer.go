package load

import (
	"walbench.example/wal"
)

// trimmer keeps the log of a run short, beside the commits: whenever about
// half a segment has been flushed it gives up what is behind. It notes how
// much space the log took at most.
type trimmer struct {
	log    *wal.Log
	device *device
	wake   chan struct{}
	done   chan struct{}
	err    error
	peak   int64
}

func startTrimmer(log *wal.Log, d *device) *trimmer {
	t := &trimmer{log: log, device: d, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go t.run()
	return t
}

// signal asks for a trim and does not wait for it.
func (t *trimmer) signal() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *trimmer) run() {
	defer close(t.done)
	for range t.wake {
		t.trim()
	}
}

func (t *trimmer) trim() {
	t.peak = max(t.peak, t.device.used())
	if err := t.log.Trim(t.log.Durable()); err != nil && t.err == nil {
		t.err = err
	}
}

// stop ends trimming and returns its first error. No signal may follow.
func (t *trimmer) stop() error {
	close(t.wake)
	<-t.done
	t.trim()
	return t.err
}
