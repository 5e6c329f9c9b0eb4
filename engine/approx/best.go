package approx

import (
	"math"

	"gonum.org/v1/gonum/interp"
)

// nodes is how many offers are found numerically before the rest is
// interpolated. The expected cost is flat around its least, so that what the
// interpolation is off is of second order in it.
const nodes = 96

// newBest returns the best offer by s_max for many candidates: where it takes a
// search, between few searched ones.
func newBest(p Policy, candidates []Candidate, prices Prices, a Acceptance) func(most float64) float64 {
	if p != ApproxDNN {
		return func(float64) float64 { return 0 } // no other asks
	}
	if a.Shape != Exponential && a.Shape != Logistic || len(candidates) <= nodes {
		return a.Best
	}
	low, high := math.Inf(1), 0.0
	for i := range candidates {
		if most := prices.Most(&candidates[i]); most > 0 && !math.IsInf(most, 0) {
			low, high = math.Min(low, most), math.Max(high, most)
		}
	}
	if !(low < high) {
		return a.Best
	}
	xs, ys := make([]float64, nodes), make([]float64, nodes)
	for k := range xs {
		xs[k] = low + (high-low)*float64(k)/(nodes-1)
		ys[k] = a.Best(xs[k])
	}
	var curve interp.FritschButland
	if curve.Fit(xs, ys) != nil {
		return a.Best
	}
	return func(most float64) float64 {
		if !(most >= low) || most > high {
			return a.Best(most)
		}
		return curve.Predict(most)
	}
}
