package advice

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// questions is how many spaces each check draws: with rapid's hundred checks
// more than ten thousand.
const questions = 101

// drawClose draws a space with values that lie within [Material] of others
// beside those on the grid of [spaces], and a query.
func drawClose(t *rapid.T) (*rank.Space, question.Query) {
	q := queries().Draw(t, "query")
	higher := rapid.Bool().Draw(t, "higher is better")
	nearly := func(e estimate.Estimate, name string) estimate.Estimate {
		if !e.Known() {
			return e
		}
		return e.Times([...]float64{1, 1, 1 + rank.Material/2, 1 - rank.Material/2, 1 + 2*rank.Material}[rapid.IntRange(0,
			4).Draw(t, name)])
	}
	candidates := make([]candidate.Candidate, rapid.IntRange(0, 9).Draw(t, "candidates"))
	for i := range candidates {
		c := drawn(t, i, higher)
		c.Time, c.Cost = nearly(c.Time, "time, nearly"), nearly(c.Cost, "cost, nearly")
		candidates[i] = c
	}
	return rank.NewSpace(candidate.ListOf(candidates...)), q
}

// atLeastAsAccurate are the feasible candidates with at most a loss, of all where it is
// NaN.
func atLeastAsAccurate(r *rank.Result, loss float64) []int {
	return slices.DeleteFunc(feasible(r.Space, r.Query.Limits), func(i int) bool {
		return !math.IsNaN(loss) &&
			!(r.Space.Turned(objective.Accuracy)[i] <= loss)
	})
}

// same says whether two values are equal, both unknown being so.
func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// The definitions, candidate by candidate.
func TestQuestionsAgainstEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range questions {
			s, q := drawClose(t)
			r := rank.Evaluate(s, q)
			for i := range s.Len() {
				checkNeighbours(t, r, i)
			}
			checkNonDominated(t, r)
			for _, c := range []question.Constraint{objective.Accuracy, objective.Time, objective.Cost} {
				checkRelaxation(t, r, c)
			}
		}
	})
}

// checkNeighbours: of what is on the time–cost frontier of those as accurate, the
// dearest that is materially cheaper, and the slowest that is materially faster.
func checkNeighbours(t *rapid.T, r *rank.Result, i int) {
	s := r.Space
	cheaper, faster := Neighbours(r, i)
	dearest, slowest := math.Inf(-1), math.Inf(-1)
	front := nonDominated(atLeastAsAccurate(r, s.Turned(objective.Accuracy)[i]), s.Values(objective.Time),
		s.Values(objective.Cost))
	for _, j := range front {
		if s.Values(objective.Cost)[j] < s.Values(objective.Cost)[i]*(1-rank.Material) {
			dearest = max(dearest, s.Values(objective.Cost)[j])
		}
		if s.Values(objective.Time)[j] < s.Values(objective.Time)[i]*(1-rank.Material) {
			slowest = max(slowest, s.Values(objective.Time)[j])
		}
	}
	for _, n := range []struct {
		name   string
		at     int
		column []float64
		want   float64
	}{{"cheaper", cheaper, s.Values(objective.Cost), dearest}, {"faster", faster, s.Values(objective.Time), slowest}} {
		switch {
		case n.at < 0:
			if !math.IsInf(n.want, -1) {
				t.Fatalf("candidate %d has no %s neighbour, %g is one\nof %s", i, n.name, n.want, told(r))
			}
		case !slices.Contains(front, n.at) || n.column[n.at] != n.want:
			t.Fatalf("candidate %d: %s neighbour %d, want that of %g\nof %s", i, n.name, n.at, n.want, told(r))
		}
	}
}

// checkNonDominated: of those whose time, cost and accuracy are known, the ones
// that no other is as good as in all and better than in one.
func checkNonDominated(t *rapid.T, r *rank.Result) {
	s := r.Space
	var want []int
	known := slices.DeleteFunc(feasible(s, r.Query.Limits), func(i int) bool {
		return math.IsNaN(s.Values(objective.Time)[i] + s.Values(objective.Cost)[i] + s.Turned(objective.Accuracy)[i])
	})
	for _, i := range known {
		if !slices.ContainsFunc(known, func(j int) bool {
			return s.Values(objective.Time)[j] <= s.Values(objective.Time)[i] &&
				s.Values(objective.Cost)[j] <= s.Values(objective.Cost)[i] &&
				s.Turned(objective.Accuracy)[j] <= s.Turned(objective.Accuracy)[i] &&
				(s.Values(objective.Time)[j] < s.Values(objective.Time)[i] ||
					s.Values(objective.Cost)[j] < s.Values(objective.Cost)[i] ||
					s.Turned(objective.Accuracy)[j] < s.Turned(objective.Accuracy)[i])
		}) {
			want = append(want, i)
		}
	}
	got := r.NonDominated()
	if !slices.Equal(sorted(got), want) ||
		!slices.IsSortedFunc(got, func(a, b int) int {
			return lastNaN(s.Values(objective.Time)[a],
				s.Values(objective.Time)[b])
		}) {
		t.Fatalf("non-dominated %v, want %v by rising time\nof %s", got, want, told(r))
	}
}

// checkRelaxation: of all that only this limit keeps out and that gain
// materially, the one for which it gives way least, and of equal ones the one
// that gains most.
func checkRelaxation(t *rapid.T, r *rank.Result, c question.Constraint) {
	s := r.Space
	free, column, in := r.Query.Limits.With(c, nil), s.Turned(c), r.Query.Sort
	limit := r.Query.Limits.Get(c)
	switch c {
	case objective.Accuracy:
	case objective.Time:
		in = question.ByCost
	default:
		in = question.ByTime
	}
	now := feasible(s, r.Query.Limits)
	best := least(now, func(i int) float64 { return r.KeyOf(in)(i) })
	want, gain := -1, 0.0
	for _, i := range feasible(s, free) {
		if limit == nil || slices.Contains(now, i) || math.IsNaN(column[i]) {
			continue
		}
		g := best - r.KeyOf(in)(i)
		if len(now) == 0 {
			g = math.Inf(1)
		}
		if !(g > 0) || !math.IsInf(best, 1) && !(g > rank.Material*math.Abs(best)) {
			continue
		}
		if want < 0 || column[i] < column[want] || column[i] == column[want] && g > gain {
			want, gain = i, g
		}
	}
	all := Relaxations(r)
	k := slices.IndexFunc(all, func(x Relaxation) bool { return x.Constraint == c })
	if k < 0 || want < 0 {
		if k >= 0 || want >= 0 {
			t.Fatalf("%s: %+v, want candidate %d for %g\nof %s", c, all, want, gain, told(r))
		}
		return
	}
	x := all[k]
	need := column[want]
	if c == objective.Accuracy {
		need = s.Values(objective.Accuracy)[want]
	}
	if x.Limit != *limit || x.Need != need || x.In != in || !same(x.Gain, gain) || column[x.Candidate] != column[want] {
		t.Fatalf("%s: %+v, want candidate %d at %g for %g\nof %s", c, x, want, need, gain, told(r))
	}
}

// told lists what a failure needs to be understood.
func told(r *rank.Result) (text string) {
	s := r.Space
	for i := range s.Len() {
		text += fmt.Sprintf("\n%d: %g s, $%g, loss %g, feasible %v", i, s.Values(objective.Time)[i],
			s.Values(objective.Cost)[i], s.Turned(objective.Accuracy)[i], r.Feasible.Has(i))
	}
	return fmt.Sprintf("%s\nlimits: %v; by %s", text, r.Query.Limits, r.Query.Sort)
}
