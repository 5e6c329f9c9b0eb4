package rank

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/question"
)

func TestEvaluateAgainstTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, q := spaces().Draw(t, "space"), queries().Draw(t, "query")
		r := Evaluate(s, q)
		want := feasible(s, q.Limits)
		if !slices.Equal(sorted(r.Order()), want) {
			t.Fatalf("feasible %v, want %v", sorted(r.Order()), want)
		}
		for i := range s.Len() {
			if r.Feasible.Has(i) != slices.Contains(want, i) {
				t.Fatalf("Feasible[%d] = %v", i, r.Feasible.Has(i))
			}
			if r.Feasible.Has(i) != (len(r.Violations(i)) == 0) {
				t.Fatalf("candidate %d: feasible %v, violations %v", i, r.Feasible.Has(i), r.Violations(i))
			}
		}
		for _, p := range s.Objectives.Pairs() {
			got, x := r.Frontiers[p], s.Turned(p.A)
			if want := nonDominated(want, x, s.Turned(p.B)); !slices.Equal(sorted(got), want) {
				t.Fatalf("%s frontier %v, want %v", p.Key(), got, want)
			}
			if !slices.IsSortedFunc(got, func(a, b int) int { return lastNaN(x[a], x[b]) }) {
				t.Fatalf("%s frontier %v does not rise", p.Key(), got)
			}
		}
	})
}

// before is the promised order: by key, then time, cost and accuracy, unknown
// last, then the order of the set.
func before(r *Result, a, b int) bool {
	s := r.Space
	columns := []func(int) float64{r.Key}
	for _, o := range append(s.Objectives.Minimized(), s.Objectives[0]) { // the accuracy last
		columns = append(columns, func(i int) float64 { return s.Turned(o.Name)[i] })
	}
	for _, column := range columns {
		x, y := column(a), column(b)
		if math.IsNaN(x) && math.IsNaN(y) || x == y {
			continue
		}
		return math.IsNaN(y) || x < y
	}
	return a < b
}

func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Evaluate(spaces().Draw(t, "space"), queries().Draw(t, "query"))
		for k, a := range r.Order() {
			for _, b := range r.Order()[k+1:] {
				if !before(r, a, b) {
					t.Fatalf("%d stands before %d in the order by %s", a, b, r.Query.Sort)
				}
			}
		}
	})
}

// Σ wᵢ·(xᵢ/best xᵢ)/Σ wᵢ, written down again from the contract.
func TestScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, q := spaces().Draw(t, "space"), queries().Draw(t, "query")
		r := Evaluate(s, q)
		w := q.Weights.OrDefault()
		for i := range s.Len() {
			var want, sum float64
			for o, weight := range w {
				values, best := s.Values(o), math.Inf(1)
				if weight == 0 {
					continue
				}
				if sum += weight; values == nil {
					want = math.NaN()
					continue
				}
				for _, j := range r.Order() {
					if !math.IsNaN(values[j]) {
						best = min(best, values[j])
					}
				}
				want += weight * values[i] / best
			}
			if want /= sum; !r.Feasible.Has(i) {
				want = math.NaN()
			}
			if got := r.Score(i); !same(got, want) && (math.Abs(got-want) > 1e-12*want || got < 1-1e-12 || math.IsNaN(got) ||
				math.IsNaN(want)) {
				t.Fatalf("score %g of candidate %d, want %g, at least 1", got, i, want)
			}
		}
	})
}

// Free machines cost as much as one another, and what is not free costs
// infinitely more.
func TestScoreOfFreeMachines(t *testing.T) {
	free := candidate.Candidate{ID: "free", Time: estimate.Exact(4, estimate.Measured),
		Cost: estimate.Exact(0, estimate.Measured)}
	paid := candidate.Candidate{ID: "paid", Time: estimate.Exact(1, estimate.Measured),
		Cost: estimate.Exact(1, estimate.Measured)}
	r := Evaluate(NewSpace(candidate.ListOf(paid, free)), question.Query{Sort: question.ByScore})
	if r.Score(1) != 2.5 || !math.IsInf(r.Score(0), 1) || r.First() != 1 {
		t.Errorf("scores %v, order %v", []float64{r.Score(0), r.Score(1)}, r.Order())
	}
}

func TestTighteningNeverLetsAnybodyIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, q := spaces().Draw(t, "space"), queries().Draw(t, "query")
		loose := Evaluate(s, q)
		tighter := func(limit *float64, step float64) *float64 {
			d := float64(rapid.IntRange(0, 2).Draw(t, "step")) * step
			if limit == nil {
				if d == 0 {
					return nil
				}
				return new(3 * math.Abs(step))
			}
			return new(*limit + d)
		}
		for _, o := range s.Objectives {
			step := -1.0
			if o.Name == objective.Accuracy {
				step = o.Turned(-0.1)
			}
			q.Limits = q.Limits.With(o.Name, tighter(q.Limits.Get(o.Name), step))
		}
		tight := Evaluate(s, q)
		for _, i := range tight.Order() {
			if !loose.Feasible.Has(i) {
				t.Fatalf("candidate %d came in when the limits were tightened to %+v", i, q.Limits)
			}
		}
	})
}

