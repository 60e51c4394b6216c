package wal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// small is the size of segment most tests use: a few records each.
const small = 4 << 10

func mustOpen(t testing.TB, path string, o Options) *Log {
	t.Helper()
	l, err := Open(path, o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func mustClose(t testing.TB, l *Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// put appends a record and makes it durable, making room as Append asks.
func put(t testing.TB, l *Log, rec []byte) LSN {
	t.Helper()
	lsn, err := l.Append(rec)
	for errors.Is(err, ErrFull) {
		if err = l.Sync(); err != nil {
			break
		}
		lsn, err = l.Append(rec)
	}
	if err == nil {
		err = l.Sync()
	}
	if err != nil {
		t.Fatalf("put: %v", err)
	}
	return lsn
}

// payload is a record that tells its number and is not the same for any two.
func payload(i, n int) []byte {
	return append(bytes.Repeat([]byte{byte(i)}, n), fmt.Sprintf("#%d", i)...)
}

// collect reads a log from a position.
func collect(t testing.TB, l *Log, from LSN) (lsns []LSN, recs [][]byte) {
	t.Helper()
	for r, err := range l.Records(from) {
		if err != nil {
			t.Fatalf("Records: %v", err)
		}
		lsns, recs = append(lsns, r.LSN), append(recs, bytes.Clone(r.Data))
	}
	return lsns, recs
}

func wantRecords(t testing.TB, l *Log, want [][]byte) {
	t.Helper()
	_, got := collect(t, l, 0)
	if len(got) != len(want) {
		t.Fatalf("log holds %d records, want %d", len(got), len(want))
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("record %d is %q, want %q", i, got[i], want[i])
		}
	}
}

// copyDir copies a log as a crash would leave it if every write had reached
// the disk.
func copyDir(t testing.TB, l *Log) string {
	t.Helper()
	l.prepare.mu.Lock() // no file changes its name meanwhile
	defer l.prepare.mu.Unlock()
	from := l.dir.path
	to := t.TempDir()
	if err := os.CopyFS(filepath.Join(to, "log"), os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(to, "log")
}

func TestRecordsComeBackInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	l := mustOpen(t, path, Options{SegmentSize: small})
	var want [][]byte
	var last LSN
	for i := range 100 {
		rec := payload(i, i*7%900)
		lsn := put(t, l, rec)
		if lsn <= last {
			t.Fatalf("LSN %v after %v", lsn, last)
		}
		last, want = lsn, append(want, rec)
		if l.Durable() <= lsn {
			t.Fatalf("durable %v after a sync, record %v", l.Durable(), lsn)
		}
	}
	wantRecords(t, l, want)
	mustClose(t, l)
	for range 3 {
		l = mustOpen(t, path, Options{SegmentSize: small})
		if !l.Recovery().Clean {
			t.Fatalf("recovery after Close: %+v", l.Recovery())
		}
		wantRecords(t, l, want)
		mustClose(t, l)
	}
	l = mustOpen(t, path, Options{SegmentSize: small})
	want = append(want, payload(100, 10))
	put(t, l, want[100])
	crashed := copyDir(t, l)
	mustClose(t, l)
	for range 3 {
		l = mustOpen(t, crashed, Options{SegmentSize: small})
		if l.Recovery().TornBytes != 0 {
			t.Fatalf("recovery of a whole log: %+v", l.Recovery())
		}
		wantRecords(t, l, want)
		want = append(want, payload(len(want), 50))
		put(t, l, want[len(want)-1])
		crashed = copyDir(t, l)
		mustClose(t, l)
	}
	l = mustOpen(t, crashed, Options{ReadOnly: true})
	wantRecords(t, l, want)
}
