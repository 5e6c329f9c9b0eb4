package rank

import (
	"math"
	"slices"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/pareto"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// Space is the candidates of a workload laid out for quick questions: a column
// for each objective, NaN where a value is unknown. It is immutable once made.
type Space struct {
	*candidate.List

	// Objectives are those that the candidates have; the accuracy is in the
	// direction of their metric.
	Objectives objective.List
	Metric     string

	// By candidate: never feasible, since memory does not hold it or its time is
	// unknown; and what its time rests on, see [candidate.Candidate].
	Barred    []bool
	Timing    []estimate.Basis
	Cell      []int32
	Unprobed  int // candidates that are not probed
	Unpriced  int // candidates of unknown cost for lack of a price
	AsPrinted int // candidates with a published total of unknown epochs
	Live      int // first candidate of a running probe, −1 without

	columns []column // of the objectives, those that break ties first coming first
	index   *pareto.Index
	errors  map[int][]candidate.CellError // of the candidates that err by more than their cell
	// What the prices of VM types may be off by, where there are several quotes; and by
	// VM type and by candidate, as far as there are such, the place there from 1.
	prices []candidate.CellError
	vms    map[profile.VMKey]int32
	priced []int32
}

// column is the candidates' values of an objective.
type column struct {
	objective.Objective
	values []float64
	turned []float64 // smaller is better
	sigma  []float32 // standard deviation of the logarithm; 0 without an interval
	widest float32   // sigma
	vague  []int32   // candidates that may be feasible, whose values have no interval
}

// put appends what the column holds of a candidate after n others. A column of an
// optional objective begins with the first candidate that has a value.
func (p *column) put(c *candidate.Candidate, n int, barred bool) {
	e := c.Of(p.Name)
	if p.Optional && len(p.values) == 0 {
		if !e.Known() {
			return
		}
		p.values, p.sigma = slices.Repeat([]float64{math.NaN()}, n), make([]float32, n)
	}
	v, sigma := valueOf(e), c.Sigma(p.Name)
	if !barred && v > 0 && (sigma == 0 || c.Time.LogSigma() == 0) { // nothing is less than 0
		p.vague = append(p.vague, int32(n))
	}
	p.values, p.sigma, p.widest = append(p.values, v), append(p.sigma, float32(sigma)), max(p.widest, float32(sigma))
}

// NewSpace lays out candidates.
func NewSpace(l *candidate.List) *Space {
	s := &Space{List: l, Live: -1, Objectives: objective.All()}
	for _, o := range append(s.Objectives.Minimized(), s.Objectives[s.Objectives.Index(objective.Accuracy)]) {
		s.columns = append(s.columns, column{Objective: o})
	}
	s.reserve(l.Len())
	for i, c := range l.All() {
		s.put(i, c)
	}
	s.turn()
	return s
}

// turn leaves out the objectives that no candidate has, and turns the others so
// that smaller is better.
func (s *Space) turn() {
	n := s.Len()
	s.columns = slices.DeleteFunc(s.columns, func(c column) bool { return len(c.values) < n || c.Optional && n == 0 })
	s.Objectives = slices.DeleteFunc(s.Objectives, func(o objective.Objective) bool { return s.at(o.Name) < 0 })
	if time, cost := s.at(objective.Time), s.at(objective.Cost); time >= 0 && cost >= 0 &&
		slices.Equal(s.columns[time].sigma, s.columns[cost].sigma) {
		s.columns[cost].sigma = s.columns[time].sigma // no need to hold millions twice
	}
	columns := make([][]float64, len(s.columns))
	for k := range s.columns {
		c := &s.columns[k]
		c.Objective = s.Objectives[s.Objectives.Index(c.Name)]
		c.turned = c.values
		if c.HigherIsBetter {
			c.turned = pareto.Negate(c.values)
		}
		columns[k] = c.turned
	}
	s.index = pareto.NewIndex(s.Barred, columns...)
}

// at is the place of an objective's column; −1 where there is none.
func (s *Space) at(o objective.Name) int {
	return slices.IndexFunc(s.columns, func(c column) bool { return c.Name == o })
}

func (s *Space) column(o objective.Name) *column { return &s.columns[s.at(o)] }

// Values are the candidates' values of an objective, as they are written; nil
// where the candidates have none.
func (s *Space) Values(o objective.Name) []float64 {
	if k := s.at(o); k >= 0 {
		return s.columns[k].values
	}
	return nil
}

// Turned are the values of an objective turned so that smaller is better.
func (s *Space) Turned(o objective.Name) []float64 {
	if k := s.at(o); k >= 0 {
		return s.columns[k].turned
	}
	return nil
}

// Objective is an objective in the direction that the candidates have it; ok is
// false where they have none.
func (s *Space) Objective(o objective.Name) (out objective.Objective, ok bool) {
	if k := s.at(o); k >= 0 {
		return s.columns[k].Objective, true
	}
	return out, false
}

// Uncertainty is the standard deviation of the logarithm of the candidates' values
// of an objective, 0 without an interval, and the largest of all.
func (s *Space) Uncertainty(o objective.Name) (sigma []float32, widest float64) {
	c := s.column(o)
	return c.sigma, float64(c.widest)
}

// Rising are the candidates by rising values of a minimized objective, the unknown
// ones last.
func (s *Space) Rising(o objective.Name) []uint32 { return s.index.Rising(s.at(o)) }

// Frontier is the frontier of two objectives within limits, by rising first one.
func (s *Space) Frontier(a, b objective.Name, l question.Limits) []int {
	return s.index.Frontier2D(s.at(a), s.at(b), s.within(l))
}

// Unbeaten are the candidates within limits that none of them is nowhere worse and
// somewhere better than, by rising index. What is unknown is worse than all that is known.
func (s *Space) Unbeaten(l question.Limits) []int { return s.index.Unbeaten(s.within(l)) }

// HigherIsBetter is the direction of the accuracy metric.
func (s *Space) HigherIsBetter() bool { return s.column(objective.Accuracy).HigherIsBetter }

// reserve makes room for n candidates.
func (s *Space) reserve(n int) {
	for k := range s.columns {
		if c := &s.columns[k]; !c.Optional {
			c.values, c.sigma = make([]float64, 0, n), make([]float32, 0, n)
		}
	}
	s.Barred, s.Timing, s.Cell = make([]bool, 0, n), make([]estimate.Basis, 0, n), make([]int32, 0, n)
}

// put appends what the columns hold of candidate i.
func (s *Space) put(i int, c *candidate.Candidate) {
	if c.Live && s.Live < 0 {
		s.Live = i
	}
	if q := c.Quality; q != nil && (q.Metric != s.Metric || s.Metric == "") {
		s.Metric, s.Objectives = q.Metric, s.Objectives.InMetric(q.Metric, q.HigherIsBetter)
	}
	barred := c.OverMemory != nil || !c.Time.Known()
	for k := range s.columns {
		s.columns[k].put(c, i, barred)
	}
	s.Cell = append(s.Cell, int32(c.Cell))
	if c.Errors != nil {
		if s.errors == nil {
			s.errors = map[int][]candidate.CellError{}
		}
		s.errors[i] = c.Errors
	}
	if c.Sigma(objective.Cost) != c.Time.LogSigma() {
		s.putPrice(i, c.Configuration[0])
	}
	if !c.Cost.Known() && c.USDPerHour() == nil {
		s.Unpriced++
	}
	if c.AsPrinted {
		s.AsPrinted++
	}
	s.Barred = append(s.Barred, barred)
	if s.Timing = append(s.Timing, c.Timing()); !s.Probed(i) {
		s.Unprobed++
	}
}

// Probed reports whether candidate i was, by a run on its VM type at its batch size.
func (s *Space) Probed(i int) bool { return s.Timing[i] == estimate.Measured }

// IsPredicted reports whether candidate i rests on no run of its own.
func (s *Space) IsPredicted(i int) bool { return candidate.IsPrediction(s.Timing[i]) }

// putPrice keeps what the price of candidate i may be off by. All on one VM type share
// the number of that error, which no timing cell has.
func (s *Space) putPrice(i int, p candidate.Part) {
	if s.vms == nil {
		s.vms = map[profile.VMKey]int32{}
	}
	key := p.VM.Key()
	if s.vms[key] == 0 {
		s.prices = append(s.prices, candidate.CellError{Cell: math.MinInt32 + int32(len(s.prices)), Sigma: p.PriceSpread})
		s.vms[key] = int32(len(s.prices))
	}
	s.priced = append(append(s.priced, make([]int32, i-len(s.priced))...), s.vms[key])
}

// priceError is what the price of candidate i may be off by; ok is false where it is
// taken as quoted.
func (s *Space) priceError(i int) (e candidate.CellError, ok bool) {
	if i >= len(s.priced) || s.priced[i] == 0 {
		return e, false
	}
	return s.prices[s.priced[i]-1], true
}

// valueOf is NaN where the estimate is unknown.
func valueOf(e estimate.Estimate) float64 {
	if !e.Known() {
		return math.NaN()
	}
	return e.Value
}

// AccuracyVaries reports whether accuracy tells any candidates apart. Where it
// does not, time × cost says more than a plot with a flat axis.
func (s *Space) AccuracyVaries() bool {
	values := s.Values(objective.Accuracy)
	known := slices.IndexFunc(values, func(a float64) bool { return !math.IsNaN(a) })
	return known >= 0 && slices.ContainsFunc(values[known:], func(a float64) bool {
		return !math.IsNaN(a) &&
			a != values[known]
	})
}
