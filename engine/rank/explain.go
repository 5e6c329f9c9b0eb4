package rank

import (
	"math"
	"slices"

	"sweetspot/engine/profile"
	"sweetspot/engine/runtime"
)

// Relaxation is what giving way on one constraint would buy: the least step
// that lets a candidate in which is better than the pick.
type Relaxation struct {
	Constraint Constraint
	Limit      float64 // the limit now
	Need       float64 // the limit that lets Candidate in
	Candidate  int
	Gain       float64 // how much less than the pick in the sort key, > 0
}

// Relaxations lists, for each constraint that binds, the least relaxation that
// improves on the first-ranked candidate; without a feasible candidate, the
// least that lets any in. A constraint binds exactly when it is listed.
func (r *Result) Relaxations() []Relaxation {
	var out []Relaxation
	for bit, name := range constraints {
		if name == GPUMemory {
			continue
		}
		if x, ok := r.relax(uint8(1)<<bit, name); ok {
			out = append(out, x)
		}
	}
	return out
}

func (r *Result) relax(bit uint8, name Constraint) (Relaxation, bool) {
	s, l := r.Space, r.Query.Limits
	best := Relaxation{Constraint: name, Candidate: -1}
	var column []float64
	switch name {
	case Accuracy:
		column = s.Loss
	case Time:
		column = s.Time
	default:
		column = s.Cost
	}
	pick := math.Inf(1)
	if len(r.Order) > 0 {
		pick = r.rawKey(r.Order[0])
	}
	for i := range s.Candidates {
		if breaks(s, l, i) != bit || math.IsNaN(column[i]) {
			continue
		}
		gain := pick - r.rawKey(i)
		if !(gain > 0) || (best.Candidate >= 0 && !(column[i] < column[best.Candidate])) {
			continue
		}
		best.Candidate, best.Gain, best.Need = i, gain, column[i]
	}
	if best.Candidate < 0 {
		return best, false
	}
	switch name {
	case Accuracy:
		best.Limit, best.Need = *l.MinAccuracy, s.Accuracy[best.Candidate]
	case Time:
		best.Limit = *l.MaxTime
	default:
		best.Limit = *l.MaxCost
	}
	return best, true
}

// rawKey is the sort key also of an infeasible candidate.
func (r *Result) rawKey(i int) float64 {
	if r.Query.Sort != ByScore {
		return r.Key(i)
	}
	w := r.Query.Weights
	if w == (Weights{}) {
		w = Weights{1, 1}
	}
	var sum float64
	if w.Time > 0 {
		sum += w.Time * r.Space.Time[i] / r.BestTime
	}
	if w.Cost > 0 {
		sum += w.Cost * r.Space.Cost[i] / r.BestCost
	}
	return sum / (w.Time + w.Cost)
}

// RulesOutAll names the constraints that rule every candidate out on their
// own; empty where only several together do.
func (r *Result) RulesOutAll() []Constraint {
	var out []Constraint
	for _, name := range constraints {
		if n := r.Because[name]; n > 0 && n == len(r.Space.Candidates) {
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
		for i := range r.Space.Candidates {
			c := &r.Space.Candidates[i]
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
