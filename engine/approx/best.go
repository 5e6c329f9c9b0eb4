package approx

import (
	"math"

	"gonum.org/v1/gonum/interp"
)

// nodes is how many offers are optimised numerically; the rest are interpolated.
// The expected cost is flat around its minimum, so that the error of the
// interpolation enters in second order only.
const nodes = 96

// newBest returns the function from s_max to the best offer, interpolated where
// each takes a search.
func newBest(p Policy, candidates []Candidate, prices Prices, a Acceptance) func(most float64) float64 {
	if p != ApproxDNN {
		return func(float64) float64 { return 0 } // no other policy asks for it
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
