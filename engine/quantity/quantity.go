// Package quantity reads and writes the quantities people type and see: time,
// money, fractions and counts. Inside the program time is in seconds, money in
// US dollars, fractions in [0,1].
package quantity

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"sweetspot/engine/plaintext"
)

// ParseDuration reads 90s, 2h30m, 1.5h or 1d as seconds.
func ParseDuration(s string) (float64, error) {
	t := strings.ReplaceAll(strings.TrimSpace(s), " ", "")
	days := 0.0
	if head, rest, ok := strings.Cut(t, "d"); ok {
		d, err := strconv.ParseFloat(head, 64)
		if err != nil {
			return 0, badDuration(s)
		}
		days, t = d, rest
		if t == "" {
			t = "0s"
		}
	}
	d, err := time.ParseDuration(t)
	if err != nil {
		return 0, badDuration(s)
	}
	seconds := days*86400 + d.Seconds()
	if !(seconds > 0) || math.IsInf(seconds, 0) {
		return 0, fmt.Errorf("duration %s is not above zero", plaintext.Quote(s))
	}
	return seconds, nil
}

func badDuration(s string) error {
	return fmt.Errorf("%s is not a duration: write 90s, 45m, 2h30m or 1d", plaintext.Quote(s))
}

// ParseMoney reads 10, $10 or 2.50 as dollars.
func ParseMoney(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(s), "$"), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return 0, fmt.Errorf("%s is not an amount in dollars: write 10 or $2.50", plaintext.Quote(s))
	}
	return v, nil
}

// ParseEnergy reads 1.5, 1.5kWh, 300Wh or 2MWh as kilowatt-hours.
func ParseEnergy(s string) (float64, error) {
	t, factor := strings.ReplaceAll(s, " ", ""), 1.0
	for _, unit := range []struct {
		name string
		kwh  float64
	}{{"kWh", 1}, {"MWh", 1e3}, {"mWh", 1e-6}, {"Wh", 1e-3}} {
		if body, ok := strings.CutSuffix(t, unit.name); ok {
			t, factor = body, unit.kwh
			break
		}
	}
	v, err := strconv.ParseFloat(t, 64)
	if v *= factor; err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return 0, fmt.Errorf("%s is not an amount of energy: write 1.5kWh or 300Wh", plaintext.Quote(s))
	}
	return v, nil
}

// ParseFraction reads 0.7 or 70% as 0.7. A bare number above 1 is refused,
// since 70 may mean either.
func ParseFraction(s string) (float64, error) {
	t := strings.TrimSpace(s)
	body, percent := strings.CutSuffix(t, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(body), 64)
	if err != nil || math.IsNaN(v) || v < 0 {
		return 0, fmt.Errorf("%s is not a fraction: write 0.7 or 70%%", plaintext.Quote(s))
	}
	if percent {
		v /= 100
	} else if v > 1 {
		return 0, fmt.Errorf("%s is above 1: a fraction is 0.7 or 70%%", plaintext.Quote(s))
	}
	if v > 1 {
		return 0, fmt.Errorf("%s is above 100%%", plaintext.Quote(s))
	}
	return v, nil
}

// ParseCount reads 50000, 50k, 1M or 1,000,000.
func ParseCount(s string) (float64, error) {
	t := strings.ReplaceAll(strings.TrimSpace(s), ",", "")
	factor := 1.0
	for suffix, f := range map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9} {
		if body, ok := strings.CutSuffix(t, suffix); ok {
			t, factor = body, f
			break
		}
	}
	v, err := strconv.ParseFloat(t, 64)
	if err != nil || !(v > 0) || math.IsInf(v*factor, 0) {
		return 0, fmt.Errorf("%s is not a count above zero: write 50000, 50k or 1M", plaintext.Quote(s))
	}
	return v * factor, nil
}

