package explore

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"sweetspot/data/export"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/tui/components/table"
	"sweetspot/tui/state"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// columns of the ranking; all can be sorted by.
func columns(metric string, q state.Question) []table.Column {
	best := "P(cheapest)"
	if byTime(q.Sort) {
		best = "P(fastest)"
	}
	all := []table.Column{
		{ID: "rank", Title: "#", Width: 4, Right: true},
		{ID: "vm", Title: "VM", Width: 16, Flex: 3, Sort: true},
		{ID: "variant", Title: "variant", Width: 12, Flex: 2, Sort: true, Drop: 3},
		{ID: "batch", Title: "batch", Width: 5, Right: true, Sort: true, Drop: 6},
		{ID: "time", Title: "time", Width: 16, Right: true, Sort: true},
		{ID: "cost", Title: "cost", Width: 14, Right: true, Sort: true},
		{ID: "accuracy", Title: cmp.Or(metric, "accuracy"), Width: 8, Right: true, Sort: true, Drop: 2},
		{ID: "car", Title: "CAR", Width: 8, Right: true, Sort: true, Drop: 7},
		{ID: "tar", Title: "TAR", Width: 10, Right: true, Sort: true, Drop: 9},
		{ID: "score", Title: "score", Width: 5, Right: true, Sort: true, Drop: 8},
		{ID: "best", Title: best, Width: 11, Sort: true, Drop: 5},
		{ID: "basis", Title: "basis", Width: 7, Sort: true, Drop: 4},
	}
	if q.Mode == profile.Train && q.Epochs == nil {
		// Sources stop at different epochs: to compare times is to see that.
		all = slices.Insert(all, 4, table.Column{ID: "epochs", Title: "epochs", Width: 6, Right: true, Sort: true, Drop: 5})
	}
	return all
}

// byTime reports whether the ranking is about time rather than money.
func byTime(s rank.Sort) bool { return s == rank.ByTime || s == rank.ByTAR }

// rows shows an answer in the table: feasible candidates in order, then the
// others, faint.
type rows struct {
	a      *Answer
	th     *theme.Theme
	order  []int // row → candidate
	ids    []int64
	find   map[int64]int // id → row
	place  []int         // candidate → rank from 1, 0 infeasible
	pinned map[int64]bool
}

// rowOptions say how an answer is laid out as rows.
type rowOptions struct {
	column       string
	descending   bool
	feasibleOnly bool
	pinned       map[int64]bool
}

// newRows orders an answer by a column; engine orders are kept as they are.
func newRows(a *Answer, th *theme.Theme, o rowOptions) *rows {
	s := a.Result.Space
	n := s.Len()
	r := &rows{a: a, th: th, order: make([]int, 0, n), ids: make([]int64, n), find: make(map[int64]int, n), place: make([]int, n), pinned: o.pinned}
	for k, i := range a.Result.Order {
		r.order = append(r.order, i)
		r.place[i] = k + 1
	}
	if o.column != string(a.Question.Sort) {
		r.sortBy(o.column)
	}
	if o.descending {
		slices.Reverse(r.order)
	}
	var out []int
	for i, ok := range a.Result.Feasible {
		if !ok && !o.feasibleOnly {
			out = append(out, i)
		}
		r.ids[i] = identity(s.At(i).ID)
	}
	slices.SortStableFunc(out, func(i, j int) int { return byNumber(a.Result.Key(i), a.Result.Key(j)) })
	r.order = append(r.order, out...)
	for row, i := range r.order {
		r.find[r.ids[i]] = row
	}
	return r
}

// identity makes a row ID of a candidate's ID, the same in every answer.
func identity(id string) int64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return int64(h.Sum64() >> 1)
}

// sortBy orders the feasible rows by a column that the engine does not rank
// by. Better or smaller comes first; equal ones keep the ranking's order.
func (r *rows) sortBy(column string) {
	s := r.a.Result.Space
	var words func(i int) string
	var number func(i int) float64
	switch column {
	case "vm":
		words = func(i int) string {
			p := s.At(i).Configuration[0]
			return fmt.Sprintf("%s %04d", p.VM.InstanceType, p.Count)
		}
	case "variant":
		words = func(i int) string { return export.VariantLabel(s.At(i).Variant) }
	case "batch":
		number = func(i int) float64 { return float64(s.At(i).BatchSize) }
	case "epochs":
		number = func(i int) float64 { return epochsOf(s.At(i)) }
	case "accuracy":
		number = func(i int) float64 { return s.Loss[i] }
	case "basis":
		number = func(i int) float64 { return float64(s.At(i).Time.Basis) }
	case "best":
		number = func(i int) float64 { return -r.probability(i) }
	default:
		return
	}
	slices.SortStableFunc(r.order, func(a, b int) int {
		if words != nil {
			return strings.Compare(words(a), words(b))
		}
		return byNumber(number(a), number(b))
	})
}

