package plot

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTicksAreRoundInsideAndFew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e9, 1e9).Draw(t, "lo")
		width := math.Pow(10, rapid.Float64Range(-6, 9).Draw(t, "width"))
		most := rapid.IntRange(1, 12).Draw(t, "most")
		log := rapid.Bool().Draw(t, "log")
		for _, f := range []func(float64, float64, bool, int) []float64{niceTicks, DurationTicks} {
			ticks := f(lo, lo+width, log, most)
			if len(ticks) > most {
				t.Fatalf("%d ticks, at most %d wanted: %v", len(ticks), most, ticks)
			}
			if !slices.IsSorted(ticks) {
				t.Fatalf("not ascending: %v", ticks)
			}
			slack := width*1e-6 + math.Abs(lo)*1e-9
			for _, v := range ticks {
				if v < lo-slack || v > lo+width+slack {
					t.Fatalf("tick %g outside [%g, %g]", v, lo, lo+width)
				}
			}
		}
	})
}

func TestTickExamples(t *testing.T) {
	for _, c := range []struct {
		name   string
		got    []float64
		wanted []float64
	}{
		{"fractions", niceTicks(0.57, 0.81, false, 4), []float64{0.6, 0.7, 0.8}},
		{"negative to positive", niceTicks(-1, 1, false, 5), []float64{-1, -0.5, 0, 0.5, 1}},
		{"money log", niceTicks(1.5, 22, true, 6), []float64{2, 5, 10, 20}},
		{"many decades", niceTicks(1e-3, 1e9, true, 4), []float64{1e-3, 10, 1e5, 1e9}},
		{"minutes", DurationTicks(0, 3700, false, 5), []float64{0, 900, 1800, 2700, 3600}},
		{"hours", DurationTicks(0, 6*3600, false, 4), []float64{0, 7200, 14400, 21600}},
		{"hours and days log", DurationTicks(3600, 2*86400, true, 7),
			[]float64{3600, 7200, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400}},
		{"hours and days log, fewer", DurationTicks(3600, 2*86400, true, 6), []float64{3600, 7200, 6 * 3600, 12 * 3600,
			86400, 2 * 86400}},
		{"narrower than floating point", niceTicks(1e300, math.Nextafter(1e300, 2e300), false, 5), nil},
		{"widest", niceTicks(-8e307, 8e307, false, 3), []float64{0}},
		{"empty range", niceTicks(1, 1, false, 5), nil},
		{"NaN", niceTicks(math.NaN(), 1, false, 5), nil},
	} {
		if !slices.EqualFunc(c.got, c.wanted, func(a, b float64) bool {
			return math.Abs(a-b) <= 1e-9*math.Max(1,
				math.Abs(b))
		}) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.wanted)
		}
	}
}

func TestScaleGoesThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(1e-3, 1e6).Draw(t, "lo")
		hi := lo * rapid.Float64Range(1.001, 1e6).Draw(t, "factor")
		axis := Axis{Log: rapid.Bool().Draw(t, "log"), Invert: rapid.Bool().Draw(t, "invert")}
		s, ok := newScale(axis, lo, hi)
		if !ok {
			t.Fatalf("no scale for [%g, %g]", lo, hi)
		}
		for _, v := range []float64{lo, math.Sqrt(lo * hi), hi} {
			f := s.frac(v)
			if f < 0 || f > 1 {
				t.Fatalf("%g falls outside at %g", v, f)
			}
			if back := s.value(f); math.Abs(back-v) > 1e-6*hi {
				t.Fatalf("%g came back as %g", v, back)
			}
		}
		if axis.Invert != (s.frac(hi) < s.frac(lo)) {
			t.Fatal("direction is wrong")
		}
	})
}

func TestScaleRefusesWhatCannotBeDrawn(t *testing.T) {
	for _, c := range [][2]float64{{math.Inf(1), math.Inf(-1)}, {-math.MaxFloat64, math.MaxFloat64}, {math.NaN(), 1}} {
		if _, ok := newScale(Axis{}, c[0], c[1]); ok {
			t.Errorf("accepted [%g, %g]", c[0], c[1])
		}
	}
	if s, ok := newScale(Axis{Log: true}, 5, 5); !ok || s.frac(5) != 0.5 {
		t.Error("a single value must stand in the middle")
	}
}

func TestTickLabels(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{DurationLabel(5400, 0), "90 m"}, {DurationLabel(3600, 0), "1 h"}, {DurationLabel(600, 0), "10 m"},
		{DurationLabel(0.02, 0), "20 ms"},
		{DurationLabel(2*86400, 0), "2 d"}, {DurationLabel(0, 0), "0"},
		{MoneyLabel(2, 0), "$2"}, {MoneyLabel(0.5, 0), "$0.5"}, {MoneyLabel(20000, 0), "$20,000"},
		{PercentLabel(0.725, 0), "72.5 %"}, {PercentLabel(0.7, 0), "70 %"},
		{DurationLabel(2412.5, 0.5), "40.208 m"}, {DurationLabel(2412.5, 60), "40.2 m"}, {MoneyLabel(12.34, 0.02), "$12.34"},
		{MoneyLabel(12.34, 0.5), "$12.3"},
		{MoneyLabel(1234.5, 0.5), "$1,234.5"}, {PercentLabel(0.70125, 0.0001), "70.12 %"}, {PercentLabel(0.70125, 0.00001),
			"70.125 %"},
		{CountLabel(1e6, 2e5), "1,000,000"}, {CountLabel(1.25, 0.05), "1.25"}, {Digits(3.14159, 0, 4), "3.142"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestAxesAreTheSame(t *testing.T) {
	a := Axis{Title: "time", Log: true, Min: 1, Max: 2}
	if !a.same(a) {
		t.Error("an axis is another one than itself")
	}
	for _, b := range []Axis{{Title: "cost", Log: true, Min: 1, Max: 2}, {Title: "time", Min: 1, Max: 2},
		{Title: "time", Log: true, Invert: true, Min: 1, Max: 2}, {Title: "time", Log: true, Max: 2},
		{Title: "time", Log: true, Min: 1}} {
		if a.same(b) {
			t.Errorf("%+v is taken for %+v", b, a)
		}
	}
}