func TestBecauseCountsWhatEachConstraintRulesOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, q := spaces().Draw(t, "space"), queries().Draw(t, "query")
		r := Evaluate(s, q)
		want := map[question.Constraint]int{}
		for i := range s.Len() {
			for _, v := range r.Violations(i) {
				want[v.Constraint]++
			}
		}
		for _, name := range question.Constraints() {
			alone := q.Limits.Only(name)
			if r.Because[name] != want[name] {
				t.Fatalf("%s rules out %d, its violations are %d", name, r.Because[name], want[name])
			}
			rulesOutAll := s.Len() > 0
			for i := range s.Len() {
				c := *s.At(i)
				if name != question.GPUMemory {
					c.OverMemory = nil
				}
				rulesOutAll = rulesOutAll && !meets(&c, alone)
			}
			if got := slices.Contains(r.RulesOutAll(), name); got != rulesOutAll {
				t.Fatalf("RulesOutAll holds %s: %v, want %v", name, got, rulesOutAll)
			}
		}
	})
}

// Accuracies whose metric is better when lower turn the limit round.
func TestLowerIsBetter(t *testing.T) {
	wer := func(v float64) *candidate.Quality {
		return &candidate.Quality{Metric: "WER", Estimate: estimate.Exact(v, estimate.Measured), HigherIsBetter: false}
	}
	one := estimate.Exact(1, estimate.Measured)
	s := NewSpace(candidate.ListOf(candidate.Candidate{ID: "good", Time: one, Quality: wer(0.05)},
		candidate.Candidate{ID: "bad", Time: one, Quality: wer(0.3)}))
	r := Evaluate(s, question.Query{Limits: question.Limits{objective.Accuracy: 0.1}})
	if !slices.Equal(r.Order(), []int{0}) || !slices.Equal(r.Frontier(objective.Time, objective.Accuracy), []int{0}) {
		t.Errorf("order %v, frontier %v: the lower error rate must win", r.Order(),
			r.Frontier(objective.Time, objective.Accuracy))
	}
	if tar := r.PerAccuracy(objective.Time, 0); !math.IsNaN(tar) {
		t.Errorf("TAR %g of an error rate has no meaning", tar)
	}
}

// Asking on from an answer gives what a first question does, however the limits and
// the order move.
func TestAgainIsEvaluate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := spaces().Draw(t, "space")
		r := Evaluate(s, queries().Draw(t, "query"))
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			q := queries().Draw(t, "next query")
			r = r.Again(q)
			fresh := Evaluate(s, q)
			if !slices.Equal(r.Feasible, fresh.Feasible) || !slices.Equal(r.Window(0, s.Len()), fresh.Window(0, s.Len())) ||
				!slices.Equal(r.Order(), fresh.Order()) ||
				!maps.Equal(r.Because, fresh.Because) || !maps.EqualFunc(r.Frontiers, fresh.Frontiers, slices.Equal) {
				t.Fatalf("asked on %+v, fresh %+v", r, fresh)
			}
			for _, o := range s.Objectives.Minimized() {
				got, want := r.BestProbability(o.Name), fresh.BestProbability(o.Name)
				if (got == nil) != (want == nil) || !maps.Equal(got, want) {
					t.Fatalf("best in %s with %v, asked afresh %v", o.Name, got, want)
				}
			}
		}
	})
}

// The same of more candidates than an answer has at hand, of whose keys many are equal.
func TestAgainBeyondTheHead(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	candidates := make([]candidate.Candidate, headDepth+4000)
	for i := range candidates {
		value := func(most int) estimate.Estimate {
			return estimate.Spread(1+float64(rng.IntN(most)), 0.001, estimate.Measured)
		}
		candidates[i] = candidate.Candidate{Cell: i, Time: value(100), Cost: value(300)}
	}
	s := NewSpace(candidate.ListOf(candidates...))
	kept := 0
	rapid.Check(t, func(t *rapid.T) {
		by := rapid.SampledFrom([]question.Sort{question.ByCost, question.ByCost.Strict(), question.ByTime, question.ByScore})
		limit := rapid.OneOf(rapid.Just(400), rapid.IntRange(1, 301), rapid.IntRange(290, 301))
		q := question.Query{Sort: by.Draw(t, "sort")}
		r := Evaluate(s, q)
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			o := rapid.SampledFrom([]objective.Name{objective.Time, objective.Cost}).Draw(t, "moves")
			q.Limits = q.Limits.With(o, new(float64(limit.Draw(t, "to"))))
			before := r
			r = r.Again(q)
			if len(r.head) == headDepth && len(before.head) == headDepth && &r.head[0] == &before.head[0] {
				kept++
			}
			fresh := Evaluate(s, q)
			if !slices.Equal(r.head, fresh.head) || r.order.counts != fresh.order.counts {
				t.Fatal("asked on it has another head, or counts otherwise, than asked afresh")
			}
			for place := 0; place < len(r.head); place += 97 {
				got, looked := r.TieAt(place)
				want, wanted := fresh.TieAt(place)
				if looked != wanted || !slices.Equal(got, want) {
					t.Fatalf("%v tie at place %d, not %v", got, place, want)
				}
			}
			if !slices.Equal(r.Window(0, s.Len()), fresh.Window(0, s.Len())) {
				t.Fatal("asked on it has another order than asked afresh")
			}
		}
	})
	if kept == 0 {
		t.Error("no limit left the head as it was")
	}
}
