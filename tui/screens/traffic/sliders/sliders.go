// Package sliders has the sliders that the desks of Traffic share: what requests ask for, and what
// comes and serves them.
package sliders

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/slider"
	"sweetspot/tui/plot"
)

// The sliders.
var (
	Latency  = slider.Config{Label: "latency", Log: true, Lo: 0.01, Hi: 60, Format: Limit, Parse: quantity.ParseDuration}
	Accuracy = slider.Config{Label: "accuracy", Hi: 1, Format: quantity.Percent, Parse: slider.ParsePercent}
	Strict   = slider.Config{Label: "strict", Hi: 1, Format: quantity.Percent, Parse: slider.ParsePercent,
		Step: func(float64) float64 { return 0.02 }}
	Start = slider.Config{Label: "VM start-up", Log: true, Lo: 1, Hi: 3600, Format: quantity.Duration,
		Parse: quantity.ParseDuration, Step: slider.DurationStep}
	Memory = slider.Config{Label: "function", Log: true, Lo: 0.5, Hi: 10, Format: Gibibytes,
		Parse: quantity.ParseCount}
	Price = slider.Config{Label: "VM", Log: true, Lo: 0.005, Hi: 50, Format: Hourly, Parse: quantity.ParseMoney}
	Scale = slider.Config{Label: "load", Log: true, Lo: 0.01, Hi: 1000, Format: Times, Parse: quantity.ParseCount}
	Warm  = slider.Config{Label: "kept warm", Hi: mostWarm, Format: quantity.Count, Parse: quantity.ParseCount,
		Step: slider.CountStep}
	Predictor = names("predictor", serving.Predictors)
	Window    = slider.Config{Label: "looks back", Log: true, Lo: 2, Hi: 86400, Format: quantity.Duration,
		Parse: quantity.ParseDuration, Step: slider.DurationStep}
	Length = slider.Config{Label: "length", Log: true, Lo: leastLength, Hi: serving.MaxSeconds,
		Format: quantity.Duration, Parse: quantity.ParseDuration, Step: wholeSeconds}
)

const (
	mostWarm    = 10_000 // functions
	leastLength = 60     // of a synthetic load, seconds
)

// Times writes a factor.
func Times(v float64) string { return fmt.Sprintf("×%.3g", v) }

// Hourly writes a price per hour.
func Hourly(v float64) string { return "$" + strconv.FormatFloat(v, 'g', 3, 64) + "/h" }

// Limit writes a limit on a time.
func Limit(v float64) string { return "≤ " + quantity.Duration(v) }

// Gibibytes writes a size.
func Gibibytes(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) + " GiB" }

// wholeSeconds are the steps of a length.
func wholeSeconds(v float64) float64 { return math.Max(1, plot.RoundDuration(v/12)) }

// names is a slider between values that have names; a value is the place of its name.
func names[S ~string](label string, of []S) slider.Config {
	at := func(v float64) S { return of[min(max(int(v+0.5), 0), len(of)-1)] }
	return slider.Config{Label: label, Hi: float64(len(of) - 1),
		Format: func(v float64) string { return string(at(v)) },
		Step:   func(float64) float64 { return 1 },
		Parse: func(typed string) (float64, error) {
			word := strings.ToLower(strings.TrimSpace(typed))
			i := slices.IndexFunc(of, func(n S) bool { return word != "" && strings.HasPrefix(string(n), word) })
			if i < 0 {
				return 0, fmt.Errorf("%s is none of %s", plaintext.Quote(typed), plaintext.Join(of, ", ", func(n S) string {
					return string(n)
				}))
			}
			return float64(i), nil
		}}
}

// predictorAt is the predictor at a place of its slider.
func predictorAt(v float64) serving.Predictor { return serving.Predictors[int(v+0.5)] }
