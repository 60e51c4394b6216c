package main

import (
	"strings"
	"testing"
	"time"

	"walbench.example/cmd/internal/report"
)

func containsAll(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

func TestParseSize(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		err  string // a part of it; "" for none
	}{
		{"1", 1, ""}, {"200", 200, ""}, {"200B", 200, ""}, {"200b", 200, ""},
		{"4K", 4096, ""}, {"4k", 4096, ""}, {"4KiB", 4096, ""}, {"4kib", 4096, ""},
		{"16MiB", 16 << 20, ""}, {"1G", 1 << 30, ""}, {"1GiB", 1 << 30, ""},
		{"0", 0, "above zero"}, {"-1", 0, "above zero"}, {"-4KiB", 0, "above zero"},
		{"4x", 0, `unit "x"`}, {"10EB", 0, `unit "EB"`}, {"4KB", 0, "1,024s"}, {"4mb", 0, "write MiB"},
		{"", 0, "no whole number"}, {"KiB", 0, "no whole number"}, {"1.5MiB", 0, "no whole number"},
		{"1_000", 0, "no whole number"}, {"4 KiB", 0, "no whole number"}, {"0x10", 0, "no whole number"},
		{"1073741825", 0, "at most 1GiB"}, {"2GiB", 0, "at most 1GiB"}, {"99999999999999999999", 0, "at most 1GiB"},
		{"9223372036854775807GiB", 0, "at most 1GiB"}, {"-99999999999999999999", 0, "above zero"},
	} {
		got, err := parseSize(c.text, 1<<30)
		check(t, "size "+c.text, got, c.want, err, c.err)
	}
}

func check[T comparable](t *testing.T, what string, got, want T, err error, wantErr string) {
	t.Helper()
	switch {
	case wantErr == "" && err != nil:
		t.Errorf("%s: %v", what, err)
	case wantErr != "" && (err == nil || !strings.Contains(err.Error(), wantErr)):
		t.Errorf("%s: error %v, want %q in it", what, err, wantErr)
	case wantErr == "" && got != want:
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestParseDuration(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Duration
		err  string
	}{
		{"200us", 200 * time.Microsecond, ""}, {"2ms", 2 * time.Millisecond, ""}, {"1.5s", 1500 * time.Millisecond, ""},
		{"1h", time.Hour, ""}, {"61m", 0, "at most 1h"}, {"5", 0, "needs a unit"}, {"0.5", 0, "needs a unit"},
		{"0s", 0, "above zero"}, {"-2ms", 0, "above zero"}, {"5parsec", 0, "is no time"}, {"", 0, "is no time"},
		{"99999999h", 0, "is no time"},
	} {
		got, err := parseDuration(c.text)
		check(t, "duration "+c.text, got, c.want, err, c.err)
	}
}

func TestParseWindow(t *testing.T) {
	for _, c := range []struct {
		text string
		want report.Window
		err  string
	}{
		{"2ms", report.Window{DelaySeconds: 0.002}, ""},
		{"2ms,64", report.Window{DelaySeconds: 0.002, Records: 64}, ""},
		{"2ms,1MiB", report.Window{DelaySeconds: 0.002, Bytes: 1 << 20}, ""},
		{"2ms,64,1MiB", report.Window{DelaySeconds: 0.002, Records: 64, Bytes: 1 << 20}, ""},
		{"200us,1,1B", report.Window{DelaySeconds: 0.0002, Records: 1, Bytes: 1}, ""},
		{"2", report.Window{}, "needs a unit"},
		{"0s", report.Window{}, "above zero"},
		{"2ms,", report.Window{}, "no whole number"},
		{"2ms,0", report.Window{}, "above zero"},
		{"2ms,1MiB,64", report.Window{}, "one too many"},
		{"2ms,64,64", report.Window{}, "one too many"},
		{"2ms,64,1MiB,3", report.Window{}, "one too many"},
		{"64,2ms", report.Window{}, "needs a unit"},
	} {
		got, err := parseWindow(c.text)
		check(t, "window "+c.text, got, c.want, err, c.err)
		if err == nil {
			if back, err := parseWindow(got.String()); err != nil || back != got {
				t.Errorf("window %s: its text %s reads %v, %v", c.text, got, back, err)
			}
		}
	}
}

func TestParseNumbers(t *testing.T) {
	for _, c := range []struct{ text, err string }{
		{"1,8,64", ""}, {"7", ""}, {"", "empty"}, {"1,,8", "empty"}, {"1,8,", "empty"}, {"1,1", "listed twice"},
		{"0", "above zero"}, {"-1", "above zero"}, {"1;8", "no whole number"}, {"101", "at most 100"},
	} {
		_, err := parseNumbers(c.text, 1, 100)
		check(t, "list "+c.text, true, true, err, c.err)
	}
	if _, err := parseNumbers("1", 2, 100); err == nil || !strings.Contains(err.Error(), "at least 2") {
		t.Errorf("below the least: %v", err)
	}
}

func TestClosestSuggestsOnlyWhatIsNear(t *testing.T) {
	words := []string{"size", "writes", "writers", "policy", "json", "adaptive"}
	for word, want := range map[string]string{
		"sise": "size", "sze": "size", "isze": "size", "polcy": "policy", "jsno": "json", "adpative": "adaptive",
		"wrters": "writers", "x": "", "color": "", "rate": "",
	} {
		if got := closest(word, words); got != want {
			t.Errorf("closest to %s is %q, want %q", word, got, want)
		}
	}
}
