package approx

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/interp"
)

// Policy is the rule by which offers are made.
type Policy string

// The policies of the study's section IV-A.
const (
	OnDemand          Policy = "on-demand"          // nothing: every candidate is rented an on-demand VM
	ApproxDNN         Policy = "approxdnn"          // the offer of least expected cost (Algorithm 1)
	AcceptanceCentric Policy = "acceptance-centric" // 0.9 s_max
	PenaltyCentric    Policy = "penalty-centric"    // 0.1 s_max
)

// Policies lists them in the order they are shown.
var Policies = []Policy{OnDemand, ApproxDNN, AcceptanceCentric, PenaltyCentric}

// ParsePolicies reads all, or names separated by commas.
func ParsePolicies(s string) ([]Policy, error) {
	if s = strings.ToLower(strings.TrimSpace(s)); s == "" || s == "all" {
		return slices.Clone(Policies), nil
	}
	var out []Policy
	for _, word := range strings.Split(s, ",") {
		p := Policy(strings.TrimSpace(word))
		if !slices.Contains(Policies, p) {
			return nil, fmt.Errorf("%q is none of all, on-demand, approxdnn, acceptance-centric and penalty-centric", string(p))
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}

// offer is what a policy offers, given s_max and the best offer.
func (p Policy) offer(most, best float64) float64 {
	if !(most > 0) {
		return 0
	}
	switch p {
	case ApproxDNN:
		return min(best, most)
	case AcceptanceCentric:
		return 0.9 * most
	case PenaltyCentric:
		return 0.1 * most
	}
	return 0
}

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
