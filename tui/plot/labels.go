package plot

import (
	"math"
	"strconv"

	"sweetspot/engine/quantity"
)

// DurationLabel writes seconds at a tick: one unit, no more digits than
// needed: 20 ms, 10 m, 90 m, 2 h.
func DurationLabel(s float64) string {
	for _, u := range []struct {
		seconds float64
		name    string
	}{{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}} {
		// Ninety minutes read better as 90 m than as 1.5 h.
		if n := s / u.seconds; math.Abs(n) >= 2 || math.Abs(n) >= 1 && n == math.Trunc(n) {
			return strconv.FormatFloat(n, 'g', 3, 64) + " " + u.name
		}
	}
	return strconv.FormatFloat(s, 'g', 3, 64)
}

// MoneyLabel writes US dollars at a tick: $2, $0.5, $1,000.
func MoneyLabel(usd float64) string {
	if usd == math.Trunc(usd) && math.Abs(usd) < 1e15 {
		return "$" + quantity.Count(usd)
	}
	return "$" + strconv.FormatFloat(usd, 'g', 3, 64)
}

// PercentLabel writes a fraction at a tick: 70 %, 72.5 %.
func PercentLabel(fraction float64) string {
	return strconv.FormatFloat(math.Round(fraction*1e6)/1e4, 'g', 4, 64) + " %"
}
