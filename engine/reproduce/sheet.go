package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Number is a printed number and half a unit of its last digit.
type Number struct{ Value, Half float64 }

// ParseNumber reads a printed number; its digits tell the rounding. A number
// without a decimal point is a count and exact.
func ParseNumber(printed string) (Number, error) {
	whole, decimals, point := strings.Cut(printed, ".")
	if !digits(whole) || point && !digits(decimals) {
		return Number{}, fmt.Errorf("%q is not a printed number: digits with at most one point", printed)
	}
	value, err := strconv.ParseFloat(printed, 64)
	if err != nil {
		return Number{}, fmt.Errorf("%q is not a printed number: digits with at most one point", printed)
	}
	if !point {
		return Number{Value: value}, nil
	}
	return Number{Value: value, Half: 0.5 * math.Pow10(-len(decimals))}, nil
}

func digits(s string) bool {
	return s != "" && len(s) <= 15 && strings.Trim(s, "0123456789") == ""
}

// sheet holds all printed numbers that formulas may read.
type sheet map[Key]Number

func sheetOf(cells []Cell) sheet {
	s := sheet{}
	for _, c := range cells {
		if c.Number != nil {
			s[c.Key] = *c.Number
		}
	}
	return s
}

// contradictions are the sentences about those that a study really makes.
func (s sheet) contradictions(finds ...func(sheet) (string, bool)) (found []string) {
	for _, find := range finds {
		if words, ok := find(s); ok {
			found = append(found, words)
		}
	}
	return found
}

// formula computes a number from cells it reads.
type formula func(*reading) float64

func cell(k Key) formula { return func(r *reading) float64 { return r.at(k) } }

func quotient(a, b Key) formula { return func(r *reading) float64 { return r.at(a) / r.at(b) } }

func difference(a, b Key) formula { return func(r *reading) float64 { return r.at(a) - r.at(b) } }

func reduction(less, more Key) formula {
	return func(r *reading) float64 { return saving(r.at(less), r.at(more)) }
}

func total(keys ...Key) formula {
	return func(r *reading) (sum float64) {
		for _, k := range keys {
			sum += r.at(k)
		}
		return sum
	}
}

func (f formula) times(factor float64) formula {
	return func(r *reading) float64 { return factor * f(r) }
}

// saving is the fraction that less is below more.
func saving(less, more float64) float64 { return 1 - less/more }

// reading is one evaluation of a formula. It notes what is read, or hands out
// one of the cells a little off.
type reading struct {
	sheet   sheet
	used    []Key
	missing bool
	moved   Key
	by      float64
}

// at reads a cell. Where it is not printed the evaluation comes to nothing.
func (r *reading) at(k Key) float64 {
	n, ok := r.sheet[k]
	if !ok {
		r.missing = true
		return math.NaN()
	}
	switch {
	case r.by == 0: // the first evaluation, which notes
		if !slices.Contains(r.used, k) {
			r.used = append(r.used, k)
		}
	case k == r.moved:
		return n.Value + r.by
	}
	return n.Value
}

// evaluated is a formula's value, how far the rounding of what it read can
// move it (to first order: every input moved by half its last digit, one at a
// time, the moves added), and what it read.
type evaluated struct {
	value, tolerance float64
	used             []Key
}

// value computes a formula, without its tolerance; ok is false where a cell it
// needs is not printed.
func (s sheet) value(f formula) (got evaluated, ok bool) {
	first := &reading{sheet: s}
	got.value = f(first)
	got.used = first.used
	if first.missing || math.IsNaN(got.value) || math.IsInf(got.value, 0) {
		return evaluated{}, false
	}
	return got, true
}

// evaluate computes a formula with its tolerance; ok is as for value, and false
// where rounding alone decides whether there is an answer.
func (s sheet) evaluate(f formula) (got evaluated, ok bool) {
	if got, ok = s.value(f); !ok {
		return got, false
	}
	for _, k := range got.used {
		half := s[k].Half
		if half == 0 {
			continue
		}
		up := f(&reading{sheet: s, moved: k, by: half})
		down := f(&reading{sheet: s, moved: k, by: -half})
		got.tolerance += math.Max(math.Abs(up-got.value), math.Abs(down-got.value))
	}
	if math.IsNaN(got.tolerance) || math.IsInf(got.tolerance, 0) {
		return evaluated{}, false
	}
	return got, true
}
