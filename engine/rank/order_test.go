package rank

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
	"sweetspot/engine/pareto"
	"sweetspot/engine/question"
)

// Any part of the order is that of a plain sort by all there is.
func TestOrderIsThatOfAPlainSort(t *testing.T) {
	value := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, 1 + 1e-12, 2, math.NaN(),
		math.Inf(1)}))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 5, 40, 1<<12 + 7}).Draw(t, "n")
		few := rapid.SliceOfN(value, 1, 40).Draw(t, "values")
		s := &Space{List: candidate.ListOf(make([]candidate.Candidate, n)...), columns: make([]column, 3)}
		for k, name := range []objective.Name{objective.Time, objective.Cost, objective.Accuracy} {
			s.columns[k] = column{Objective: objective.Objective{Name: name}, turned: make([]float64, n)}
		}
		feasible := rapid.SliceOfN(rapid.Bool(), 1, 9).Draw(t, "feasible")
		same := rapid.SampledFrom([]float64{0, 1, math.NaN()}).Draw(t, "cost of all")
		alike := rapid.Bool().Draw(t, "cost the same")
		r := &Result{Space: s, Query: question.Query{Sort: question.ByCost.Strict()}, Feasible: pareto.NewSet(n)}
		want := make([]int, n)
		for i := range n {
			want[i] = i
			r.Feasible.Put(i, feasible[i%len(feasible)])
			r.feasible += one(r.Feasible.Has(i))
			for k, step := range []int{3, 7, 5} {
				s.columns[k].turned[i] = few[i*step%len(few)]
			}
			if alike {
				s.columns[1].turned[i] = same
			}
		}
		s.index = pareto.NewIndex(nil, s.columns[0].turned, s.columns[1].turned, s.columns[2].turned)
		slices.SortStableFunc(want, func(a, b int) int {
			if c := one(r.Feasible.Has(b)) - one(r.Feasible.Has(a)); c != 0 {
				return c
			}
			for _, k := range []int{1, 0, 1, 2} {
				if c := lastNaN(s.columns[k].turned[a], s.columns[k].turned[b]); c != 0 {
					return c
				}
			}
			return 0
		})
		r.sort(nil)
		r.head = r.head[:rapid.IntRange(min(len(r.head), 1), min(len(r.head), 100)).Draw(t, "at hand")]
		from := rapid.IntRange(0, n).Draw(t, "from")
		to := rapid.IntRange(from, n).Draw(t, "to")
		if got := r.Window(from, to); !slices.Equal(got, want[from:to]) {
			t.Fatalf("got %v, want %v", got, want[from:to])
		}
		if got := r.Order(); !slices.Equal(got, want[:r.feasible]) {
			t.Fatalf("got %v, want %v", got, want[:r.feasible])
		}
		known := 0
		for place, i := range r.Ordered() {
			if want[place] != i {
				t.Fatalf("at place %d stands %d, not %d", place, i, want[place])
			}
			known += one(!math.IsNaN(s.columns[1].turned[i]))
		}
		if got := r.Known(); got != known {
			t.Fatalf("%d are known, not %d", got, known)
		}
		i := rapid.IntRange(0, n-1).Draw(t, "candidate")
		if at := slices.Index(want, i); r.Position(i) != at || r.Feasible.Has(i) && r.Place(i) != at ||
			!r.Feasible.Has(i) && r.Place(i) != -1 {
			t.Fatalf("%d is at %d and %d, not %d", i, r.Position(i), r.Place(i), at)
		}
	})
}
