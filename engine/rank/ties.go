package rank

import (
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
)

// mostApart is by how much of the best value those of a tie may differ.
const mostApart = 0.02

// tied is a run of the order that ties in its objective.
type tied struct {
	from    int   // place of the first
	members []int // by rising value of the objective
}

// TieAt is the feasible candidates that tie with the one at a place of the order, and
// that one, by rising value of the order's objective; none where nothing ties with it.
// Two tie when their values differ by less than 2 % and the 90 % interval of their
// ratio, in which the errors they share cancel, holds 1; it is never narrower than the
// rounding of batches ([Material]). looked is false where ties were not looked for:
// by the score, or beyond the first 10,000.
func (r *Result) TieAt(place int) (members []int, looked bool) {
	if _, ties := r.Query.Sort.TiesIn(); !ties || place < 0 || place >= len(r.head) {
		return nil, false
	}
	k, _ := slices.BinarySearchFunc(r.ties, place+1, func(t tied, end int) int { return t.from + len(t.members) - end })
	if k == len(r.ties) || place < r.ties[k].from {
		return nil, true
	}
	return r.ties[k].members, true
}

// tie takes ties from the best downwards, each of those that tie with the best that
// is left, and orders each by the other objectives.
func (r *Result) tie() {
	r.ties = nil
	by, among := r.Query.Sort.TiesIn()
	if !among || r.Space.at(by) < 0 {
		return
	}
	column, other, fixed := r.Space.column(by), r.otherKey(by), r.fixed(by)
	turned := column.turned
	rest := r.head
	for place := 0; len(rest) > 1 && !math.IsNaN(turned[rest[0]]); {
		best, window := rest[0], 1
		for window < len(rest) && turned[rest[window]] <= turned[best]+mostApart*math.Abs(turned[best]) {
			window++
		}
		equal, apart := make([]int, 0, window), make([]int, 0, window)
		for _, i := range rest[:window] {
			if i == best || r.Space.mayBeEqual(column, fixed, best, i) {
				equal = append(equal, i)
			} else {
				apart = append(apart, i)
			}
		}
		if len(equal) > 1 {
			r.ties = append(r.ties, tied{place, slices.Clone(equal)})
			slices.SortFunc(equal, func(a, b int) int { return r.Space.compare(other, a, b) })
		}
		copy(rest[copy(rest, equal):], apart)
		rest, place = rest[len(equal):], place+len(equal)
	}
}

// otherKey is what decides within a tie: the first objective that is not the one that
// ties.
func (r *Result) otherKey(by objective.Name) func(i int) float64 {
	turned := r.Space.columns[r.other(by)].turned
	return func(i int) float64 { return turned[i] }
}

func (r *Result) other(by objective.Name) (k int) {
	return slices.IndexFunc(r.Space.columns, func(x column) bool { return x.Name != by })
}

// TieBreaker is the objective that decides within a tie.
func (r *Result) TieBreaker() objective.Name {
	by, _ := r.Query.Sort.TiesIn()
	return r.Space.columns[r.other(by)].Name
}

// mayBeEqual reports whether the interval of the ratio of two candidates' values of an
// objective holds 1. fixed is what all pay, of a cost.
func (s *Space) mayBeEqual(c *column, fixed float64, a, b int) bool {
	va, vb := c.values[a], c.values[b]
	if va == vb || math.Abs(math.Log(va/vb)) <= tie {
		return true
	}
	return math.Abs(math.Log((va-fixed)/(vb-fixed))) <= estimate.Z90*s.ratioSigma(c, a, b)
}

// ratioSigma is the standard deviation of the logarithm of the ratio of two
// candidates' values of an objective.
func (s *Space) ratioSigma(c *column, a, b int) float64 {
	if s.errors == nil && s.prices == nil { // the most frequent case, a hundred times as fast
		x, y := float64(c.sigma[a]), float64(c.sigma[b])
		if s.Cell[a] == s.Cell[b] {
			return math.Abs(x - y)
		}
		return math.Hypot(x, y)
	}
	errors := map[int32]float64{}
	for _, e := range s.errorsOf(c.Name, a) {
		errors[e.Cell] += e.Sigma
	}
	for _, e := range s.errorsOf(c.Name, b) {
		errors[e.Cell] -= e.Sigma
	}
	var variance float64
	for _, sigma := range errors {
		variance += sigma * sigma
	}
	return math.Sqrt(variance)
}
