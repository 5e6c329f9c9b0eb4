package rank

import (
	"fmt"
	"math"
	"slices"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/question"
)

// spaces draws small spaces on a coarse grid, so that ties, unknowns and
// candidates that do not fit in memory are all common.
func spaces() *rapid.Generator[*Space] {
	return rapid.Custom(func(t *rapid.T) *Space {
		higher := rapid.Bool().Draw(t, "higher is better")
		n := rapid.IntRange(0, 14).Draw(t, "candidates")
		candidates := make([]candidate.Candidate, n)
		measured := rapid.Bool().Draw(t, "energy")
		for i := range candidates {
			candidates[i] = drawn(t, i, higher)
			if measured && rapid.IntRange(0, 3).Draw(t, "measured") > 0 {
				candidates[i].Energy = estimate.Spread(float64(rapid.IntRange(1, 6).Draw(t, "energy")), 0.3, estimate.Measured)
			}
		}
		return NewSpace(candidate.ListOf(candidates...))
	})
}

func drawn(t *rapid.T, i int, higher bool) candidate.Candidate {
	c := candidate.Candidate{ID: fmt.Sprint(i), Cell: i}
	c.Time = estimate.Spread(float64(rapid.IntRange(1, 6).Draw(t, "time")), 0.2, estimate.Measured)
	if rapid.IntRange(0, 5).Draw(t, "priced") > 0 {
		c.Cost = c.Time.Times(float64(rapid.IntRange(1, 4).Draw(t, "price")))
	}
	if a := rapid.IntRange(-1, 5).Draw(t, "accuracy"); a >= 0 {
		c.Quality = &candidate.Quality{Metric: "top-1", Estimate: estimate.Exact(float64(a)/10, estimate.Measured),
			HigherIsBetter: higher}
	}
	if rapid.IntRange(0, 7).Draw(t, "memory") == 0 {
		c.OverMemory = &candidate.Violation{Constraint: question.GPUMemory, Limit: 8, Value: new(9.0)}
	}
	return c
}

// queries draws queries whose limits lie on the grid of [spaces].
func queries() *rapid.Generator[question.Query] {
	limit := func(t *rapid.T, name string, most int, per float64) *float64 {
		v := rapid.IntRange(-1, most).Draw(t, name)
		if v < 0 {
			return nil
		}
		return new(float64(v) / per)
	}
	return rapid.Custom(func(t *rapid.T) question.Query {
		q := question.Query{Sort: rapid.SampledFrom(question.Sorts()).Draw(t, "sort"), Weights: question.Weights{}}
		q.Limits = q.Limits.With(objective.Accuracy, limit(t, "min accuracy", 5, 10)).
			With(objective.Time, limit(t, "max time", 7, 1)).With(objective.Cost, limit(t, "max cost", 25, 1))
		if rapid.IntRange(0, 3).Draw(t, "energy limited") == 0 {
			q.Limits = q.Limits.With(objective.Energy, limit(t, "max energy", 7, 1))
		}
		for _, o := range objective.All().Minimized() {
			if !o.Optional || rapid.IntRange(0, 3).Draw(t, "optional weight") == 0 {
				q.Weights[o.Name] = float64(rapid.IntRange(0, 2).Draw(t, "weight"))
			}
		}
		return q
	})
}

// meets is the definition of feasible, candidate by candidate.
func meets(c *candidate.Candidate, l question.Limits) bool {
	if c.OverMemory != nil || !c.Time.Known() {
		return false
	}
	for o, limit := range l {
		e := c.Of(o)
		switch higher := o == objective.Accuracy && c.Quality != nil && c.Quality.HigherIsBetter; {
		case !e.Known(), higher && e.Value < limit, !higher && e.Value > limit:
			return false
		}
	}
	return true
}

func feasible(s *Space, l question.Limits) []int {
	var out []int
	for i := range s.Len() {
		if meets(s.At(i), l) {
			out = append(out, i)
		}
	}
	return out
}

// nonDominated is the O(n²) definition of a frontier.
func nonDominated(index []int, x, y []float64) []int {
	var out []int
	for _, i := range index {
		if math.IsNaN(x[i]) || math.IsNaN(y[i]) {
			continue
		}
		dominated := slices.ContainsFunc(index, func(j int) bool {
			return x[j] <= x[i] && y[j] <= y[i] && (x[j] < x[i] || y[j] < y[i])
		})
		if !dominated {
			out = append(out, i)
		}
	}
	return out
}

func sorted(index []int) []int {
	out := slices.Clone(index)
	slices.Sort(out)
	return out
}

// same reports whether two values are equal, both unknown being so.
func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
