package wal

import "testing"

// openStill opens the log of a disk without a goroutine: its preparer works
// when settle says so, so that calls come in one order.
func openStill(d *disk) (*Log, error) {
	o := Options{FS: d, SegmentSize: small}.withDefaults()
	l, err := open(logDir, o, [16]byte{1: 7})
	if err == nil {
		close(l.prepare.done)
	}
	return l, err
}

// mustOpenStill is openStill for tests that watch the calls.
func mustOpenStill(t testing.TB, d *disk) *Log {
	t.Helper()
	l, err := openStill(d)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// settle lets the preparer do what it owes.
func settle(l *Log) {
	for l.prepare.step() {
	}
}
