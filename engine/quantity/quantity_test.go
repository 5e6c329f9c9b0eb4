package quantity

import (
	"math"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(string) (float64, error)
		in   string
		want float64 // NaN: an error
	}{
		{"duration", ParseDuration, "90s", 90},
		{"duration", ParseDuration, "2h30m", 9000},
		{"duration", ParseDuration, "1 h 04 m", 3840},
		{"duration", ParseDuration, "1d", 86400},
		{"duration", ParseDuration, "1d12h", 129600},
		{"duration", ParseDuration, "90", math.NaN()},
		{"duration", ParseDuration, "-5m", math.NaN()},
		{"duration", ParseDuration, "0s", math.NaN()},
		{"money", ParseMoney, "$10", 10},
		{"money", ParseMoney, "2.5", 2.5},
		{"money", ParseMoney, "NaN", math.NaN()},
		{"money", ParseMoney, "-1", math.NaN()},
		{"energy", ParseEnergy, "1.5", 1.5},
		{"energy", ParseEnergy, "300 Wh", 0.3},
		{"energy", ParseEnergy, "2MWh", 2000},
		{"energy", ParseEnergy, "850mWh", 850e-6},
		{"energy", ParseEnergy, "3 kJ", math.NaN()},
		{"energy", ParseEnergy, "-1kWh", math.NaN()},
		{"fraction", ParseFraction, "70%", 0.7},
		{"fraction", ParseFraction, "0.7", 0.7},
		{"fraction", ParseFraction, "70", math.NaN()},
		{"fraction", ParseFraction, "101%", math.NaN()},
		{"fraction", ParseFraction, "NaN", math.NaN()},
		{"count", ParseCount, "1,000,000", 1e6},
		{"count", ParseCount, "50k", 5e4},
		{"count", ParseCount, "0", math.NaN()},
	} {
		got, err := c.f(c.in)
		if math.IsNaN(c.want) != (err != nil) || (err == nil && math.Abs(got-c.want) > 1e-9*c.want) {
			t.Errorf("%s %q: got %g, %v, want %g", c.name, c.in, got, err, c.want)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Duration(0.0613), "61.3 ms"}, {Duration(38.68), "38.7 s"}, {Duration(242), "4 m 02 s"},
		{Duration(3599.7), "1 h 00 m"}, {Duration(7620), "2 h 07 m"}, {Duration(273600), "3 d 04 h"},
		{Duration(99.97), "1 m 40 s"}, {Duration(98.1), "1 m 38 s"}, {Duration(59.94), "59.9 s"},
		{Duration(59.97), "1 m 00 s"}, {Duration(math.NaN()), "—"},
		{Money(2.406), "$2.41"}, {Money(0.0031), "$0.0031"}, {Money(1204.4), "$1,204"}, {Money(0.0329), "$0.033"},
		{Energy(0.0123), "12.3 Wh"}, {Energy(1.2), "1.20 kWh"}, {Energy(3410), "3.41 MWh"}, {Energy(0.00085), "850 mWh"},
		{Energy(-1.2), "-1.20 kWh"}, {Money(-2.406), "-$2.41"},
		{Percent(0.7), "70.0 %"}, {Count(1e6), "1,000,000"}, {PlusMinus(0.034), "±3 %"}, {PlusMinus(0.004), "±0.4 %"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// What a database or a file claims may be any number, and a line has an end.
func TestNoNumberIsLong(t *testing.T) {
	const longest = 24 // runes
	write := map[string]func(float64) string{"duration": Duration, "money": Money, "energy": Energy, "percent": Percent,
		"count": Count, "interval": PlusMinus}
	check := func(t *rapid.T, v float64) {
		for name, write := range write {
			if got := write(v); utf8.RuneCountInString(got) > longest || got == "" {
				t.Fatalf("%s of %g takes %d characters: %s", name, v, utf8.RuneCountInString(got), got)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, math.Float64frombits(rapid.Uint64().Draw(t, "bits")))
		check(t, math.Exp(rapid.Float64Range(-700, 700).Draw(t, "ln v")))
	})
	for v, want := range map[float64]string{1e300: "1.16e+295 d", 86400 * 1e6: "1000000 d 00 h"} {
		if got := Duration(v); got != want {
			t.Errorf("%g s is written as %s, not %s", v, got, want)
		}
	}
	got := Count(1e15) + " " + Count(123456789012345) + " " + Count(1.5e-9)
	if got != "1e+15 123,456,789,012,345 1.5e-09" {
		t.Error(got)
	}
}

func TestSeveral(t *testing.T) {
	for n, want := range map[int]string{0: "0 runs", 1: "1 run", 2: "2 runs", 1000: "1,000 runs"} {
		if got := Several(n, "run"); got != want {
			t.Errorf("%d: %q, not %q", n, got, want)
		}
	}
}

func TestDurationReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := math.Exp(rapid.Float64Range(math.Log(1), math.Log(1e6)).Draw(t, "ln s"))
		back, err := ParseDuration(Duration(s))
		if err != nil || math.Abs(back/s-1) > 0.03 {
			t.Fatalf("%g s is shown as %q and read as %g (%v)", s, Duration(s), back, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"90s", "1d", "$1", "70%", "1M", "", "d", "%", "9e999h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, parse := range map[string]func(string) (float64, error){
			"duration": ParseDuration, "money": ParseMoney, "fraction": ParseFraction, "count": ParseCount,
		} {
			if v, err := parse(s); err == nil && (math.IsNaN(v) || math.IsInf(v, 0) || v < 0) {
				t.Errorf("%s of %q is %g", name, s, v)
			}
		}
	})
}
