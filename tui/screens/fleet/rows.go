package fleet

import (
	"fmt"
	"math"
	"strconv"

	"sweetspot/engine/approx"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/theme"
)

// measures of the policies.
var measures = []desk.Measure[Answer]{
	{ID: "policy", Title: "policy", Width: 20, Text: func(th *theme.Theme, _ *Answer, i int) string {
		return policyName(th, i)
	}},
	{ID: "total", Title: "asked jobs", Width: 10, Value: total, Write: quantity.Money},
	{ID: "relative", Title: "of on-demand", Width: 18, Drop: 3, Value: total, Text: relative},
	of("reserved", "reserved", 9, 5, quantity.Money, func(o *approx.Outcome) float64 { return o.Drawn.ReservedUSD }),
	of("rented", "on demand", 9, 6, quantity.Money, func(o *approx.Outcome) float64 { return o.Drawn.OnDemandUSD }),
	of("penalty", "penalty", 9, 4, quantity.Money, func(o *approx.Outcome) float64 { return o.Drawn.PenaltyUSD }),
	{ID: "accepted", Title: "accepted", Width: 13, Drop: 7,
		Value: func(a *Answer, i int) float64 { return a.Result.Outcomes[i].Drawn.Accepted },
		Text: func(_ *theme.Theme, a *Answer, i int) string {
			return fmt.Sprintf("%.0f of %d", a.Result.Outcomes[i].Drawn.Accepted, a.Result.Outcomes[i].Offered)
		}},
	of("offer", "offer", 6, 2, func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) },
		func(o *approx.Outcome) float64 { return o.MeanOffer }),
	// A digit more than elsewhere: a policy changes hundredths of a point.
	of("accuracy", "accuracy", 9, 8, func(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) },
		func(o *approx.Outcome) float64 { return o.Drawn.Accuracy }),
	{ID: "late", Title: "late", Width: 5, Drop: 9,
		Write: func(v float64) string { return strconv.Itoa(int(v)) },
		Value: func(a *Answer, i int) float64 { return float64(a.Late[i]) }},
	{ID: "bill", Title: "whole bill", Width: 10, Drop: 1, Write: quantity.Money,
		Value: func(a *Answer, i int) float64 { return a.Bills[i].USD() }},
}

// of is a measure of a policy's outcome.
//
//nolint:revive // a column of the table, on one line where it is called
func of(id, title string, width, drop int, write func(float64) string,
	value func(o *approx.Outcome) float64) desk.Measure[Answer] {
	return desk.Measure[Answer]{ID: id, Title: title, Width: width, Drop: drop, Write: write,
		Value: func(a *Answer, i int) float64 { return value(&a.Result.Outcomes[i]) }}
}

func total(a *Answer, i int) float64 { return a.Result.Outcomes[i].Drawn.USD() }

// relative is what a policy pays as a share of renting on demand, with its interval.
func relative(_ *theme.Theme, a *Answer, i int) string {
	o := &a.Result.Outcomes[i]
	value, low, high := o.Relative()
	if math.IsNaN(value) || o.Offered == 0 {
		return quantity.Percent(value)
	}
	return fmt.Sprintf("%s (%.0f…%.0f)", quantity.Percent(value), 100*math.Max(low, 0), 100*math.Min(high, 1))
}

// best is the policy that expects to pay least, −1 where no job can be asked.
func best(a *Answer, _ *Alternatives) int {
	if len(a.Result.Asked) == 0 {
		return -1
	}
	least := 0
	for i, o := range a.Result.Outcomes {
		if o.Expected.USD() < a.Result.Outcomes[least].Expected.USD() {
			least = i
		}
	}
	return least
}
