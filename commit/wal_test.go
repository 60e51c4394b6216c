package commit

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"walbench.example/wal"
)

// The whole way, on a real log of small segments with a small buffer, so that
// every flush crosses segments and appends meet wal.ErrFull: what Commit
// acknowledged is there after reopening, byte for byte, at its LSN.
func TestCommittedRecordsAreThereAfterReopen(t *testing.T) {
	for _, p := range policies {
		t.Run(p.String(), func(t *testing.T) {
			dir := t.TempDir()
			opts := wal.Options{Sync: wal.SyncNone, SegmentSize: wal.MinSegmentSize, BufferSize: 1 << 10}
			acked := commitSome(t, dir, opts, p)

			log, err := wal.Open(dir, opts)
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			found := 0
			for rec, err := range log.Records(0) {
				if err != nil {
					t.Fatal(err)
				}
				if want, ok := acked[rec.LSN]; ok {
					found++
					if got := string(rec.Data); got != want {
						t.Errorf("%v: read %q, committed %q", rec.LSN, got, want)
					}
				}
			}
			if found != len(acked) {
				t.Errorf("found %d of %d acknowledged records", found, len(acked))
			}
		})
	}
}

func commitSome(t *testing.T, dir string, opts wal.Options, p Policy) map[wal.LSN]string {
	t.Helper()
	log, err := wal.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	c, err := New(log, Options{Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	acked := map[wal.LSN]string{}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 50 {
				rec := fmt.Sprintf("%d/%d/%0*d", w, i, i, 0)
				lsn, err := c.Commit(context.Background(), []byte(rec))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acked[lsn] = rec
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	return acked
}
