package report

import (
	"math"
	"testing"
)

func TestNumbersHaveThreeDigitsAndUnits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number(0), "0"}, {number(1), "1.00"}, {number(9.999), "10.0"}, {number(0.012345), "0.0123"},
		{number(5263), "5,260"}, {number(999.7), "1,000"}, {number(1_234_567), "1,230,000"}, {number(-1234), "-1,230"},
		{number(math.NaN()), "n/a"}, {number(math.Inf(1)), "n/a"}, {number(1e18), "1e+18"}, {number(1e-7), "1e-07"},
		{count(0), "0"}, {count(999), "999"}, {count(-1000), "-1,000"}, {count(1234567), "1,234,567"},
		{seconds(0), "0 s"}, {seconds(850e-9), "850 ns"}, {seconds(190e-6), "190 us"}, {seconds(999.9e-6), "1.00 ms"},
		{seconds(2.64e-3), "2.64 ms"}, {seconds(0.9996), "1.00 s"}, {seconds(75), "75.0 s"},
		{percentile(nil, 37), "n/a (n=37)"}, {percentile(ptr(1e-3), 37), "1.00 ms"},
		{percent(0.4812), "48.1 %"}, {times(58.12), "58.1x"},
		{spread(96, 104, 100), "±4%"}, {spread(0, 0, 100), ""}, {spread(1, 2, 0), ""},
		{Size(200), "200B"}, {Size(4096), "4KiB"}, {Size(16 << 20), "16MiB"}, {Size(1 << 30), "1GiB"}, {Size(1000), "1000B"},
		{space(31_234_567_890), "31.2 GB"}, {space(12_340_000), "12.3 MB"}, {space(-1), "n/a"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestHangCutsWhatIsLongerThanALine(t *testing.T) {
	got := Hang("> ", "ab cdefghij k", 6)
	if want := "> ab\n  cdef\n  ghij\n  k\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
