package rank

import (
	"math"
	"slices"

	"sweetspot/engine/profile"
	"sweetspot/engine/runtime"
)

// Relaxation is what giving way on one constraint would buy: the least step
// that lets a candidate in which beats the best feasible one in Gain's terms.
type Relaxation struct {
	Constraint Constraint
	Limit      float64 // the limit now
	Need       float64 // the limit that lets Candidate in
	Candidate  int
	In         Sort    // what is gained: time for money, money for time, the sort key for accuracy
	Gain       float64 // how much less than the best feasible candidate, a material share of it; +Inf where none is feasible
}

// Relaxations lists, for each constraint that binds, the least relaxation that
// buys something; without a feasible candidate, the least that lets any in. A
// constraint binds exactly when it is listed.
func (r *Result) Relaxations() []Relaxation {
	s, l := r.Space, r.Query.Limits
	var out []Relaxation
	try := func(bit uint8, name Constraint, limit *float64, column []float64, in Sort) {
		if limit == nil {
			return
		}
		if i, gain := r.relax(bit, column, in); i >= 0 {
			out = append(out, Relaxation{name, *limit, column[i], i, in, gain})
		}
	}
	try(1, Accuracy, l.MinAccuracy, s.Loss, r.Query.Sort)
	if len(out) > 0 {
		out[0].Need = s.Accuracy[out[0].Candidate]
	}
	try(2, Time, l.MaxTime, s.Time, ByCost)
	try(4, Cost, l.MaxCost, s.Cost, ByTime)
	return out
}

// Material is the share of the best value that a gain must exceed to be worth
// giving way for: below it two candidates differ by the rounding of batches.
const Material = 0.005

// relax finds, among the candidates that break only the given constraint, the
// one with the least of its column which gains in the objective.
func (r *Result) relax(bit uint8, column []float64, in Sort) (candidate int, gain float64) {
	s, l := r.Space, r.Query.Limits
	least := math.Inf(1)
	for _, i := range r.Order {
		if k := r.key(in, i); k < least {
			least = k
		}
	}
	worth := 0.0 // any gain on an unknown best is one
	if !math.IsInf(least, 1) {
		worth = Material * math.Abs(least)
	}
	candidate = -1
	for i := range s.Len() {
		if breaks(s, l, i) != bit || math.IsNaN(column[i]) {
			continue
		}
		g := least - r.key(in, i)
		if len(r.Order) == 0 {
			g = math.Inf(1) // anything beats nothing, also with an unknown key
		}
		if g > worth && (candidate < 0 || column[i] < column[candidate] || (column[i] == column[candidate] && g > gain)) {
			candidate, gain = i, g
		}
	}
	return candidate, gain
}

// RulesOutAll names the constraints that rule every candidate out on their
// own; empty where only several together do.
func (r *Result) RulesOutAll() []Constraint {
	var out []Constraint
	for _, name := range constraints {
		if n := r.Because[name]; n > 0 && n == r.Space.Len() {
			out = append(out, name)
		}
	}
	return out
}

// Crossover is where the best candidate changes as epochs grow.
type Crossover struct {
	Epochs    float64
	From, To  int
	Objective Objective
}

// maxEpochs bounds the search for crossovers.
const maxEpochs = 1000

// Crossovers finds, for a training workload, the numbers of epochs at which the
// fastest and the cheapest candidate change, among those that hold the limits
// which do not depend on epochs.
func (r *Result) Crossovers() []Crossover {
	if r.Query.Mode != profile.Train {
		return nil
	}
	var out []Crossover
	for _, o := range []Objective{ObjectiveTime, ObjectiveCost} {
		var lines []runtime.Line
		var index []int
		for i := range r.Space.Len() {
			c := r.Space.At(i)
			line := c.timeLine
			if o == ObjectiveCost {
				line = c.costLine
			}
			fixed := Limits{MinAccuracy: r.Query.MinAccuracy}
			if line == nil || breaks(r.Space, fixed, i) != 0 {
				continue
			}
			lines, index = append(lines, *line), append(index, i)
		}
		for _, x := range runtime.Crossovers(lines, 1, maxEpochs) {
			out = append(out, Crossover{x.At, index[x.From], index[x.To], o})
		}
	}
	slices.SortStableFunc(out, func(a, b Crossover) int { return lastNaN(a.Epochs, b.Epochs) })
	return out
}