// byNumber orders what is unknown last.
func byNumber(x, y float64) int {
	if math.IsNaN(x) || math.IsNaN(y) {
		return cmp.Compare(btoi(math.IsNaN(x)), btoi(math.IsNaN(y)))
	}
	return cmp.Compare(x, y)
}

// epochsOf is how many epochs a candidate's time is of; NaN where the source
// does not say.
func epochsOf(c *rank.Candidate) float64 {
	if c.Epochs == nil {
		return math.NaN()
	}
	return *c.Epochs
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// probability of being best in the objective that the ranking is by.
func (r *rows) probability(i int) float64 {
	p := r.a.PCost
	if byTime(r.a.Question.Sort) {
		p = r.a.PTime
	}
	if p == nil {
		return math.NaN()
	}
	return p[i]
}

func (r *rows) Len() int         { return len(r.order) }
func (r *rows) ID(row int) int64 { return r.ids[r.order[row]] }
func (r *rows) Find(id int64) (int, bool) {
	row, ok := r.find[id]
	return row, ok
}

func (r *rows) Look(row int) table.Look {
	i := r.order[row]
	look := table.Look{Faint: !r.a.Result.Feasible[i]}
	if r.pinned[r.ids[i]] {
		look.Mark = r.th.Symbols.Pinned
	}
	return look
}

func (r *rows) Cell(row int, column string, width int) string {
	i := r.order[row]
	res := r.a.Result
	c := res.Space.At(i)
	switch column {
	case "rank":
		if r.place[i] == 0 {
			return r.th.Symbols.Cross
		}
		return fmt.Sprint(r.place[i])
	case "vm":
		name := text.Clean(export.VMs(c))
		if c.IsPredicted() { // said here too: where it is narrow there is no column for the basis
			name = string(r.th.BasisMark(c.Time.Basis)) + " " + name
		}
		if c.Live {
			name += " " + r.th.Warn.Render("probing")
		}
		return name
	case "variant":
		label := text.Clean(export.VariantLabel(c.Variant))
		if r.a.isSweet(i) {
			label = string(r.th.Symbols.Sweet) + " " + label
		}
		return label
	case "batch":
		return fmt.Sprint(c.BatchSize)
	case "epochs":
		if n := epochsOf(c); !math.IsNaN(n) {
			return quantity.Count(n)
		}
		return "?"
	case "time":
		return r.estimate(c.Time, quantity.Duration)
	case "cost":
		return r.estimate(c.Cost, quantity.Money)
	case "accuracy":
		if c.Quality == nil {
			return "—"
		}
		return accuracyFormat(res.Space)(c.Quality.Estimate.Value)
	case "car":
		return quantity.Money(res.CAR(i))
	case "tar":
		return quantity.Duration(res.TAR(i))
	case "score":
		if s := res.Score[i]; !math.IsNaN(s) {
			return fmt.Sprintf("%.2f", s)
		}
		return "—"
	case "best":
		if p := r.probability(i); !math.IsNaN(p) && r.place[i] > 0 {
			return table.Share(r.th, p, width)
		}
		return "—"
	case "basis":
		return r.th.Basis(c.Time.Basis).Render(string(r.th.BasisMark(c.Time.Basis)) + " " + theme.BasisWord(c.Time.Basis))
	}
	return ""
}

// estimate writes a value with its interval; the value looks like its basis.
func (r *rows) estimate(e estimate.Estimate, format func(float64) string) string {
	if !e.Known() {
		return "—"
	}
	pm := strings.Replace(quantity.PlusMinus(e.HalfWidth()), "±", r.th.Symbols.PlusMinus, 1)
	return r.th.Basis(e.Basis).Render(format(e.Value)) + " " + r.th.Interval.Render(pm)
}
