package plot

import (
	"math"
	"strconv"

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
