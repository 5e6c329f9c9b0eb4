// Package rank tests candidates against constraints and orders them, and says how
// sure the order is.
package rank

import (
	"cmp"
	"math"

	"sweetspot/engine/candidate"
	"sweetspot/engine/cluster"
	"sweetspot/engine/pareto"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// Result is the answer to a query over a space. Indices are into the space. It is
// immutable.
type Result struct {
	Space *Space
	Query question.Query
	// Feasible, by index: breaks no constraint.
	Feasible []bool
	// Order lists the feasible candidates, best first.
	Order  []int
	ranked []int
	// Because counts the candidates each constraint rules out.
	Because map[question.Constraint]int
	// BestTime and BestCost are the least feasible values; NaN without any.
	BestTime, BestCost float64

	TimeAccuracy, CostAccuracy, TimeCost []int // frontiers, by rising first objective
}

// Answer ranks all that the set can answer a query with.
func Answer(set *profile.Set, q question.Query) *Result {
	return Evaluate(NewSpace(candidate.NewList(set, q.Workload, nil)), q)
}

// Evaluate tests every candidate against the query's limits and orders the
// feasible ones.
func Evaluate(s *Space, q question.Query) *Result { return evaluate(s, q, nil) }

// Again is Evaluate of another query over the same space. Where a limit moved it
// looks at the candidates between the two values only.
func (r *Result) Again(q question.Query) *Result { return evaluate(r.Space, q, r) }

func evaluate(s *Space, q question.Query, before *Result) *Result {
	r := &Result{Space: s, Query: q, Feasible: make([]bool, s.Len())}
	ix, limits := s.pareto(), r.limits()
	var feasible int
	if before == nil {
		feasible = ix.Feasible(limits, r.Feasible)
	} else {
		copy(r.Feasible, before.Feasible)
		feasible = ix.Move(before.limits(), limits, r.Feasible, len(before.Order))
	}
	least := ix.Least(limits)
	r.BestTime, r.BestCost = least[byTime], least[byCost]
	r.count(ix.RuledOut(limits), ix.Excluded())
	r.sort(feasible, before)
	r.TimeAccuracy = ix.Frontier2D(byTime, byLoss, limits)
	r.CostAccuracy = ix.Frontier2D(byCost, byLoss, limits)
	r.TimeCost = ix.Frontier2D(byTime, byCost, limits)
	return r
}

// The objectives of the space's index.
const (
	byTime = iota
	byCost
	byLoss
)

// limits are the query's limits as the index has its objectives.
func (r *Result) limits() pareto.Limits {
	l := pareto.Limits{byTime: r.Query.MaxTime, byCost: r.Query.MaxCost, byLoss: nil}
	if least := r.Query.MinAccuracy; least != nil {
		loss := *least
		if r.Space.HigherIsBetter {
			loss = -loss
		}
		l[byLoss] = &loss
	}
	return l
}

func (r *Result) count(broken []int, barred int) {
	r.Because = map[question.Constraint]int{}
	for name, n := range map[question.Constraint]int{question.Accuracy: broken[byLoss], question.Time: broken[byTime], question.Cost: broken[byCost], question.GPUMemory: barred} {
		if n > 0 {
			r.Because[name] = n
		}
	}
}

// breaks returns a bit per broken constraint, in the order of constraints. A
// candidate without a time cannot be ranked; it breaks only GPU memory.
func breaks(s *Space, l question.Limits, i int) uint8 {
	var v uint8
	if l.MinAccuracy != nil && !atLeast(s, s.Accuracy[i], *l.MinAccuracy) {
		v |= 1
	}
	if l.MaxTime != nil && !(s.Time[i] <= *l.MaxTime) {
		v |= 2
	}
	if l.MaxCost != nil && !(s.Cost[i] <= *l.MaxCost) {
		v |= 4
	}
	if s.barred[i] {
		v |= 8
	}
	return v
}

func atLeast(s *Space, accuracy, limit float64) bool {
	if s.HigherIsBetter {
		return accuracy >= limit
	}
	return accuracy <= limit
}

// Score of candidate i; NaN where it is infeasible or a weighted objective is
// unknown.
func (r *Result) Score(i int) float64 {
	if !r.Feasible[i] {
		return math.NaN()
	}
	return r.scoreOf(i)
}

// Ranked lists all candidates: the feasible ones in the order of Order, then the
// others by the same key. Nobody may change it.
func (r *Result) Ranked() []int { return r.ranked }

// scoreOf is Σ wᵢ·(xᵢ/best xᵢ)/Σ wᵢ over time and cost, the best ones being
// feasible; smaller is better, 1 is best in everything.
func (r *Result) scoreOf(i int) float64 {
	w := r.Query.Weights
	if w == (question.Weights{}) {
		w = question.Weights{Time: 1, Cost: 1}
	}
	var sum float64
	if w.Time > 0 {
		sum += w.Time * over(r.Space.Time[i], r.BestTime)
	}
	if w.Cost > 0 {
		sum += w.Cost * over(r.Space.Cost[i], r.BestCost)
	}
	return sum / (w.Time + w.Cost)
}

// over is v relative to the best; free things compare as equal.
func over(v, best float64) float64 {
	if v == best {
		return 1
	}
	return v / best
}

// sort orders by the query's key; ties go by time, then cost, then better
// accuracy, then the order of the set. Unknown comes last.
func (r *Result) sort(feasible int, before *Result) {
	if before != nil && before.Query.Sort == r.Query.Sort && r.Query.Sort != question.ByScore && before.Query.Limits.Equal(r.Query.Limits) {
		r.ranked, r.Order = before.ranked, before.Order
		return
	}
	r.ranked = make([]int, r.Space.Len())
	good, poor := 0, feasible
	for _, i := range r.sorted(r.Query.Sort) {
		if r.Feasible[i] {
			r.ranked[good] = int(i)
			good++
		} else {
			r.ranked[poor] = int(i)
			poor++
		}
	}
	r.Order = r.ranked[:feasible:feasible]
}

// sorted are all candidates by a key. Only the score depends on the limits, by
// what it is measured against.
func (r *Result) sorted(by question.Sort) []int32 {
	key := func(i int) float64 { return r.key(by, i) }
	if by == question.ByScore {
		return r.Space.sort(key)
	}
	return r.Space.order(by, key)
}

func lastNaN(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	case math.IsNaN(b):
		return -1
	}
	return cmp.Compare(a, b)
}

