package rank

import (
	"iter"
	"math"
	"slices"

	"sweetspot/engine/pareto"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/training"
)

// Relaxation is what giving way on one constraint would buy: the least step
// that lets a candidate in which beats the best feasible one in Gain's terms.
type Relaxation struct {
	Constraint question.Constraint
	Limit      float64 // the limit now
	Need       float64 // the limit that lets Candidate in
	Candidate  int
	In         question.Sort // what is gained: time for money, money for time, the sort key for accuracy
	Gain       float64       // how much less than the best feasible candidate, a material share of it; +Inf where none is feasible
}

// Relaxations lists, for each constraint that binds, the least relaxation that
// buys something; without a feasible candidate, the least that lets any in. A
// constraint binds exactly when it is listed.
func (r *Result) Relaxations() []Relaxation {
	s, l := r.Space, r.Query.Limits
	var out []Relaxation
	try := func(bit uint8, name question.Constraint, limit *float64, objective int, in question.Sort) {
		if limit == nil {
			return
		}
		if i, gain := r.relax(bit, objective, in); i >= 0 {
			out = append(out, Relaxation{name, *limit, r.column(objective)[i], i, in, gain})
		}
	}
	try(1, question.Accuracy, l.MinAccuracy, byLoss, r.Query.Sort)
	if len(out) > 0 {
		out[0].Need = s.Accuracy[out[0].Candidate]
	}
	try(2, question.Time, l.MaxTime, byTime, question.ByCost)
	try(4, question.Cost, l.MaxCost, byCost, question.ByTime)
	return out
}

// Material is the share of the best value that a gain must exceed to be worth
// giving way for: below it two candidates differ by the rounding of batches.
const Material = 0.005

func (r *Result) column(objective int) []float64 {
	return [...][]float64{byTime: r.Space.Time, byCost: r.Space.Cost, byLoss: r.Space.Loss}[objective]
}

// relax finds, among the candidates that break only the given constraint, the
// one with the least of its objective which gains in the sort key.
func (r *Result) relax(bit uint8, objective int, in question.Sort) (candidate int, gain float64) {
	least := r.leastKey(in)
	worth := 0.0 // any gain on an unknown best is one
	if !math.IsInf(least, 1) {
		worth = Material * math.Abs(least)
	}
	column := r.column(objective)
	candidate = -1
	for i := range r.relaxed(objective, in) {
		if breaks(r.Space, r.Query.Limits, i) != bit || math.IsNaN(column[i]) {
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

// leastKey is the least sort key of the feasible candidates, +Inf without any.
func (r *Result) leastKey(by question.Sort) float64 {
	best := math.NaN()
	switch by {
	case question.ByTime:
		best = r.BestTime
	case question.ByCost:
		best = r.BestCost
	default:
		for _, i := range r.Order {
			best = leastKnown(best, r.key(by, i))
		}
	}
	if math.IsNaN(best) {
		return math.Inf(1)
	}
	return best
}

// relaxed are the candidates that may come in first when the limit on an
// objective is given way on: of two that gain as much the one that needs less, so
// that the frontier without the limit has them all. Where the key is no objective
// of its own, or nothing is feasible, they are all candidates.
func (r *Result) relaxed(objective int, in question.Sort) iter.Seq[int] {
	key := map[question.Sort]int{question.ByTime: byTime, question.ByCost: byCost}
	other, ok := key[in]
	if !ok || len(r.Order) == 0 {
		return func(yield func(int) bool) {
			for i := 0; i < r.Space.Len() && yield(i); i++ {
			}
		}
	}
	limits := r.limits()
	limits[objective] = nil
	return slices.Values(r.Space.pareto().Frontier2D(objective, other, limits))
}

// Neighbours are, among the feasible candidates at least as accurate as i, the
// next cheaper and the next faster one on the time–cost frontier: what a little
// more time would save, and what a little more money would buy. −1 is none.
// Steps of less than [Material] are passed over.
func (r *Result) Neighbours(i int) (cheaper, faster int) {
	s := r.Space
	cheaper, faster = -1, -1
	for _, j := range s.pareto().Frontier2D(byTime, byCost, r.asAccurate(s.Loss[i])) { // by rising time and falling cost
		if s.Time[j] < s.Time[i]*(1-Material) {
			faster = j
		}
		if cheaper < 0 && s.Cost[j] < s.Cost[i]*(1-Material) {
			cheaper = j
		}
	}
	return cheaper, faster
}

// asAccurate are the limits of the query and a greatest loss, NaN for none.
func (r *Result) asAccurate(loss float64) pareto.Limits {
	limits := r.limits()
	if most := limits[byLoss]; !math.IsNaN(loss) && (most == nil || loss < *most) {
		limits[byLoss] = &loss
	}
	return limits
}

// NonDominated are the feasible candidates that none beats in time, cost and
// accuracy at once, by rising time.
func (r *Result) NonDominated() []int { return r.Space.pareto().Frontier(r.limits()) }

// RulesOutAll names the constraints that rule every candidate out on their
// own; empty where only several together do.
func (r *Result) RulesOutAll() []question.Constraint {
	var out []question.Constraint
	for _, name := range question.Constraints {
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
		var lines []training.Line
		var index []int
		for i := range r.Space.Len() {
			c := r.Space.At(i)
			line := c.TimeByEpochs
			if o == ObjectiveCost {
				line = c.CostByEpochs
			}
			fixed := question.Limits{MinAccuracy: r.Query.MinAccuracy}
			if line == nil || breaks(r.Space, fixed, i) != 0 {
				continue
			}
			lines, index = append(lines, *line), append(index, i)
		}
		for _, x := range training.Crossovers(lines, 1, maxEpochs) {
			out = append(out, Crossover{x.At, index[x.From], index[x.To], o})
		}
	}
	slices.SortStableFunc(out, func(a, b Crossover) int { return lastNaN(a.Epochs, b.Epochs) })
	return out
}