// Duration writes seconds for people, with about three significant digits:
// 61.3 ms, 38.7 s, 4 m 02 s, 2 h 07 m, 3 d 04 h.
func Duration(seconds float64) string {
	switch {
	case math.IsNaN(seconds):
		return "—"
	case math.IsInf(seconds, 0):
		return "∞"
	case seconds < 0:
		return "-" + Duration(-seconds)
	case seconds == 0:
		return "0 s"
	case seconds < 0.9995e-3:
		return significant(seconds*1e6) + " µs"
	case seconds < 0.9995:
		return significant(seconds*1e3) + " ms"
	case seconds < 59.95: // from a minute on all are minutes, so that a column reads alike
		return significant(seconds) + " s"
	case seconds < 3599.5:
		return pair(seconds, 60, "m", 1, "s")
	case seconds < 86400-30:
		return pair(seconds, 3600, "h", 60, "m")
	case seconds < beyond:
		return pair(seconds, 86400, "d", 3600, "h")
	}
	return decimal(seconds/86400, 0) + " d"
}

func pair(seconds, big float64, bigUnit string, small float64, smallUnit string) string {
	n := math.Round(seconds / small)
	per := big / small
	return fmt.Sprintf("%.0f %s %02.0f %s", math.Floor(n/per), bigUnit, math.Mod(n, per), smallUnit)
}

func significant(v float64) string {
	switch {
	case v >= 99.95:
		return decimal(v, 0)
	case v >= 9.995:
		return decimal(v, 1)
	}
	return decimal(v, 2)
}

// beyond is from where on numbers are written in powers of ten: all their digits
// would make a line of any length.
const beyond = 1e15

// decimal writes v with some decimals, -1 for as many as it has.
func decimal(v float64, decimals int) string {
	if a := math.Abs(v); a >= beyond || decimals < 0 && a < 1e-6 && a > 0 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// HoursPerMonth is a month as clouds bill it: a twelfth of a year of 365 days.
const HoursPerMonth = 730

// Money writes dollars for people: $0.0031, $2.41, $1,204.
func Money(usd float64) string {
	switch {
	case math.IsNaN(usd):
		return "—"
	case usd < 0:
		return "-" + Money(-usd)
	case usd < 5e-7: // which six decimals would write as a row of zeros
		return "$0"
	case usd < 0.1:
		return "$" + strconv.FormatFloat(usd, 'f', min(6, 1-int(math.Floor(math.Log10(usd)))), 64)
	case usd < 999.995:
		return "$" + strconv.FormatFloat(usd, 'f', 2, 64)
	default:
		return "$" + Count(math.Round(usd))
	}
}

// Energy writes kilowatt-hours for people: 850 mWh, 12.3 Wh, 1.20 kWh, 3.41 MWh.
func Energy(kwh float64) string {
	switch {
	case math.IsNaN(kwh):
		return "—"
	case kwh < 0:
		return "-" + Energy(-kwh)
	case kwh == 0:
		return "0 kWh"
	case kwh < 0.9995e-3:
		return significant(kwh*1e6) + " mWh"
	case kwh < 0.9995:
		return significant(kwh*1e3) + " Wh"
	case kwh < 999.5:
		return significant(kwh) + " kWh"
	default:
		return significant(kwh/1e3) + " MWh"
	}
}

// Percent writes a fraction as 70.0 %.
func Percent(fraction float64) string {
	if math.IsNaN(fraction) {
		return "—"
	}
	return decimal(fraction*100, 1) + " %"
}

// Count writes 1,000,000.
func Count(n float64) string {
	if math.IsNaN(n) {
		return "—"
	}
	digits := decimal(math.Abs(n), -1)
	if strings.ContainsAny(digits, "eI") { // a power of ten, or infinite
		return decimal(n, -1)
	}
	whole, frac, _ := strings.Cut(digits, ".")
	var b strings.Builder
	if n < 0 {
		b.WriteByte('-')
	}
	for i, r := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	if frac != "" {
		b.WriteString("." + frac)
	}
	return b.String()
}

// Several writes so many things: 1 run, 2 runs, 1,000 runs.
func Several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(float64(n)) + " " + noun + "s"
}

// PlusMinus writes a relative half-width as ±3 %.
func PlusMinus(rel float64) string {
	p := rel * 100
	switch {
	case p < 0.95:
		return fmt.Sprintf("±%.1f %%", p)
	case p < 1000:
		return fmt.Sprintf("±%.0f %%", p)
	default:
		return "±≫"
	}
}

// Bytes writes the size of a file: 812 B, 41 KiB, 2.3 GiB.
func Bytes(n int64) string {
	v, unit := float64(n), "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if v < 1024 {
			break
		}
		v, unit = v/1024, next
	}
	digits := 0
	if unit != "B" && v < 10 {
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " " + unit
}
