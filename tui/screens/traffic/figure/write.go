// Package figure writes and draws what the desks of Traffic have in common: rates and shares,
// schemes, what a function costs by its memory, and the variants to choose from.
package figure

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
	"sweetspot/tui/plot"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Value is a value that may be unknown, NaN then.
func Value(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// Rate writes requests per second.
func Rate(v float64) string {
	if v >= 1000 {
		return quantity.Count(math.Round(v))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Hundredths writes a share to a hundredth of a percent: what is late is little.
func Hundredths(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) }

// Trace says how much a trace has.
func Trace(tr serving.Trace) string {
	return fmt.Sprintf("%s requests in %s", quantity.Count(float64(tr.Requests())), quantity.Duration(float64(len(tr))))
}

// Why says in a sentence that nothing serves, and the mend.
func Why(err error) string {
	words := []rune(err.Error())
	words[0] = unicode.ToUpper(words[0])
	mend := ""
	if infeasible := (*serving.InfeasibleError)(nil); errors.As(err, &infeasible) {
		mend = ": loosen one of the limits"
		if infeasible.Of == serving.Latency {
			mend = ": loosen the limit, or probe smaller batches"
		}
	}
	return string(words) + mend + "."
}

// WhyNot is [Why] as the sentence above the panes.
func WhyNot(why string) []string { return []string{text.Sentence(strings.TrimSuffix(why, "."))} }

// Sign is the rune that stands for a line of a chart, in its colour.
func Sign(th *theme.Theme, k int) string { return th.Series(k).Render(string(th.SeriesRune(k))) }

// Scheme names a scheme beside its sign.
func Scheme(th *theme.Theme, k int) string { return Sign(th, k) + " " + string(serving.Schemes()[k]) }

// SchemeCosts draws what each scheme costs, by kind, and what it misses, where at most a share may
// be late.
func SchemeCosts(th *theme.Theme, outcomes []serving.Outcome, most float64, w, h int) string {
	var bars []plot.StackedBar
	for k, o := range outcomes {
		late := th.Dim
		if o.ViolationShare() > most {
			late = th.Warn
		}
		value := th.Title.Render(quantity.Money(o.USD)) + late.Render(" "+Hundredths(o.ViolationShare())+" late")
		bars = append(bars, plot.StackedBar{Name: Scheme(th, k), Value: value, Parts: []float64{o.VMUSD, o.FunctionUSD}})
	}
	return plot.Bars(th, bars, w, h)
}

// SchemeLegend names the parts of these bars.
func SchemeLegend(th *theme.Theme) string { return plot.Legend(th, "VMs", "functions") }
