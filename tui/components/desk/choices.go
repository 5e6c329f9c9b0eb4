package desk

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/tui/components/table"
	"sweetspot/tui/theme"
)

// Measure is a column of a table that compares a few choices: schemes, policies.
// The first one names them. All can be sorted by.
type Measure[A any] struct {
	ID, Title   string
	Width, Drop int
	Value       func(a *A, i int) float64                 // of choice i; nil is i itself
	Write       func(v float64) string                    // a value, unless it is NaN
	Text        func(th *theme.Theme, a *A, i int) string // in place of Write
}

func columnsOf[A any](measures []Measure[A]) []table.Column {
	out := make([]table.Column, len(measures))
	for k, m := range measures {
		out[k] = table.Column{ID: m.ID, Title: m.Title, Width: m.Width, Drop: m.Drop, Right: k > 0, Sort: true}
	}
	out[0].Flex = 1
	return out
}

// choices are the rows of an answer.
type choices[A any] struct {
	th       *theme.Theme
	answer   *A
	measures []Measure[A]
	order    []int // row → choice
	best     int   // choice that is marked, −1 for none
}

func (c *choices[A]) measure(id string) *Measure[A] {
	return &c.measures[slices.IndexFunc(c.measures, func(m Measure[A]) bool { return m.ID == id })]
}

// sort orders n choices by a column.
func (c *choices[A]) sort(n int, column string, descending bool) {
	for i := range n {
		c.order = append(c.order, i)
	}
	m := c.measure(column)
	slices.SortStableFunc(c.order, func(x, y int) int {
		if descending {
			x, y = y, x
		}
		return cmp.Compare(m.value(c.answer, x), m.value(c.answer, y))
	})
}

func (m *Measure[A]) value(a *A, i int) float64 {
	if m.Value == nil {
		return float64(i)
	}
	return m.Value(a, i)
}

func (c *choices[A]) Len() int         { return len(c.order) }
func (c *choices[A]) ID(row int) int64 { return int64(c.order[row]) }
func (c *choices[A]) Find(id int64) (row int, ok bool) {
	row = slices.Index(c.order, int(id))
	return max(row, 0), row >= 0
}

func (c *choices[A]) Style(row int) (s table.RowStyle) {
	if c.order[row] == c.best {
		s.Mark = c.th.Symbols.Sweet
	}
	return s
}

func (c *choices[A]) Cell(row int, column string, _ int) string {
	m, i := c.measure(column), c.order[row]
	if m.Text != nil {
		return m.Text(c.th, c.answer, i)
	}
	if v := m.value(c.answer, i); !math.IsNaN(v) {
		return m.Write(v)
	}
	return "—"
}
