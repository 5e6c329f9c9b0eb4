// Package rank tests candidates against constraints and orders them, and says how
// sure the order is.
package rank

import (
	"iter"
	"maps"
	"math"
	"slices"

	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
	"sweetspot/engine/pareto"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// Result is the answer to a query over a space. Indices are into the space. It is
// immutable.
type Result struct {
	Space *Space
	Query question.Query
	// Feasible are those that break no constraint.
	Feasible pareto.Set
	// Because counts the candidates each constraint rules out.
	Because map[question.Constraint]int
	// Frontiers are those of two objectives, by rising first one.
	Frontiers map[objective.Pair][]int

	best     []float64 // by column of the space, turned: the least feasible value
	weights  []float64 // by column of the space; nil where an objective that has one is not there
	feasible int       // how many are
	order    *order    // of all candidates, by the query's key
	head     []int     // the first of the feasible ones, ties in the order of the other objectives
	reach    uint32    // the largest rough key of the head; unknown where it is all that is feasible
	ties     []tied    // by rising place
	drawings *drawings // shared with the results that follow
}

// Answer ranks all that the set, and a predictor if any, can answer a query with.
func Answer(set *profile.Set, q question.Query, p candidate.Predictor) *Result {
	q.Workload = q.Whole(set)
	return Evaluate(NewSpace(candidate.NewList(set, q.Workload, p, nil)), q)
}

// Evaluate tests every candidate against the query's limits and orders the
// feasible ones.
func Evaluate(s *Space, q question.Query) *Result { return evaluate(s, q, nil) }

// Again is Evaluate of another query over the same space. Where a limit moved it
// looks at the candidates between the two values only.
func (r *Result) Again(q question.Query) *Result { return evaluate(r.Space, q, r) }

func evaluate(s *Space, q question.Query, before *Result) *Result {
	r := &Result{Space: s, Query: q, weights: s.weights(q.Weights), drawings: &drawings{}}
	if before != nil {
		r.drawings = before.drawings
	}
	if before != nil && maps.Equal(before.Query.Limits, q.Limits) {
		r.Feasible, r.feasible, r.best = before.Feasible, before.feasible, before.best
		r.Because, r.Frontiers = before.Because, before.Frontiers
	} else {
		r.limit(before)
	}
	r.sort(before)
	return r
}

// limit finds what is feasible, and what that is the best of.
func (r *Result) limit(before *Result) {
	s, limits := r.Space, r.Space.within(r.Query.Limits)
	r.Feasible = pareto.NewSet(s.Len())
	if before == nil {
		r.feasible = s.index.Feasible(limits, r.Feasible)
	} else {
		copy(r.Feasible, before.Feasible)
		r.feasible = s.index.Move(s.within(before.Query.Limits), limits, r.Feasible, before.feasible)
	}
	r.best = s.index.Least(limits)
	r.count()
	r.Frontiers = map[objective.Pair][]int{}
	for _, p := range s.Objectives.Pairs() {
		r.Frontiers[p] = s.index.Frontier2D(s.at(p.A), s.at(p.B), limits)
	}
}

// Frontier is the frontier of two objectives, by rising first one; nil where the
// candidates lack one of them.
func (r *Result) Frontier(a, b objective.Name) []int { return r.Frontiers[objective.Pair{A: a, B: b}] }

// Best is the best feasible value of an objective; NaN without any.
func (r *Result) Best(o objective.Name) float64 {
	k := r.Space.at(o)
	if k < 0 {
		return math.NaN()
	}
	return r.Space.columns[k].Turned(r.best[k])
}

// within are limits as the index has its objectives. A limit on what no candidate
// has lets none pass.
func (s *Space) within(limits question.Limits) pareto.Limits {
	l := s.limits(limits)
	for o := range limits {
		if s.at(o) < 0 {
			l[0] = new(math.NaN())
		}
	}
	return l
}

// limits are those on objectives that candidates have.
func (s *Space) limits(limits question.Limits) pareto.Limits {
	l := make(pareto.Limits, len(s.columns))
	for k := range s.columns {
		if v, ok := limits[s.columns[k].Name]; ok {
			l[k] = new(s.columns[k].Most(v))
		}
	}
	return l
}

// count says how many candidates each constraint rules out.
func (r *Result) count() {
	s := r.Space
	r.Because = map[question.Constraint]int{}
	put := func(name question.Constraint, n int) {
		if n > 0 {
			r.Because[name] = n
		}
	}
	for k, n := range s.index.RuledOut(s.limits(r.Query.Limits)) {
		put(s.columns[k].Name, n)
	}
	for o := range r.Query.Limits {
		if s.at(o) < 0 {
			put(o, s.Len())
		}
	}
	put(question.GPUMemory, s.index.Excluded())
}

// Breaks lists the constraints among some limits that candidate i breaks. One
// without a time cannot be ranked; it breaks only GPU memory.
func (s *Space) Breaks(l question.Limits, i int) (broken []question.Constraint) {
	for o, limit := range l {
		if k := s.at(o); k < 0 || !(s.columns[k].turned[i] <= s.columns[k].Most(limit)) {
			broken = append(broken, o)
		}
	}
	if len(broken) > 1 {
		broken = inOrder(broken)
	}
	if s.Barred[i] {
		broken = append(broken, question.GPUMemory)
	}
	return broken
}

// inOrder are constraints in the order of the objectives.
func inOrder(broken []question.Constraint) (out []question.Constraint) {
	for _, o := range objective.All() {
		if slices.Contains(broken, o.Name) {
			out = append(out, o.Name)
		}
	}
	return out
}

// Score of candidate i, the best values being those of feasible ones; NaN where it is
// infeasible or a weighted objective is unknown.
func (r *Result) Score(i int) float64 {
	if !r.Feasible.Has(i) {
		return math.NaN()
	}
	return r.ScoreAgainst(r.best)(i)
}

// weights are by column, those of the objectives themselves where none are given;
// nil where one is of an objective that no candidate has.
func (s *Space) weights(given question.Weights) []float64 {
	given = given.OrDefault()
	out := make([]float64, len(s.columns))
	for o, w := range given {
		switch k := s.at(o); {
		case k >= 0:
			out[k] = w
		case w > 0:
			return nil
		}
	}
	return out
}

// ScoreAgainst is the score of candidates were the best values these, in the order of
// [Space.Bests]: Σ wᵢ·(xᵢ/best xᵢ)/Σ wᵢ over the weighted objectives. Smaller is
// better, 1 is best in everything.
func (r *Result) ScoreAgainst(best []float64) func(i int) float64 {
	if r.weights == nil {
		return func(int) float64 { return math.NaN() }
	}
	type term struct {
		values       []float64
		weight, best float64
	}
	var terms []term
	var total float64
	for k, w := range r.weights {
		if w > 0 {
			terms, total = append(terms, term{r.Space.columns[k].values, w, best[k]}), total+w
		}
	}
	return func(i int) float64 {
		var sum float64
		for k := range terms {
			t := &terms[k]
			sum += t.weight * over(t.values[i], t.best)
		}
		return sum / total
	}
}

// over is v relative to the best; free things compare as equal.
func over(v, best float64) float64 {
	if v == best {
		return 1
	}
	return v / best
}

// sort orders by the query's key; equal ones go by time, then cost, then better
// accuracy, then the order of the set. Unknown comes last. What ties in an objective
// stands in the order of the others, see [Result.TieAt].
func (r *Result) sort(before *Result) {
	if before != nil && r.sameKeys(before) {
		var least uint32
		var changed bool
		r.order, least, changed = before.order.moved(before.Feasible, r.Feasible)
		if !changed || least > before.reach { // only behind the first ones
			r.head, r.ties, r.reach = before.head, before.ties, before.reach
			return
		}
	} else {
		r.order = r.newOrder().among(r.Feasible)
	}
	r.head, r.reach = r.first(min(r.feasible, headDepth)), unknown
	if len(r.head) == headDepth {
		r.reach = r.order.rough[r.head[headDepth-1]]
	}
	r.tie()
}

// newOrder is of all candidates by the query's key.
func (r *Result) newOrder() *order {
	out := r.Space.newOrder(r.KeyOf(r.Query.Sort))
	o, perAccuracy := r.Query.Sort.Objective()
	if k := r.Space.at(o); k >= 0 && !perAccuracy && r.Query.Sort != question.ByScore && out.byKey {
		out.rising = r.Space.index.Rising(k)
	}
	return out
}

// sameKeys reports whether another result sorts by the same keys. Only the score depends on
// the limits, by what it is measured against.
func (r *Result) sameKeys(o *Result) bool {
	return r.Query.Sort == o.Query.Sort &&
		(r.Query.Sort != question.ByScore || slices.Equal(r.weights, o.weights) && slices.Equal(r.best, o.best))
}

// Key is the value the query sorts candidate i by; smaller is better, NaN is
// unknown.
func (r *Result) Key(i int) float64 { return r.KeyOf(r.Query.Sort)(i) }

// KeyOf is what an order sorts by; smaller is better, NaN is unknown.
func (r *Result) KeyOf(by question.Sort) func(i int) float64 {
	if by == question.ByScore {
		return r.ScoreAgainst(r.best)
	}
	o, perAccuracy := by.Objective()
	if perAccuracy {
		return func(i int) float64 { return r.PerAccuracy(o, i) }
	}
	k := r.Space.at(o)
	if k < 0 {
		return func(int) float64 { return math.NaN() }
	}
	turned := r.Space.columns[k].turned
	return func(i int) float64 { return turned[i] }
}

// PerAccuracy is candidate i's value of an objective for each unit of accuracy:
// TAR of the time, in seconds, and CAR of the cost, in dollars. NaN where it has no
// meaning.
func (r *Result) PerAccuracy(o objective.Name, i int) float64 {
	values := r.Space.Values(o)
	if values == nil {
		return math.NaN()
	}
	accuracy := r.Space.column(objective.Accuracy)
	if !accuracy.HigherIsBetter || !(accuracy.values[i] > 0) {
		return math.NaN()
	}
	return values[i] / accuracy.values[i]
}

// Violations lists the limits candidate i breaks.
func (r *Result) Violations(i int) []candidate.Violation {
	s := r.Space
	var out []candidate.Violation
	for _, name := range s.Breaks(r.Query.Limits, i) {
		if name == question.GPUMemory {
			continue
		}
		v := candidate.Violation{Constraint: name, Limit: r.Query.Limits[name]}
		if values := s.Values(name); values != nil && !math.IsNaN(values[i]) {
			v.Value = &values[i]
		}
		out = append(out, v)
	}
	if m := s.At(i).OverMemory; m != nil {
		out = append(out, *m)
	}
	return out
}

// Bests are the best values of some candidates in each objective, turned so that
// smaller is better; NaN without any.
func (s *Space) Bests(candidates iter.Seq[int]) []float64 {
	best := slices.Repeat([]float64{math.NaN()}, len(s.columns))
	for i := range candidates {
		for k := range best {
			best[k] = Least(best[k], s.columns[k].turned[i])
		}
	}
	return best
}

// Least is the smaller of two values, of which the first may be unknown.
func Least(best, v float64) float64 {
	if math.IsNaN(best) || v < best {
		return v
	}
	return best
}

// NonDominated are the feasible candidates that none beats in all objectives at
// once, by rising time.
func (r *Result) NonDominated() []int { return r.Space.index.Frontier(r.Space.within(r.Query.Limits)) }

// RulesOutAll names the constraints that rule every candidate out on their
// own; empty where only several together do.
func (r *Result) RulesOutAll() []question.Constraint {
	var out []question.Constraint
	for _, name := range question.Constraints() {
		if n := r.Because[name]; n > 0 && n == r.Space.Len() {
			out = append(out, name)
		}
	}
	return out
}
