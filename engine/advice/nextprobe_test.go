package advice

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/next"
	"sweetspot/engine/objective"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// Leaving out what is out of reach changes no advice: the probe that pays most
// among all cells is the one that is named, or saves as much.
func TestNoProbeThatPaysIsOutOfReach(t *testing.T) {
	basis := rapid.SampledFrom([]estimate.Basis{estimate.Measured, estimate.Transferred, estimate.Spec})
	rapid.Check(t, func(t *rapid.T) {
		candidates := make([]candidate.Candidate, rapid.IntRange(1, 12).Draw(t, "candidates"))
		bases := rapid.SliceOfN(basis, 6, 6).Draw(t, "basis of each cell")
		for i := range candidates {
			c := &candidates[i]
			c.Cell = i / 2
			c.Time = estimate.Spread(rapid.Float64Range(1, 1e4).Draw(t, "time"), rapid.Float64Range(0.01, 3).Draw(t, "spread"),
				bases[c.Cell])
			c.Configuration = []candidate.Part{{Count: 1, USDPerHour: new(1.0)}}
			c.Cost = c.Time.Times(1.0 / 3600)
		}
		for _, sort := range []question.Sort{question.ByTime, question.ByCost} {
			r := rank.Evaluate(rank.NewSpace(candidate.ListOf(candidates...)), question.Query{Sort: sort})
			probe := rapid.Float64Range(0, 100).Draw(t, "probe")
			duration := func(*candidate.Candidate) float64 { return probe }
			o := map[question.Sort]objective.Name{question.ByTime: objective.Time, question.ByCost: objective.Cost}[sort]
			var all []next.Option
			best := map[int]int{}
			for _, i := range r.Order() { // by rising value
				if _, seen := best[candidates[i].Cell]; !seen {
					best[candidates[i].Cell] = i
					option, _ := option(r, i, o, duration)
					all = append(all, option)
				}
			}
			want, pays := next.Best(all)
			options, _ := probeOptions(r, o, duration)
			got, also := next.Best(options)
			if pays && math.Abs(want.Net()-math.Max(got.Net(), 0)) > 1e-3*all[want.Option].Value.Value {
				t.Fatalf("by %s: %+v of all, %+v (%v) of those in reach", o, want, got, also)
			}
		}
	})
}
