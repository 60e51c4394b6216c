package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"walbench.example/cmd/internal/load"
	"walbench.example/cmd/internal/report"
	"walbench.example/cmd/internal/tax"
	"walbench.example/wal"
)

// asked runs a command line with rooms that only note what they are asked
// for, and returns it as JSON.
func asked(t *testing.T, line string) string {
	t.Helper()
	var seen []any
	r := fakeRooms("")
	r.tax = func(_ context.Context, _ string, c report.TaxConfig, _ progressFunc) (*tax.Result, error) {
		seen = append(seen, c)
		return nil, nil
	}
	r.group = func(_ context.Context, _ string, c report.GroupConfig, _ progressFunc) (*load.Result, error) {
		seen = append(seen, c)
		return nil, nil
	}
	args := append(strings.Fields(line), "--dir", t.TempDir())
	if err := run(args, r, strings.NewReader(""), io.Discard, io.Discard); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	text, err := json.Marshal(seen)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDefaultsOfTheMainJob(t *testing.T) {
	got := asked(t, "")
	want := `[{"shapes":[{"record_bytes":200}],"sync_every":[10,50],"repeats":5,"budget_seconds":8,"seed":1},` +
		`{"policies":["per-write","greedy","window","adaptive"],"window":{"delay_seconds":0.001},"writers":[1,2,4,8,16,64],` +
		`"sync":"` + wal.PlatformSync().String() + `","record_bytes":200,"cell_seconds":0.12,"repeats":3,"segment_bytes":16777216,"device":"real"}]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEachFlagReachesItsRoom(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"tax --size 4KiB", `"shapes":[{"record_bytes":4096}]`},
		{"tax --writes 30", `"shapes":[{"record_bytes":200,"writes":30}],"sync_every":[10,50],"repeats":5,"budget_seconds":0`},
		{"tax --every 3,7", `"sync_every":[3,7]`},
		{"tax --repeats 9", `"repeats":9`},
		{"tax --shape lab1", `"shapes":[{"record_bytes":200,"writes":2000}]`},
		{"tax --shape lab2", `"shapes":[{"record_bytes":256,"writes":2000},{"record_bytes":4096,"writes":500}]`},
		{"group --policy adaptive,greedy", `"policies":["adaptive","greedy"]`},
		{"group --window 2ms,64,1MiB", `"window":{"delay_seconds":0.002,"records":64,"bytes":1048576}`},
		{"group --writers 3,5", `"writers":[3,5]`},
		{"group --sync dsync", `"sync":"dsync"`},
		{"group --size 1K", `"record_bytes":1024`},
		{"group --duration 1s", `"cell_seconds":1`},
		{"group --repeats 2", `"repeats":2`},
		{"group --segment-size 64K", `"segment_bytes":65536`},
		{"group --device sim:200us+1ns/B", `"device":"sim:200us+1ns/B"`},
	} {
		if got := asked(t, c.line); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s in it", c.line, got, c.want)
		}
	}
}

func TestPartsAskOnlyTheirRoom(t *testing.T) {
	for line, want := range map[string]int{"": 2, "tax": 1, "group": 1} {
		var rooms []any
		if err := json.Unmarshal([]byte(asked(t, line)), &rooms); err != nil || len(rooms) != want {
			t.Errorf("walbench %s: %d rooms asked (%v), want %d", line, len(rooms), err, want)
		}
	}
}

func TestEachFlagReachesTheLog(t *testing.T) {
	for _, c := range []struct {
		line string
		want func(logConfig) bool
	}{
		{"log append d", func(l logConfig) bool {
			return l.verb == "append" && l.dir == "d" && l.writers == 1 && l.policy == "adaptive" && l.segment == wal.DefaultSegmentSize
		}},
		{"log append d --writers 9", func(l logConfig) bool { return l.writers == 9 }},
		{"log append d --policy window --window 3ms", func(l logConfig) bool { return l.policy == "window" && l.window.DelaySeconds == 0.003 }},
		{"log append d --sync none", func(l logConfig) bool { return l.sync == "none" }},
		{"log append d --segment-size 4KiB", func(l logConfig) bool { return l.segment == 4096 }},
		{"log dump d --format raw", func(l logConfig) bool { return l.verb == "dump" && l.format == "raw" }},
		{"log verify d", func(l logConfig) bool { return l.verb == "verify" }},
		{"log trim d 4294967360", func(l logConfig) bool { return l.verb == "trim" && l.lsn == 1<<32+64 }},
	} {
		var got logConfig
		r := fakeRooms("")
		r.log = func(_ context.Context, l logConfig, _ io.Reader, _ io.Writer) error {
			got = l
			return nil
		}
		if err := run(strings.Fields(c.line), r, strings.NewReader(""), io.Discard, io.Discard); err != nil {
			t.Errorf("%s: %v", c.line, err)
		}
		if !c.want(got) {
			t.Errorf("%s: got %+v", c.line, got)
		}
	}
}

// The examples of the help are command lines that can be carried out.
func TestExamplesOfTheHelpRun(t *testing.T) {
	t.Chdir(t.TempDir())
	var help bytes.Buffer
	if err := run([]string{"--help"}, fakeRooms(""), strings.NewReader(""), &help, io.Discard); err != nil {
		t.Fatal(err)
	}
	_, examples, _ := strings.Cut(help.String(), "\nExamples:\n")
	examples, _, _ = strings.Cut(examples, "\n\n")
	ran := 0
	for line := range strings.Lines(examples) {
		words := strings.Fields(line)
		from := slices.Index(words, "walbench")
		if from < 0 {
			t.Fatalf("no walbench in example %q", line)
		}
		words = words[from+1:]
		if pipe := slices.Index(words, "|"); pipe >= 0 {
			words = words[:pipe]
		}
		if dir := slices.Index(words, "--dir"); dir >= 0 {
			words[dir+1] = "."
		}
		if err := run(words, fakeRooms(""), strings.NewReader(""), io.Discard, io.Discard); err != nil {
			t.Errorf("%s: %v", strings.TrimSpace(line), err)
		}
		ran++
	}
	if ran == 0 {
		t.Error("the help has no examples")
	}
}
