package commit

import (
	"sync"
	"testing"

	"walbench.example/wal"
)

// fakeLog is a log in memory. Its LSNs are 10 apart, as those of real records
// are not dense.
type fakeLog struct {
	// device, if set, is what a flush of n records takes and how it ends. It
	// runs with no lock held.
	device func(n int) error

	// refuse, if set, may refuse an append. It runs under mu.
	refuse func(f *fakeLog) error

	// appended, if set, is called with no lock held when a record is in the log
	// and its appender does not know yet.
	appended func()

	mu       sync.Mutex
	next     wal.LSN
	durable  wal.LSN
	buffered int
	bytes    int64
	flushes  []int // records of each flush, empty ones too
	failed   error
}

const lsnStep = 10

func newFakeLog(device func(n int) error) *fakeLog {
	return &fakeLog{device: device, next: lsnStep, durable: lsnStep}
}

func (f *fakeLog) Append(rec []byte) (wal.LSN, error) { return f.append(1, len(rec)) }

func (f *fakeLog) AppendBatch(recs [][]byte) (wal.LSN, error) {
	n := 0
	for _, rec := range recs {
		n += len(rec)
	}
	return f.append(len(recs), n)
}

func (f *fakeLog) append(records, bytes int) (wal.LSN, error) {
	lsn, err := f.buffer(records, bytes)
	if err == nil && f.appended != nil {
		f.appended()
	}
	return lsn, err
}

func (f *fakeLog) buffer(records, bytes int) (wal.LSN, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed != nil {
		return 0, f.failed
	}
	if f.refuse != nil {
		if err := f.refuse(f); err != nil {
			return 0, err
		}
	}
	f.next += wal.LSN(records) * lsnStep
	f.buffered += records
	f.bytes += int64(bytes)
	return f.next - lsnStep, nil
}

func (f *fakeLog) Flush(cut func(wal.Extent)) error {
	f.mu.Lock()
	if f.failed != nil {
		defer f.mu.Unlock()
		return f.failed
	}
	ext := wal.Extent{End: f.next, Records: f.buffered, Bytes: f.bytes}
	f.buffered, f.bytes = 0, 0
	f.flushes = append(f.flushes, ext.Records)
	if cut != nil {
		cut(ext)
	}
	f.mu.Unlock()

	var err error
	if ext.Records > 0 && f.device != nil {
		err = f.device(ext.Records)
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.failed = err
		return err
	}
	f.durable = ext.End
	return nil
}

func (f *fakeLog) Durable() wal.LSN {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.durable
}

func (f *fakeLog) Next() wal.LSN {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.next
}

// counts returns how many flushes wrote something, and how many records.
func (f *fakeLog) counts() (flushes, records int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.flushes {
		if n > 0 {
			flushes++
			records += n
		}
	}
	return flushes, records
}

// mustOpen returns a committer that is closed with the test.
func mustOpen(t testing.TB, l log, o Options) *Committer {
	t.Helper()
	c, err := open(l, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}
