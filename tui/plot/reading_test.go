package plot

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/quantity"
)

func TestReadings(t *testing.T) {
	for _, c := range []struct {
		read    func(v, step float64) string
		v, step float64
		want    string
	}{
		{DurationReading, 230, 15, "3 m 50 s"},
		{DurationReading, 230, 0, "3 m 50 s"},
		{DurationReading, 230.26, 0.3, "3 m 50.3 s"},
		{DurationReading, 239.96, 0.1, "4 m 00.0 s"},
		{DurationReading, 60, 0.001, "1 m 00.000 s"},
		{DurationReading, 7623, 60, "2 h 07 m"},
		{DurationReading, 7623, 7, "2 h 07 m 03 s"},
		{DurationReading, 86400 * 3.5, 90, "3 d 12 h 00 m"},
		{DurationReading, 86399.7, 1, "1 d 00 h 00 m 00 s"},
		{DurationReading, 0.0613, 0.001, "61.3 ms"},
		{DurationReading, 0.06132, 0.00003, "61.32 ms"},
		{DurationReading, 38.71, 0.02, "38.71 s"},
		{DurationReading, 0, 1, "0 s"},
		{MoneyReading, 53.2, 4, "$53.20"},
		{MoneyReading, 53.2041, 0.002, "$53.204"},
		{MoneyReading, 53.2041, 0, "$53.20"},
		{MoneyReading, 0.00312, 0.0005, "$0.0031"},
		{MoneyReading, 0.00312, 0.00002, "$0.00312"},
		{MoneyReading, 1204.4, 3, "$1,204"},
		{MoneyReading, 1234567.89, 0.2, "$1,234,567.9"},
		{PercentReading, 0.7, 0.02, "70.0 %"},
		{PercentReading, 0.72534, 0.0004, "72.53 %"},
		{PercentReading, 0.72534, 0, "72.5 %"},
	} {
		if got := c.read(c.v, c.step); got != c.want {
			t.Errorf("%g in a cell of %g reads %q, want %q", c.v, c.step, got, c.want)
		}
	}
	for name, read := range map[string]func(v, step float64) string{"duration": DurationReading, "money": MoneyReading,
		"percent": PercentReading} {
		for _, v := range []float64{math.NaN(), math.Inf(1), -1, 0} {
			if got := read(v, 0.5); got == "" {
				t.Errorf("%s of %g reads nothing", name, v)
			}
		}
	}
}

// What is a cell and more apart reads differently, and what is read is what is
// there.
func TestReadingsTellCellsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := math.Pow(10, rapid.Float64Range(-5, 6).Draw(t, "value, log"))
		step := v * math.Pow(10, rapid.Float64Range(-5, -0.5).Draw(t, "cell, log"))
		for name, read := range map[string]func(v, step float64) string{"duration": DurationReading, "money": MoneyReading} {
			if name == "money" && step < 1e-6 {
				continue // less than anybody pays
			}
			if a, b := read(v, step), read(v+1.01*step, step); a == b && step < v*0.005 {
				t.Fatalf("%s: %g and %g both read %q", name, v, v+step, a)
			}
		}
		back, err := quantity.ParseDuration(DurationReading(v, step))
		if err != nil || math.Abs(back-v) > math.Max(step, durationUnit(v))*0.51+v*1e-9 {
			t.Fatalf("%g s in a cell of %g reads %q, which is %g (%v)", v, step, DurationReading(v, step), back, err)
		}
		usd, err := quantity.ParseMoney(strings.ReplaceAll(MoneyReading(v, step), ",", ""))
		if err != nil || math.Abs(usd-v) > math.Max(step, math.Max(v*0.05, 5e-7)) {
			t.Fatalf("$%g in a cell of %g reads %q (%v)", v, step, MoneyReading(v, step), err)
		}
	})
}
