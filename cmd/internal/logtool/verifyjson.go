package logtool

import (
	"encoding/json"
	"errors"
	"io"

	"walbench.example/wal"
)

// VerifySchema names the form of a VerifyDocument. Fields may be added under
// the same name; one that changes its meaning or goes away changes the name.
const VerifySchema = "walbench-verify/1"

// VerifyDocument is what verify found, for programs. Of a damaged log, what is
// "before" is whole and would be kept by a repair, and what is "after" can
// still be read behind the damage.
type VerifyDocument struct {
	Schema    string `json:"schema"`
	Directory string `json:"directory"`

	// Kind is clean, torn, corrupt, gap (a segment is missing), foreign (a
	// segment of another log, or of another name), newer_format, or unknown
	// (no log, or one that cannot be read). Evidence says why, in a sentence.
	Kind     string `json:"kind"`
	Evidence string `json:"evidence"`
	ExitCode int    `json:"exit_code"`

	// Where the first damage stands, or the torn tail. null: nowhere.
	Segment     *string `json:"segment"`
	OffsetBytes *int64  `json:"offset_bytes"`
	FirstBadLSN *uint64 `json:"first_bad_lsn"`

	FirstLSN       *uint64  `json:"first_lsn"`     // of the oldest record; null: there is none
	LastGoodLSN    *uint64  `json:"last_good_lsn"` // of the newest record that is whole; null: there is none
	EndLSN         *uint64  `json:"end_lsn"`       // of what is whole
	PromisedLSN    *uint64  `json:"promised_lsn"`  // the log says that all below was durable
	ClosedCleanly  bool     `json:"closed_cleanly"`
	SegmentsBefore int      `json:"segments_before"`
	RecordsBefore  int64    `json:"records_before"`
	BytesBefore    int64    `json:"bytes_before"` // of their payload
	SegmentsAfter  int      `json:"segments_after"`
	RecordsAfter   int64    `json:"records_after"`
	BytesAfter     int64    `json:"bytes_after"`
	TornBytes      int64    `json:"torn_bytes"`
	UnusedSegments []string `json:"unused_segments"` // prepared, or left by a crash
}

func document(dir string, r wal.Report, f *Finding) VerifyDocument {
	d := VerifyDocument{
		Schema: VerifySchema, Directory: dir, Kind: f.Kind, ExitCode: f.Code,
		FirstLSN: known(r.First), LastGoodLSN: known(r.Last), EndLSN: known(r.End), PromisedLSN: known(r.Promised),
		ClosedCleanly:  r.Clean,
		SegmentsBefore: r.Segments, RecordsBefore: r.Records, BytesBefore: r.Bytes,
		SegmentsAfter: r.Behind.Segments, RecordsAfter: r.Behind.Records, BytesAfter: r.Behind.Bytes,
		TornBytes: r.TornBytes, UnusedSegments: append([]string{}, r.Dead...),
	}
	var damage *wal.CorruptionError
	switch {
	case errors.As(f.Err, &damage):
		d.Evidence = damage.Reason
		d.Segment, d.OffsetBytes, d.FirstBadLSN = &damage.Segment, &damage.Offset, known(damage.LSN)
	case f.Err != nil:
		d.Evidence = f.Error()
	case r.Clean:
		d.Evidence = "closed cleanly"
	default:
		d.Evidence = "not closed, nothing torn"
	}
	if f.Code == ExitTorn {
		d.Segment, d.FirstBadLSN = &r.TornSegment, known(r.End)
	}
	return d
}

// known is null for no LSN.
func known(lsn wal.LSN) *uint64 {
	if lsn == 0 {
		return nil
	}
	n := uint64(lsn)
	return &n
}

// writeJSON writes one indented document, in one write.
func writeJSON(w io.Writer, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
