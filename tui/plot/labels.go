package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"sweetspot/engine/quantity"
)

// A label has the usual digits of its unit, and more only where its neighbours,
// step away, would otherwise read the same.

// Digits writes v with the given significant digits, or with as many decimals
// as tell it from values step away; a step of 0 asks for no more.
func Digits(v, step float64, significant int) string {
	short := strconv.FormatFloat(v, 'g', significant, 64)
	if !(step > 0) {
		return short
	}
	if back, err := strconv.ParseFloat(short, 64); err == nil && math.Abs(back-v) <= step/10 {
		return short
	}
	return strconv.FormatFloat(v, 'f', decimals(step), 64)
}

// decimals is how many are needed to tell values step > 0 apart.
func decimals(step float64) int {
	return min(max(int(math.Ceil(-math.Log10(step)-1e-9)), 0), 12)
}

// DurationLabel writes seconds: one unit, no more digits than needed: 20 ms,
// 10 m, 90 m, 2 h.
func DurationLabel(s, step float64) string {
	for _, u := range []struct {
		seconds float64
		name    string
	}{{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}} {
		// Ninety minutes read better as 90 m than as 1.5 h.
		if n := s / u.seconds; math.Abs(n) >= 2 || math.Abs(n) >= 1 && n == math.Trunc(n) {
			return Digits(n, step/u.seconds, 3) + " " + u.name
		}
	}
	return Digits(s, step, 3)
}

// MoneyLabel writes US dollars: $2, $0.5, $1,000.
func MoneyLabel(usd, step float64) string {
	if math.Abs(usd) >= 1000 && math.Abs(usd) < 1e15 {
		unit := 1.0
		if step > 0 {
			unit = math.Pow(10, float64(decimals(step)))
		}
		usd = math.Round(usd*unit) / unit
		return "$" + quantity.Count(usd)
	}
	return "$" + Digits(usd, step, 3)
}

// PercentLabel writes a fraction: 70 %, 72.5 %.
func PercentLabel(fraction, step float64) string {
	return Digits(math.Round(fraction*1e9)/1e7, step*100, 4) + " %"
}

// CountLabel writes a number of things: 1,000,000.
func CountLabel(n, step float64) string {
	if step > 0 {
		unit := math.Pow(10, float64(decimals(step)))
		n = math.Round(n*unit) / unit
	}
	return quantity.Count(n)
}

// A reading is written as in the tables beside the plot, with more digits only
// where its neighbours, step away, would otherwise read the same.

// DurationReading writes seconds as [quantity.Duration]: 3 m 50 s, or 3 m 50.3 s.
func DurationReading(s, step float64) string {
	switch {
	case s < 0:
		return "-" + DurationReading(-s, step)
	case !(step > 0) || !(s > 0) || math.IsInf(s, 0) || step >= durationUnit(s):
		return quantity.Duration(s)
	case s >= shortestMinute:
		return clock(s, step)
	}
	unit, name := 1.0, "s"
	if s < 0.9995e-3 {
		unit, name = 1e-6, "µs"
	} else if s < 0.9995 {
		unit, name = 1e-3, "ms"
	}
	return fixed(s/unit, step/unit) + " " + name
}

// shortestMinute is the least time in seconds that [quantity.Duration] writes in
// minutes.
const shortestMinute = 59.95

// durationUnit is the last unit or digit that [quantity.Duration] writes, in
// seconds.
func durationUnit(s float64) float64 {
	switch {
	case s < shortestMinute:
		return math.Pow(10, math.Floor(math.Log10(s))-2)
	case s < 3599.5:
		return 1
	case s < 86400-30:
		return 60
	}
	return 3600
}

// clock writes a minute and more, down to the unit or decimal of a second that
// tells values step apart.
func clock(s, step float64) string {
	last := 60.0
	if step < 60 {
		last = math.Pow(10, -float64(decimals(step)))
		last = min(last, 1)
	}
	s = math.Round(s/last) * last
	var words []string
	for _, u := range []struct {
		seconds float64
		name    string
	}{{86400, "d"}, {3600, "h"}, {60, "m"}} {
		n := math.Floor(s/u.seconds + 1e-9)
		s -= n * u.seconds
		switch {
		case len(words) > 0:
			words = append(words, fmt.Sprintf("%02.0f %s", n, u.name))
		case n > 0:
			words = append(words, fmt.Sprintf("%.0f %s", n, u.name))
		}
	}
	if last < 60 {
		seconds := fixed(math.Max(0, s), last)
		if whole, _, _ := strings.Cut(seconds, "."); len(whole) < 2 {
			seconds = "0" + seconds
		}
		words = append(words, seconds+" s")
	}
	return strings.Join(words, " ")
}

// MoneyReading writes US dollars as [quantity.Money]: $53.20, or $53.204.
func MoneyReading(usd, step float64) string {
	cent := 0.01
	switch a := math.Abs(usd); {
	case a > 0 && a < 0.1:
		cent = math.Pow(10, -math.Min(6, 1-math.Floor(math.Log10(a))))
	case a >= 999.995:
		cent = 1
	}
	switch {
	case !(step > 0) || step >= cent || math.IsNaN(usd) || math.IsInf(usd, 0):
		return quantity.Money(usd)
	case usd < 0:
		return "-" + MoneyReading(-usd, step)
	}
	whole, cents, _ := strings.Cut(fixed(usd, step), ".")
	if n, err := strconv.ParseFloat(whole, 64); err == nil {
		whole = quantity.Count(n)
	}
	return "$" + whole + "." + cents
}

// PercentReading writes a fraction as [quantity.Percent]: 72.5 %, or 72.53 %.
func PercentReading(fraction, step float64) string {
	if !(step > 0) || step >= 0.001 || math.IsNaN(fraction) {
		return quantity.Percent(fraction)
	}
	return fixed(fraction*100, step*100) + " %"
}

// fixed writes v with the decimals that tell it from values step away.
func fixed(v, step float64) string { return strconv.FormatFloat(v, 'f', decimals(step), 64) }
