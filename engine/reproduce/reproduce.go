// Package reproduce computes the numbers that a study prints anew and holds
// them against the printed ones.
//
// Every number of ours comes from a formula that reads other printed cells and
// never the one it is compared with. The sheet the formulas read from notes
// what each of them reads, so that a test can see it, and moves every input by
// half its last printed digit, so that the tolerance follows from the rounding
// and from nothing else.
package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Key names a printed cell. Fields that do not apply are empty.
type Key struct {
	Table       string
	Application string
	Batch       int
	Validation  string // yes or no: whether an estimate counts the validations
	VM          string
	Column      string
	Epochs      float64 // simulated epochs of a relative column
}

// String names the cell within its table, as rows do.
func (k Key) String() string {
	var words []string
	if k.Application != "" {
		words = append(words, k.Application)
	}
	if k.Batch > 0 {
		words = append(words, fmt.Sprintf("b%d", k.Batch))
	}
	if k.VM != "" {
		words = append(words, k.VM)
	}
	column := k.Column
	if k.Epochs > 0 {
		column += fmt.Sprintf("@%g epochs", k.Epochs)
	}
	words = append(words, column)
	switch k.Validation {
	case "yes":
		words = append(words, "with validation")
	case "no":
		words = append(words, "without validation")
	}
	return strings.Join(words, " ")
}

// Cell is a printed cell. Its number is nil where the text is lost.
type Cell struct {
	Key
	Number *Number
}

// Slip is a place where a study contradicts itself. Empty fields of its key
// match everything.
type Slip struct {
	Key
	ShouldBe *float64 // what the arithmetic gives, where that is one number
	Why      string
}

func (s Slip) concerns(k Key) bool {
	return s.Table == k.Table && matches(s.Batch, k.Batch) && matches(s.Validation, k.Validation) &&
		matches(s.VM, k.VM) && matches(s.Column, k.Column) && matches(s.Epochs, k.Epochs)
}

func (s Slip) note() string {
	if s.ShouldBe == nil {
		return s.Why
	}
	return fmt.Sprintf("%s; should be %g", s.Why, *s.ShouldBe)
}

func matches[T comparable](pattern, value T) bool {
	var any T
	return pattern == any || pattern == value
}

// Row is one printed number beside ours. Unknown numbers are nil.
type Row struct {
	Paper         string   `json:"paper"`
	Table         string   `json:"table"`
	Cell          string   `json:"cell"`
	Published     *float64 `json:"published"`
	Ours          *float64 `json:"ours"`
	RelativeError *float64 `json:"relative_error"` // (ours - published) / published
	Tolerance     *float64 `json:"tolerance"`      // relative, as the error
	OK            *bool    `json:"ok"`
	Note          string   `json:"note"`

	Key    Key   `json:"-"`
	Inputs []Key `json:"-"` // printed cells that ours was computed from
}

// Count sums rows up.
type Count struct {
	OK            int `json:"ok"`
	NotOK         int `json:"not_ok"`
	NotComputable int `json:"not_computable"`
}

func (c *Count) add(r Row) {
	switch {
	case r.OK == nil:
		c.NotComputable++
	case *r.OK:
		c.OK++
	default:
		c.NotOK++
	}
}

// TableCount sums one table up.
type TableCount struct {
	Paper string `json:"paper"`
	Table string `json:"table"`
	Count
}

// Summarise counts the rows per paper, and per table in the rows' order.
func Summarise(rows []Row) (papers map[string]Count, tables []TableCount) {
	papers = map[string]Count{}
	for _, r := range rows {
		p := papers[r.Paper]
		p.add(r)
		papers[r.Paper] = p
		i := slices.IndexFunc(tables, func(t TableCount) bool { return t.Paper == r.Paper && t.Table == r.Table })
		if i < 0 {
			i = len(tables)
			tables = append(tables, TableCount{Paper: r.Paper, Table: r.Table})
		}
		tables[i].add(r)
	}
	return papers, tables
}

// computation is how a cell is computed: not at all without a formula.
type computation struct {
	formula  formula
	note     string
	other    formula // another way of computing it, told where it differs
	otherway string  // in words; %s is its value
}

func (s sheet) row(c Cell, how computation, slips []Slip) Row {
	row := Row{Paper: Malta, Table: c.Table, Cell: c.Key.String(), Key: c.Key}
	notes := []string{how.note}
	if how.formula != nil {
		if got, ok := s.evaluate(how.formula); ok {
			row.Ours, row.Inputs = &got.value, got.used
			row.compare(c.Number, got.tolerance)
		}
	}
	if how.other != nil {
		if got, ok := s.evaluate(how.other); ok && (row.Ours == nil || got.value != *row.Ours) {
			notes = append(notes, fmt.Sprintf(how.otherway, short(got.value)))
		}
	}
	if c.Number == nil {
		notes = append(notes, "the number is lost in the text we have")
	} else {
		row.Published = &c.Number.Value
	}
	for _, slip := range slips {
		if slip.concerns(c.Key) {
			notes = append(notes, slip.note())
		}
	}
	notes = slices.DeleteFunc(notes, func(n string) bool { return n == "" })
	row.Note = strings.Join(notes, "; ")
	return row
}

// compare holds ours against the printed number: they agree when a true value
// exists that rounds to the printed one and that ours may be, given how the
// inputs are rounded.
func (r *Row) compare(printed *Number, propagated float64) {
	if printed == nil || printed.Value == 0 {
		return
	}
	tolerance := propagated + printed.Half
	off := *r.Ours - printed.Value
	scale := math.Abs(printed.Value)
	r.RelativeError = new(off / printed.Value)
	r.Tolerance = new(tolerance / scale)
	r.OK = new(math.Abs(off) <= tolerance*(1+1e-9))
}

// short writes a number with about as many digits as the studies do.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return fmt.Sprintf("%.1f", v)
	case a >= 1:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.3f", v)
	}
}
