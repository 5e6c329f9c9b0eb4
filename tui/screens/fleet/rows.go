package fleet

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"sweetspot/engine/approx"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/table"
	"sweetspot/tui/theme"
)

// columns of the policies; all can be sorted by.
var columns = []table.Column{
	{ID: "policy", Title: "policy", Width: 20, Flex: 1, Sort: true},
	{ID: "total", Title: "their cost", Width: 10, Right: true, Sort: true},
	{ID: "relative", Title: "of on-demand", Width: 18, Right: true, Sort: true, Drop: 3},
	{ID: "reserved", Title: "reserved", Width: 9, Right: true, Sort: true, Drop: 5},
	{ID: "rented", Title: "on demand", Width: 9, Right: true, Sort: true, Drop: 6},
	{ID: "penalty", Title: "penalty", Width: 9, Right: true, Sort: true, Drop: 4},
	{ID: "accepted", Title: "accepted", Width: 13, Right: true, Sort: true, Drop: 7},
	{ID: "offer", Title: "offer", Width: 6, Right: true, Sort: true, Drop: 2},
	{ID: "accuracy", Title: "accuracy", Width: 9, Right: true, Sort: true, Drop: 8},
	{ID: "late", Title: "late", Width: 5, Right: true, Sort: true, Drop: 9},
	{ID: "bill", Title: "whole bill", Width: 10, Right: true, Sort: true, Drop: 1},
}

// rows are the policies of an answer.
type rows struct {
	th     *theme.Theme
	answer *Answer
	order  []int
	best   int
}

func newRows(th *theme.Theme, a *Answer, column string, descending bool) *rows {
	r := &rows{th: th, answer: a, order: sortedPolicies(a, column, descending), best: -1}
	if len(a.Result.Asked) == 0 {
		return r
	}
	for i, o := range a.Result.Outcomes {
		if r.best < 0 || o.Expected.USD() < a.Result.Outcomes[r.best].Expected.USD() {
			r.best = i
		}
	}
	return r
}

// Len, ID, Find, Cell and Style make it [table.Rows].
func (r *rows) Len() int { return len(r.order) }

// ID is the place of the policy.
func (r *rows) ID(row int) int64 { return int64(r.order[row]) }

// Find is the row of a policy.
func (r *rows) Find(id int64) (row int, ok bool) {
	for row, i := range r.order {
		if int64(i) == id {
			return row, true
		}
	}
	return 0, false
}

// Style marks the policy that expects to pay least.
func (r *rows) Style(row int) table.RowStyle {
	if r.order[row] == r.best {
		return table.RowStyle{Mark: r.th.Symbols.Sweet}
	}
	return table.RowStyle{}
}

// Cell is a value of a policy.
func (r *rows) Cell(row int, column string, _ int) string {
	i := r.order[row]
	o := r.answer.Result.Outcomes[i]
	switch column {
	case "policy":
		return policyName(r.th, i)
	case "total":
		return quantity.Money(o.Drawn.USD())
	case "relative":
		value, low, high := o.Relative()
		if math.IsNaN(value) || o.Offered == 0 {
			return quantity.Percent(value)
		}
		return fmt.Sprintf("%s (%.0f…%.0f)", quantity.Percent(value), 100*math.Max(low, 0), 100*math.Min(high, 1))
	case "reserved":
		return quantity.Money(o.Drawn.ReservedUSD)
	case "rented":
		return quantity.Money(o.Drawn.OnDemandUSD)
	case "penalty":
		return quantity.Money(o.Drawn.PenaltyUSD)
	case "accepted":
		return fmt.Sprintf("%.0f of %d", o.Drawn.Accepted, o.Offered)
	case "offer":
		if math.IsNaN(o.MeanOffer) {
			return "—"
		}
		return strconv.FormatFloat(o.MeanOffer, 'f', 3, 64)
	case "accuracy":
		return accuracyText(o.Drawn.Accuracy)
	case "late":
		return strconv.Itoa(r.answer.Late[i])
	}
	return quantity.Money(r.answer.Bills[i].USD())
}

// accuracyText has a digit more than elsewhere: a policy changes hundredths of a
// point.
func accuracyText(v float64) string {
	if math.IsNaN(v) {
		return "—"
	}
	return fmt.Sprintf("%.2f %%", 100*v)
}

// compare orders two policies by a column.
func compare(a *Answer, column string, x, y int) int {
	value := func(i int) float64 {
		o := a.Result.Outcomes[i]
		switch column {
		case "total", "relative":
			return o.Drawn.USD()
		case "reserved":
			return o.Drawn.ReservedUSD
		case "rented":
			return o.Drawn.OnDemandUSD
		case "penalty":
			return o.Drawn.PenaltyUSD
		case "accepted":
			return o.Drawn.Accepted
		case "offer":
			return o.MeanOffer
		case "accuracy":
			return o.Drawn.Accuracy
		case "late":
			return float64(a.Late[i])
		case "bill":
			return a.Bills[i].USD()
		}
		return float64(i)
	}
	return cmp.Compare(value(x), value(y))
}

// byPolicy is the place of a policy among all.
func byPolicy(a *Answer, p approx.Policy) approx.Outcome {
	for _, o := range a.Result.Outcomes {
		if o.Policy == p {
			return o
		}
	}
	return approx.Outcome{}
}
