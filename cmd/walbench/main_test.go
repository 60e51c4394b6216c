package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// leakChecked runs the tests and then fails if one left a goroutine behind.
type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	code := l.m.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// The scripts know two programs: walbench as it is, and fakebench, which is
// the same with rooms that measure nothing and do what FAKE in the
// environment says.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){
		"walbench": main,
		"fakebench": func() {
			os.Exit(exitCode(run(os.Args[1:], fakeRooms(os.Getenv("FAKE")), os.Stdin, os.Stdout, os.Stderr)))
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"document": document,
			"absent":   absent,
			"lines":    lines,
		},
	})
}

// document FILE [PATH=TEXT]... holds that a file is exactly one JSON object
// without a key that stands twice in one object, and that what PATH leads to
// contains the text.
func document(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	dec := json.NewDecoder(strings.NewReader(text))
	doc, err := decode(dec)
	ts.Check(err)
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		ts.Fatalf("%s goes on after the document: %v", args[0], err)
	}
	for _, arg := range args[1:] {
		path, want, _ := strings.Cut(arg, "=")
		v := doc
		for _, key := range strings.Split(path, ".") {
			object, _ := v.(map[string]any)
			v = object[key]
		}
		if got := fmt.Sprint(v); !strings.Contains(got, want) {
			ts.Fatalf("%s: %s is %s, want %s in it", args[0], path, got, want)
		}
	}
}

// decode reads one value and refuses a key that stands twice.
func decode(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := make(map[string]any)
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			if _, twice := object[key.(string)]; twice {
				return nil, fmt.Errorf("key %v stands twice", key)
			}
			if object[key.(string)], err = decode(dec); err != nil {
				return nil, err
			}
		}
		_, err = dec.Token()
		return object, err
	case json.Delim('['):
		var list []any
		for dec.More() {
			v, err := decode(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = dec.Token()
		return list, err
	default:
		return token, nil
	}
}

// absent PATTERN holds that no file matches.
func absent(ts *testscript.TestScript, neg bool, args []string) {
	found, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(found) > 0 {
		ts.Fatalf("left behind: %v", found)
	}
}

// lines FILE N holds that a file has N lines.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if got := fmt.Sprint(strings.Count(ts.ReadFile(args[0]), "\n")); got != args[1] {
		ts.Fatalf("%s has %s lines, want %s:\n%s", args[0], got, args[1], ts.ReadFile(args[0]))
	}
}
