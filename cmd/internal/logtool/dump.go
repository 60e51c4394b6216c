package logtool

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"

	"walbench.example/wal"
)

// Dump writes the records of a log to out, in log order, and changes nothing.
// The formats:
//
//	text  <lsn> <length> <sha256 of payload>, a line each
//	json  the same as an object a line: lsn, length, sha256
//	raw   the payload and a newline, which Append takes back
func Dump(ctx context.Context, dir, format string, out io.Writer) error {
	log, err := wal.Open(dir, wal.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer log.Close()
	w := bufio.NewWriter(out)
	for r, err := range log.Records(0) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = dumpRecord(w, format, r)
		}
		if err != nil {
			w.Flush() // what was whole before it
			return err
		}
	}
	return w.Flush()
}

func dumpRecord(w *bufio.Writer, format string, r wal.Record) error {
	if format == "raw" {
		w.Write(r.Data)
		return w.WriteByte('\n')
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(r.Data))
	if format == "text" {
		_, err := fmt.Fprintf(w, "%d %d %s\n", uint64(r.LSN), len(r.Data), sum)
		return err
	}
	return json.NewEncoder(w).Encode(struct {
		LSN    uint64 `json:"lsn"`
		Length int    `json:"length"`
		SHA256 string `json:"sha256"`
	}{uint64(r.LSN), len(r.Data), sum})
}
