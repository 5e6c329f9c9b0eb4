// Package reproduce recomputes the numbers that a study prints and holds
// them against the printed ones.
//
// Every number of ours comes from a formula that reads other printed cells and
// never the one it is compared with. The sheet the formulas read from notes
// what each of them reads, so that a test can see it, and moves every input by
// half its last printed digit, so that the tolerance follows from the rounding
// and from nothing else; where a study drew its numbers, chance is added.
package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/profile"
)

// Key names a printed cell. Fields that do not apply are empty.
type Key struct {
	Table       string
	Application string
	Variant     string // what was changed in the model; empty for the model as it is
	Batch       int
	Validation  string // yes or no: whether an estimate counts the validations
	VM          string
	Column      string
	Epochs      float64 // simulated epochs of a relative column
}

// String names the cell within its table, as rows do.
func (k Key) String() string {
	batch, column := "", k.Column
	if k.Batch > 0 {
		batch = fmt.Sprintf("b%d", k.Batch)
	}
	if k.Epochs > 0 {
		column += fmt.Sprintf("@%g epochs", k.Epochs)
	}
	validation := map[string]string{"yes": "with validation", "no": "without validation"}[k.Validation]
	words := []string{k.Application, k.Variant, batch, k.VM, column, validation}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// in gives the cell of another column in the same line of the table.
func (k Key) in(column string) Key {
	k.Column = column
	return k
}

// of gives the same cell of another table.
func (k Key) of(table, validation string) Key {
	k.Table, k.Validation = table, validation
	return k
}

// on gives the same cell of another VM type.
func (k Key) on(vm string) Key {
	k.VM = vm
	return k
}

// as gives the same cell of another variant.
func (k Key) as(variant string) Key {
	k.Variant = variant
	return k
}

// Cell is a printed cell. Its number is nil where the text is lost, or where
// a figure only draws it.
type Cell struct {
	Key
	Number *Number
}

// drawn tells a number that no table holds from one that the text lost.
func (c Cell) drawn() bool {
	return strings.HasPrefix(c.Table, "figure") || strings.HasPrefix(c.Table, "section")
}

// Slip is a place where a study contradicts itself. Empty fields of its key
// match everything.
type Slip struct {
	Paper string
	Key
	ShouldBe *float64 // what the arithmetic gives, where that is one number
	Why      string
}

func (s Slip) concerns(k Key) bool {
	return s.Table == k.Table && matches(s.Application, k.Application) && matches(s.Variant, k.Variant) &&
		matches(s.Batch, k.Batch) && matches(s.Validation, k.Validation) &&
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
	Repeats       *Repeat  `json:"repeats"` // nil where the row is a success of its own, or none
	Note          string   `json:"note"`

	Key    Key   `json:"-"` // of the printed cell that ours is held against, where there is one
	Inputs []Key `json:"-"` // printed cells that ours was computed from
}

// Repeat says why a number that is ok is no success of its own.
type Repeat string

// The repeats.
const (
	Printing Repeat = "printing" // it is held against another printing of itself
	One      Repeat = "one"      // it is 1 because something is divided by itself
	Identity Repeat = "identity" // it follows from a number that counts as following from it
)

// markRepeats marks the rows that are ok and no successes of their own.
func markRepeats(rows []Row) {
	counted := map[Key][]Key{}
	for i := range rows {
		r := &rows[i]
		back := func(k Key) bool { return slices.Contains(counted[k], r.Key) }
		switch {
		case r.OK == nil || !*r.OK:
		case r.Repeats != nil: // by its computation
		case *r.Published == 1 && *r.Ours == 1:
			r.Repeats = new(One)
		case slices.ContainsFunc(r.Inputs, back):
			r.Repeats = new(Identity)
		default:
			counted[r.Key] = r.Inputs
		}
	}
}

// Inputs are the printed numbers of a paper and what its tables rest on.
type Inputs struct {
	Paper         string
	Cells         []Cell
	Slips         []Slip
	Prices        map[string]float64 // $ per hour by instance type, where the paper's cells do not print them
	Reconstructed []Reconstructed    // absolute times behind the thesis' relative tables
	Curves        []Curve            // accuracy along the pruning of layers, measured elsewhere
	Own           *profile.Set       // runs of our own, for the questions that a study asks; nil is none
	Workload      *Workload          // synthetic jobs where a study's are not published; nil is none
	Traffic       *Traffic           // synthetic loads where a study's are not published; nil is none
}

// Papers are those whose numbers are computed, in the order they are shown.
var Papers = []string{Malta, Malta2019, TARCAR, ApproxDNN, Paragon}

// study is how the numbers of one paper are computed.
type study struct {
	how      func(Key) computation
	isInput  func(Key) bool // cells that formulas read but that give no rows
	findings func(sheet) []string
	further  func(sheet) []Row // its questions, put to other data or answered exactly; nil is none
}

func studyOf(in Inputs) (study, bool) {
	switch in.Paper {
	case Malta:
		return trainingTimes(in), true
	case Malta2019:
		return costBenefit(in), true
	case TARCAR:
		return costAccuracy(in), true
	case ApproxDNN:
		return pricedPrecision(in), true
	case Paragon:
		return servedQueries(in), true
	}
	return study{}, false
}

// Reproduce recomputes every result of a paper: a row for each printed
// cell, in the order of in.Cells, then one for each answer to its questions from
// other data. Of a paper it does not know it gives none.
func Reproduce(in Inputs) []Row {
	paper, known := studyOf(in)
	if !known {
		return nil
	}
	s := sheetOf(in.Cells)
	var rows []Row
	for _, c := range in.Cells {
		if !paper.isInput(c.Key) {
			rows = append(rows, s.row(in.Paper, c, paper.how(c.Key), in.Slips))
		}
	}
	markRepeats(rows)
	if paper.further != nil {
		rows = append(rows, paper.further(s)...)
	}
	return rows
}

// Findings are contradictions of a paper that no single cell shows, one
// sentence each.
func Findings(in Inputs) []string {
	paper, known := studyOf(in)
	if !known {
		return nil
	}
	return paper.findings(sheetOf(in.Cells))
}

// Count sums rows up.
type Count struct {
	OK            int `json:"ok"`
	Separate      int `json:"separate"` // of these, successes of their own: see [Repeat]
	NotOK         int `json:"not_ok"`
	NotComputable int `json:"not_computable"`
}

func (c *Count) add(r Row) {
	switch {
	case r.OK == nil:
		c.NotComputable++
	case *r.OK:
		c.OK++
		if r.Repeats == nil {
			c.Separate++
		}
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
	chance   formula // by how much numbers that were drawn may differ besides their rounding; nil where nothing was drawn
	partial  string  // why ours rests on a part of the inputs only and judges nothing; empty where it rests on all
	other    formula // another way of computing it, told where it differs
	otherway string  // in words; %s is its value
	again    bool    // it is another printing of the number
}

// by is a computation by a formula; the note says how.
func by(note string, f formula) computation { return computation{note: note, formula: f} }

// printedAgain holds a number against another printing of it.
func printedAgain(note string, at Key) computation {
	return computation{note: note, formula: cell(at), again: true}
}

// or adds another way; %s in its words is its value.
func (c computation) or(words string, other formula) computation {
	c.otherway, c.other = words, other
	return c
}

// Computations without a formula.
var (
	measured  = computation{note: measuredByStudy}
	described = computation{note: "a description: an input"}
	notOurs   = computation{note: "no method of ours computes this cell"}
	ofThesis  = computation{note: "a measurement of the thesis: an input"}
)

const measuredByStudy = "a measurement of the study: an input"

func (s sheet) row(paper string, c Cell, how computation, slips []Slip) Row {
	row := Row{Paper: paper, Table: c.Table, Cell: c.Key.String(), Key: c.Key}
	notes := []string{how.note}
	switch {
	case how.formula == nil:
	case how.partial != "":
		if got, ok := s.value(how.formula); ok {
			row.Ours, row.Inputs = &got.value, got.used
		}
	default:
		if got, ok := s.evaluate(how.formula); ok {
			row.Ours, row.Inputs = &got.value, got.used
			by, known := evaluated{}, true
			if how.chance != nil { // not known where it rests on jobs that are not there
				by, known = s.value(how.chance)
			}
			if known {
				row.compare(c.Number, got.tolerance+by.value)
				if how.again && row.OK != nil && *row.OK {
					row.Repeats = new(Printing)
				}
				row.Inputs = append(row.Inputs, by.used...)
			}
		}
	}
	notes = append(notes, how.partial)
	if how.other != nil {
		if got, ok := s.value(how.other); ok && (row.Ours == nil || got.value != *row.Ours) {
			notes = append(notes, fmt.Sprintf(how.otherway, short(got.value)))
		}
	}
	switch {
	case c.Number != nil:
		row.Published = &c.Number.Value
	case c.drawn():
		notes = append(notes, "the study draws or defines it, but prints no number")
	default:
		notes = append(notes, "the number is lost in the text we have")
	}
	for _, slip := range slips {
		if slip.Paper == paper && slip.concerns(c.Key) {
			notes = append(notes, slip.note())
		}
	}
	row.Note = joined(notes...)
	return row
}

// against holds what is shown against a printed cell; why is given where they differ.
func (s sheet) against(paper string, printed Key, shown Cell, how computation, why string) Row {
	row := s.row(paper, shown, how, nil)
	row.Key = printed
	if row.OK != nil && !*row.OK {
		row.Note = joined(row.Note, why)
	}
	return row
}

// joined are the notes that are not empty.
func joined(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(n string) bool { return n == "" }), "; ")
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