// Key is the value the query sorts candidate i by; smaller is better, NaN is
// unknown.
func (r *Result) Key(i int) float64 { return r.key(r.Query.Sort, i) }

func (r *Result) key(by question.Sort, i int) float64 {
	switch by {
	case question.ByCost:
		return r.Space.Cost[i]
	case question.ByScore:
		return r.scoreOf(i)
	case question.ByTAR:
		return r.TAR(i)
	case question.ByCAR:
		return r.CAR(i)
	default:
		return r.Space.Time[i]
	}
}

// TAR of candidate i in seconds per unit of accuracy; NaN where it has no
// meaning.
func (r *Result) TAR(i int) float64 { return r.ratio(cluster.TAR, r.Space.Time[i], i) }

// CAR of candidate i in dollars per unit of accuracy; NaN where it has no
// meaning.
func (r *Result) CAR(i int) float64 { return r.ratio(cluster.CAR, r.Space.Cost[i], i) }

func (r *Result) ratio(f func(v, a float64, higher bool) (float64, bool), v float64, i int) float64 {
	x, ok := f(v, r.Space.Accuracy[i], r.Space.HigherIsBetter)
	if !ok {
		return math.NaN()
	}
	return x
}

// Violations lists the limits candidate i breaks.
func (r *Result) Violations(i int) []candidate.Violation {
	s, l := r.Space, r.Query.Limits
	v := breaks(s, l, i)
	known := func(x float64) *float64 {
		if math.IsNaN(x) {
			return nil
		}
		return &x
	}
	var out []candidate.Violation
	if v&1 != 0 {
		out = append(out, candidate.Violation{Constraint: question.Accuracy, Limit: *l.MinAccuracy, Value: known(s.Accuracy[i])})
	}
	if v&2 != 0 {
		out = append(out, candidate.Violation{Constraint: question.Time, Limit: *l.MaxTime, Value: known(s.Time[i])})
	}
	if v&4 != 0 {
		out = append(out, candidate.Violation{Constraint: question.Cost, Limit: *l.MaxCost, Value: known(s.Cost[i])})
	}
	if m := s.At(i).OverMemory; m != nil {
		out = append(out, *m)
	}
	return out
}
