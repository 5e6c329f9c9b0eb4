package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/training"
)

// Reconstructed are the absolute times of one VM at one batch size: those the
// relative tables and their anchor imply, and the published real total.
type Reconstructed struct {
	Application       string
	Batch             int
	VM                string
	StartupS, SteadyS float64 // initialisation and first iteration; any later iteration
	PerEpoch, Epochs  float64
	RealS, USDPerHour float64
}

func (c Reconstructed) predicted() float64 {
	return training.Method2(training.Iterations{Startup: c.StartupS, Steady: c.SteadyS, PerEpoch: c.PerEpoch}, c.Epochs)
}

func (c Reconstructed) question() string { return c.Application + " b" + strconv.Itoa(c.Batch) }

// Method is how far method 2 is from the real totals, as fractions of them,
// and whether it picks the right VM.
type Method struct {
	N                 int          `json:"n"`
	MeanAbsoluteError float64      `json:"mean_absolute_error"`
	Median            float64      `json:"median"`
	P90               float64      `json:"p90"`
	Worst             Miss         `json:"worst"`
	Fastest           Picks        `json:"fastest"`
	Cheapest          Picks        `json:"cheapest"`
	FindingOut        []FindingOut `json:"finding_out"`
}

// Miss is one prediction's relative error; negative is too low.
type Miss struct {
	Cell  string  `json:"cell"`
	Error float64 `json:"error"`
}

// Picks counts how often the VM that the method puts first is the right one.
type Picks struct {
	Right int         `json:"right"`
	Of    int         `json:"of"`
	Wrong []WrongPick `json:"wrong"`
}

// WrongPick is a question where the method's first is not the real first.
type WrongPick struct {
	Question string `json:"question"`
	Says     string `json:"says"`
	Truth    string `json:"truth"`
}

// FindingOut is the cost of finding the best VM out, in dollars, and the
// fractions that the methods save. Unknown is nil.
type FindingOut struct {
	Application   string   `json:"application"`
	EverythingUSD *float64 `json:"everything_usd"` // the printed total of running everything
	Method1USD    *float64 `json:"method_1_usd"`
	Method2USD    *float64 `json:"method_2_usd"`
	Method1Saves  *float64 `json:"method_1_saves"`
	Method2Saves  *float64 `json:"method_2_saves"`
	RecomputedUSD *float64 `json:"recomputed_everything_usd"` // from the published times and prices
	Note          string   `json:"note"`
}

// Judge measures method 2 against the real totals. Nil without cells.
func Judge(in Inputs) *Method {
	cells := in.Reconstructed
	if len(cells) == 0 {
		return nil
	}
	m := &Method{N: len(cells)}
	errors := make([]float64, len(cells))
	for i, c := range cells {
		miss := c.predicted()/c.RealS - 1
		errors[i] = math.Abs(miss)
		m.MeanAbsoluteError += errors[i] / float64(len(cells))
		if errors[i] > math.Abs(m.Worst.Error) {
			m.Worst = Miss{c.question() + " " + c.VM, miss}
		}
	}
	slices.Sort(errors)
	m.Median, m.P90 = estimate.Quantile(errors, 0.5), estimate.Quantile(errors, 0.9)
	m.Fastest = picks(cells, func(Reconstructed) float64 { return 1 })
	m.Cheapest = picks(cells, func(c Reconstructed) float64 { return c.USDPerHour })
	m.FindingOut = costs(in)
	return m
}

// picks compares the VM with the least predicted weight × time with the one
// that really has the least, question by question.
func picks(cells []Reconstructed, weight func(Reconstructed) float64) Picks {
	p := Picks{Wrong: []WrongPick{}}
	var asked []string
	for _, c := range cells {
		q := c.question()
		if slices.Contains(asked, q) {
			continue
		}
		asked = append(asked, q)
		best := func(time func(Reconstructed) float64) string {
			least, vm := math.Inf(1), ""
			for _, d := range cells {
				if v := weight(d) * time(d); d.question() == q && v < least {
					least, vm = v, d.VM
				}
			}
			return vm
		}
		says, truth := best(Reconstructed.predicted), best(func(d Reconstructed) float64 { return d.RealS })
		if says != truth {
			p.Wrong = append(p.Wrong, WrongPick{q, says, truth})
		}
	}
	p.Of, p.Right = len(asked), len(asked)-len(p.Wrong)
	return p
}

// costs tells what finding out cost, from the totals of tables 4.4, 4.5, 5.14.
func costs(in Inputs) []FindingOut {
	s := sheetOf(in.Cells)
	b := book{prices: in.Prices}
	seismic := FindingOut{Application: "seismic/FCN", Note: "recomputed from the times of table 4.1; method 2 is " +
		"not printed for this application"}
	seismic.fill(s, "4.4")
	recomputed, ok := s.evaluate(func(r *reading) (sum float64) {
		for _, vm := range vmsOfTotals {
			sum += b.everything(seismic.Application, vm)(r)
		}
		return sum
	})
	if ok {
		seismic.RecomputedUSD = &recomputed.value
	}
	mnist := FindingOut{Application: "MNIST/Simple-CNN", Note: "printed totals; the runs they sum up are not " +
		"published, so nothing is recomputed"}
	mnist.fill(s, "5.14")
	return []FindingOut{seismic, mnist}
}

func (f *FindingOut) fill(s sheet, table string) {
	total := func(column string) *float64 {
		n, ok := s[Key{Table: table, Application: f.Application, VM: "total", Column: column}]
		if !ok {
			return nil
		}
		return &n.Value
	}
	saves := func(usd *float64) *float64 {
		if usd == nil || f.EverythingUSD == nil {
			return nil
		}
		return new(saving(*usd, *f.EverythingUSD))
	}
	f.EverythingUSD, f.Method1USD, f.Method2USD = total("everything_usd"), total("method_1_usd"), total("method_2_usd")
	f.Method1Saves, f.Method2Saves = saves(f.Method1USD), saves(f.Method2USD)
}

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
