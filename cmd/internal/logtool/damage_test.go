package logtool

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"walbench.example/wal"
)

// place is the LSN of a line, counted from 1, of what Append printed with one
// writer.
func place(t *testing.T, printed string, number int) wal.LSN {
	t.Helper()
	lsn, err := strconv.ParseUint(first(printed)[number-1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return wal.LSN(lsn)
}

// recordAt is the LSN of a record, counted from 1.
func recordAt(t *testing.T, dir string, number int) wal.LSN {
	t.Helper()
	return place(t, dumped(t, dir, "text"), number)
}

func segmentOf(dir string, lsn wal.LSN) string {
	name := "00000000" + strconv.FormatUint(uint64(lsn.Segment()), 16)
	return filepath.Join(dir, name[len(name)-8:]+".wal")
}

// change hands the bytes of a file to edit and writes what it returns.
func change(t *testing.T, name string, edit func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, edit(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// payload is where the payload of a frame begins.
const payload = 16

// flip changes a bit of the record at lsn.
func flip(t *testing.T, dir string, lsn wal.LSN) {
	t.Helper()
	change(t, segmentOf(dir, lsn), func(b []byte) []byte {
		b[lsn.Offset()+payload] ^= 1
		return b
	})
}

// newer gives a segment the header of a later format, whole.
func newer(b []byte) []byte {
	binary.LittleEndian.PutUint32(b[8:], 2)
	binary.LittleEndian.PutUint32(b[60:], crc32.Checksum(b[:60], crc32.MakeTable(crc32.Castagnoli)))
	return b
}
