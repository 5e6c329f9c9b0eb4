package rank

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
)

// Leaving out those that another of their cell always beats changes no probability.
func TestRivalsLeaveProbabilitiesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []candidate.Candidate
		for range rapid.IntRange(1, 40).Draw(t, "candidates") {
			all = append(all, timed(rapid.IntRange(1, 3).Draw(t, "cell"), rapid.Float64Range(1, 1.5).Draw(t, "value"),
				rapid.SampledFrom([]float64{0.05, 0.051, 0.3}).Draw(t, "spread")))
		}
		r := ask(all...)
		_, contenders := r.contenders(objective.Time)
		cells := r.normals(objective.Time, contenders)
		left := map[int]bool{}
		for _, i := range r.rivals(objective.Time, append([]int{}, contenders...), cells) {
			left[i] = true
		}
		want := map[int]float64{}
		for d := range draws {
			var best []int
			least := 0.0
			for pass := range 2 {
				for n, i := range contenders {
					p := r.Space.errorsOf(objective.Time, i)[0]
					v := math.Log(r.Space.Values(objective.Time)[i]) + p.Sigma*cells[p.Cell][d]
					switch {
					case pass == 0 && (n == 0 || v < least):
						least = v
					case pass == 1 && v <= least+tie:
						best = append(best, i)
					}
				}
			}
			for _, i := range best {
				want[i] += 1 / (float64(len(best)) * draws)
				if !left[i] {
					t.Fatalf("candidate %d is best in draw %d and left out", i, d)
				}
			}
		}
		same := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
		if got := r.BestProbability(objective.Time); !maps.EqualFunc(got, want, same) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}
