package traffic

import (
	"fmt"
	"math"
	"strconv"

	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/theme"
)

// measures of the schemes.
var measures = []desk.Measure[Answer]{
	{ID: "scheme", Title: "scheme", Width: 14, Text: func(th *theme.Theme, _ *Answer, i int) string {
		return schemeName(th, i)
	}},
	of("cost", "cost", 9, 0, quantity.Money, func(o *serving.Outcome) float64 { return o.USD }),
	of("vms", "VMs", 9, 5, quantity.Money, func(o *serving.Outcome) float64 { return o.VMUSD }),
	of("functions", "functions", 9, 4, quantity.Money, func(o *serving.Outcome) float64 { return o.FunctionUSD }),
	of("over", "extra", 8, 3, func(v float64) string { return fmt.Sprintf("%+.1f %%", 100*v) },
		func(o *serving.Outcome) float64 {
			if o.OverProvisioning == nil {
				return math.NaN()
			}
			return *o.OverProvisioning
		}),
	of("strict", "strict late", 11, 0, hundredths, func(o *serving.Outcome) float64 {
		strict, _ := o.ViolationShares()
		return strict
	}),
	of("relaxed", "relaxed late", 12, 2, hundredths, func(o *serving.Outcome) float64 {
		_, relaxed := o.ViolationShares()
		return relaxed
	}),
	of("p50", "p50", 8, 7, quantity.Duration, func(o *serving.Outcome) float64 { return o.P50S }),
	of("p99", "p99", 9, 1, quantity.Duration, func(o *serving.Outcome) float64 { return o.P99S }),
	of("share", "on functions", 12, 6, hundredths, (*serving.Outcome).FunctionShare),
	of("most", "most VMs", 8, 8, func(v float64) string { return strconv.Itoa(int(v)) },
		func(o *serving.Outcome) float64 { return float64(o.MostVMs) }),
}

// of is a measure of a scheme's outcome.
//
//nolint:revive // a column of the table, on one line where it is called
func of(id, title string, width, drop int, write func(float64) string,
	value func(o *serving.Outcome) float64) desk.Measure[Answer] {
	return desk.Measure[Answer]{ID: id, Title: title, Width: width, Drop: drop, Write: write,
		Value: func(a *Answer, i int) float64 { return value(&a.Outcomes[i]) }}
}

// hundredths writes a share to a hundredth of a percent: what is late is little.
func hundredths(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) }
