package traffic

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"sweetspot/engine/quantity"
	"sweetspot/tui/components/table"
	"sweetspot/tui/theme"
)

// columns of the schemes; all can be sorted by.
var columns = []table.Column{
	{ID: "scheme", Title: "scheme", Width: 14, Flex: 1, Sort: true},
	{ID: "cost", Title: "cost", Width: 9, Right: true, Sort: true},
	{ID: "vms", Title: "VMs", Width: 9, Right: true, Sort: true, Drop: 5},
	{ID: "functions", Title: "functions", Width: 9, Right: true, Sort: true, Drop: 4},
	{ID: "over", Title: "over", Width: 8, Right: true, Sort: true, Drop: 3},
	{ID: "strict", Title: "strict late", Width: 11, Right: true, Sort: true},
	{ID: "relaxed", Title: "relaxed late", Width: 12, Right: true, Sort: true, Drop: 2},
	{ID: "p50", Title: "p50", Width: 8, Right: true, Sort: true, Drop: 7},
	{ID: "p99", Title: "p99", Width: 9, Right: true, Sort: true, Drop: 1},
	{ID: "share", Title: "on functions", Width: 12, Right: true, Sort: true, Drop: 6},
	{ID: "most", Title: "most VMs", Width: 8, Right: true, Sort: true, Drop: 8},
}

// rows are the schemes of an answer.
type rows struct {
	th     *theme.Theme
	answer *Answer
	order  []int
	pick   int // that is advised, -1 while that is not known
}

func newRows(th *theme.Theme, a *Answer, o *Advice, column string, descending bool) *rows {
	r := &rows{th: th, answer: a, order: make([]int, len(a.Outcomes)), pick: -1}
	for i := range r.order {
		r.order[i] = i
	}
	slices.SortStableFunc(r.order, func(x, y int) int {
		c := cmp.Compare(r.value(x, column), r.value(y, column))
		if descending {
			return -c
		}
		return c
	})
	if o != nil && o.answer == a {
		r.pick = o.Pick
	}
	return r
}

// Len, ID, Find, Cell and Style make it [table.Rows].
func (r *rows) Len() int { return len(r.order) }

// ID is the place of the scheme.
func (r *rows) ID(row int) int64 { return int64(r.order[row]) }

// Find is the row of a scheme.
func (r *rows) Find(id int64) (row int, ok bool) {
	row = slices.Index(r.order, int(id))
	return max(row, 0), row >= 0
}

// Style marks the scheme that is advised.
func (r *rows) Style(row int) table.RowStyle {
	if r.order[row] == r.pick {
		return table.RowStyle{Mark: r.th.Symbols.Sweet}
	}
	return table.RowStyle{}
}

// Cell is a value of a scheme.
func (r *rows) Cell(row int, column string, _ int) string {
	i := r.order[row]
	v := r.value(i, column)
	switch {
	case column == "scheme":
		return schemeName(r.th, i)
	case math.IsNaN(v):
		return "—"
	}
	switch column {
	case "cost", "vms", "functions":
		return quantity.Money(v)
	case "over":
		return fmt.Sprintf("%+.1f %%", 100*v)
	case "strict", "relaxed", "share":
		return hundredths(v)
	case "p50", "p99":
		return quantity.Duration(v)
	}
	return strconv.Itoa(int(v))
}

// value is what a column orders by.
func (r *rows) value(i int, column string) float64 {
	o := &r.answer.Outcomes[i]
	strict, relaxed := o.ViolationShares()
	switch column {
	case "cost":
		return o.USD
	case "vms":
		return o.VMUSD
	case "functions":
		return o.FunctionUSD
	case "over":
		if o.OverProvisioning == nil {
			return math.NaN()
		}
		return *o.OverProvisioning
	case "strict":
		return strict
	case "relaxed":
		return relaxed
	case "p50":
		return o.P50S
	case "p99":
		return o.P99S
	case "share":
		return o.FunctionShare()
	case "most":
		return float64(o.MostVMs)
	}
	return float64(i)
}

// hundredths writes a share to a hundredth of a percent: what is late is little.
func hundredths(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) }
