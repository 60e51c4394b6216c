package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// measured runs the program's own rooms, for as short as may be, and returns
// the rows of a part of its document.
func measured(t *testing.T, part, line string) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	args := append(strings.Fields(line), "--json", "-", "--dir", t.TempDir())
	if err := run(args, liveRooms(), strings.NewReader(""), &out, &bytes.Buffer{}); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var result struct{ Rows []map[string]any }
	if err := json.Unmarshal(doc[part], &result); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return result.Rows
}

// kinds are what the fields of rows hold. A percentile is a number, or null
// with too few samples; latency is an object of them that are in order.
type kinds map[string]string

func (k kinds) check(t *testing.T, where string, row map[string]any) {
	t.Helper()
	for name, kind := range k {
		v, there := row[name]
		ok := false
		switch kind {
		case "text":
			_, ok = v.(string)
		case "number":
			_, ok = v.(float64)
		case "number or null":
			_, ok = v.(float64)
			ok = ok || v == nil
		case "bool":
			_, ok = v.(bool)
		case "list":
			list, is := v.([]any)
			ok = is && len(list) > 0
		case "latency":
			ok = inOrder(v)
		case "latency or null":
			ok = v == nil || inOrder(v)
		}
		if !there || !ok {
			t.Errorf("%s: %s is %v, want a %s", where, name, v, kind)
		}
	}
}

func inOrder(v any) bool {
	percentiles, ok := v.(map[string]any)
	least := 0.0
	for _, name := range []string{"p50", "p95", "p99", "max"} {
		v, there := percentiles[name]
		n, is := v.(float64)
		if !there || v != nil && (!is || n < least) {
			return false
		}
		if is {
			least = n
		}
	}
	return ok
}

func TestGroupRowsHoldTheirFields(t *testing.T) {
	fields := kinds{"policy": "text", "sync": "text", "writers": "number", "record_bytes": "number", "seconds": "number",
		"commits": "number", "commits_per_second": "number", "flushes": "number", "flush_seconds_p50": "number or null",
		"commits_per_flush": "number", "ideal_fraction": "number or null", "latency_seconds": "latency", "durable": "bool",
		"errors": "number", "repeats": "list"}
	var cells []string
	for _, row := range measured(t, "group", "group --writers 1,3 --duration 10ms --repeats 2 --size 64 --device sim:200us --segment-size 1MiB") {
		policy, _ := row["policy"].(string)
		fields.check(t, policy, row)
		if row["writers"] == 1.0 {
			cells = append(cells, policy)
		}
		if n := len(row["repeats"].([]any)); n != 2 {
			t.Errorf("%s has %d repeats, want 2", policy, n)
		}
		if row["record_bytes"] != 64.0 || row["errors"] != 0.0 || row["durable"] != false {
			t.Errorf("%s: %v bytes, %v errors, durable %v, want 64, 0 and, in memory, false", policy, row["record_bytes"], row["errors"], row["durable"])
		}
	}
	if !slices.Equal(cells, policyWords) {
		t.Errorf("policies %v, want %v", cells, policyWords)
	}
}

func TestTaxRowsHoldTheirFields(t *testing.T) {
	fields := kinds{"mode": "text", "file": "text", "record_bytes": "number", "writes": "number", "repeats": "list",
		"append_seconds": "latency", "records_per_second": "number or null", "bytes_per_second": "number or null",
		"ratio_to_none": "number or null", "acknowledged_before_sync": "bool"}
	modes := []string{"none", "fdatasync", "fsync", "O_DSYNC", "O_SYNC", "F_FULLFSYNC", "fdatasync/10", "fdatasync/50", "fsync/10", "fsync/50"}
	seen := make(map[string]int)
	for _, row := range measured(t, "tax", "tax --writes 100 --repeats 1 --size 64") {
		mode, _ := row["mode"].(string)
		seen[mode]++
		if !slices.Contains(modes, mode) || row["file"] != "growing" && row["file"] != "prepared" {
			t.Errorf("mode %v, file %v", row["mode"], row["file"])
		}
		if reason, ok := row["not_available"]; ok {
			if reason == "" || row["append_seconds"] != nil {
				t.Errorf("%s is not available for %q, and took %v", mode, reason, row["append_seconds"])
			}
			continue
		}
		fields.check(t, mode, row)
		early := mode == "none" || strings.Contains(mode, "/")
		if row["acknowledged_before_sync"] != early {
			t.Errorf("%s: acknowledged before the sync is %v, want %v", mode, row["acknowledged_before_sync"], early)
		}
	}
	for _, mode := range modes {
		if seen[mode] != 2 {
			t.Errorf("mode %s has %d rows, want one on a growing file and one on a prepared one", mode, seen[mode])
		}
	}
}

// noDir is a work directory that is a file: nothing can be measured in it.
type noDir string

func (d noDir) Path() string { return string(d) }
func (noDir) Remove() error  { return nil }

// A part that failed before its first row is null: rows are a list or are
// not there.
func TestPartWithoutRowsIsNull(t *testing.T) {
	r := liveRooms()
	r.probe = fakeRooms("").probe
	r.workDir = func(parent string) (workDir, error) {
		file := noDir(filepath.Join(parent, "file"))
		return file, os.WriteFile(file.Path(), nil, 0o600)
	}
	var out bytes.Buffer
	args := []string{"group", "--json", "-", "--dir", t.TempDir()}
	if err := run(args, r, strings.NewReader(""), &out, &bytes.Buffer{}); err == nil {
		t.Fatal("no error")
	}
	var doc map[string]any
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc["group"] != nil || doc["error"] == nil {
		t.Errorf("group is %v, want null; error is %v", doc["group"], doc["error"])
	}
}
