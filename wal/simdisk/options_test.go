package simdisk

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	tests := []struct {
		text string
		want Options
		back string // what String returns, if not text
	}{
		{text: "200us", want: Options{Flush: 200 * time.Microsecond}},
		{text: "200µs", want: Options{Flush: 200 * time.Microsecond}, back: "200us"},
		{text: "2.6ms", want: Options{Flush: 2600 * time.Microsecond}},
		{text: "2600us", want: Options{Flush: 2600 * time.Microsecond}, back: "2.6ms"},
		{text: "200us+1ns/B", want: Options{Flush: 200 * time.Microsecond, PerByte: 1}},
		{text: "190us+0.4ns/B", want: Options{Flush: 190 * time.Microsecond, PerByte: 0.4}},
		{text: "1m", want: Options{Flush: time.Minute}, back: "1m0s"},
		{text: "1ns+1000000ns/B", want: Options{Flush: 1, PerByte: 1e6}},
		{text: "1ms+0ns/B", want: Options{Flush: time.Millisecond}, back: "1ms"},
	}
	for _, tt := range tests {
		got, err := Parse(tt.text)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.text, err)
			continue
		}
		if got.Flush != tt.want.Flush || got.PerByte != tt.want.PerByte || got.Wait != nil {
			t.Errorf("Parse(%q) = %v and %v ns/B, want %v and %v ns/B", tt.text, got.Flush, got.PerByte, tt.want.Flush, tt.want.PerByte)
		}
		if tt.back == "" {
			tt.back = tt.text
		}
		if got.String() != tt.back {
			t.Errorf("Parse(%q).String() = %q, want %q", tt.text, got.String(), tt.back)
		}
	}
}

func TestParseNamesWhatIsWrong(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", `flush time "": want a number and a unit`},
		{"200", `flush time "200": want a number and a unit`},
		{"fast", `flush time "fast": want a number and a unit`},
		{" 200us", `flush time " 200us": want a number and a unit`},
		{"+1ns/B", `flush time "": want a number and a unit`},
		{"0", `flush time "0": must be above zero`},
		{"0us+1ns/B", `flush time "0us": must be above zero`},
		{"0.1ns", `flush time "0.1ns": must be above zero`},
		{"-5us", `flush time -5µs: must not be negative`},
		{"2m", `flush time 2m0s: must not be above 1m0s`},
		{"200us+", `cost per byte "": want a number and the unit ns/B`},
		{"200us+1ns", `cost per byte "1ns": want a number and the unit ns/B`},
		{"200us+1", `cost per byte "1": want a number and the unit ns/B`},
		{"200us+ns/B", `cost per byte "ns/B": want a number and the unit ns/B`},
		{"200us+1us/B", `cost per byte "1us/B": want a number and the unit ns/B`},
		{"200us+1ns/B+1ns/B", `cost per byte "1ns/B+1ns/B": want a number and the unit ns/B`},
		{"200us+-1ns/B", `cost per byte -1ns/B: must be from 0 to 1000000ns/B`},
		{"200us+NaNns/B", `cost per byte NaNns/B: must be from 0 to 1000000ns/B`},
		{"200us+2e6ns/B", `cost per byte 2e+06ns/B: must be from 0 to 1000000ns/B`},
	}
	for _, tt := range tests {
		o, err := Parse(tt.text)
		if err == nil {
			t.Errorf("Parse(%q) = %v, want an error with %q", tt.text, o, tt.want)
			continue
		}
		if !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "simdisk: parse ") {
			t.Errorf("Parse(%q): %q, want an error with %q", tt.text, err, tt.want)
		}
	}
}

func TestParseIsTheInverseOfString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Options{
			Flush:   time.Duration(rapid.Int64Range(1, int64(maxFlush)).Draw(t, "flush")),
			PerByte: rapid.Float64Range(0, maxPerByte).Draw(t, "perByte"),
		}
		got, err := Parse(want.String())
		if err != nil || got.Flush != want.Flush || got.PerByte != want.PerByte {
			t.Fatalf("Parse(%q) = %v, %v", want.String(), got, err)
		}
	})
}

func TestNewRefusesWhatIsNoDevice(t *testing.T) {
	for _, o := range []Options{{Flush: -1}, {Flush: maxFlush + 1}, {PerByte: -1}, {PerByte: maxPerByte * 2}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("New(%v) did not panic", o)
				}
			}()
			New(o)
		}()
	}
}
