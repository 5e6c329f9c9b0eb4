// Package approx prices what ApproxDNN (Nabavinejad, Mashayekhy and Reda 2019)
// offers: a job that reserved VMs finish in time only at reduced precision may
// run so if its user accepts a penalty for it, and is rented an on-demand VM
// otherwise. An offer is a coefficient s: the penalty paid is s times what the
// reduced job costs on reserved VMs.
package approx

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/interp"
	"gonum.org/v1/gonum/stat/distuv"
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
			return nil, fmt.Errorf("%q is not one of all, on-demand, approxdnn, acceptance-centric and penalty-centric",
				string(p))
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

// Prices are those of one VM, in US dollars per hour, both above 0.
type Prices struct{ Reserved, OnDemand float64 }

// Candidate is a job whose user can be made an offer.
type Candidate struct {
	FullS    float64 // VM-seconds at full precision: its runtime times the VMs it takes
	ReducedS float64 // VM-seconds at reduced precision, above 0
	// Accuracies in [0,1] at either precision; NaN where unknown.
	Accuracy, ReducedAccuracy float64
	// Draw in [0,1) is the random number that decides for the user: an offer is
	// accepted if its probability is greater. All policies use the same draws (common
	// random numbers).
	Draw float64
}

const secondsPerHour = 3600

// OnDemandUSD is the cost of the job at full precision on on-demand VMs.
func (p Prices) OnDemandUSD(c *Candidate) float64 { return c.FullS / secondsPerHour * p.OnDemand }

// ReducedUSD is the cost of the reduced job on reserved VMs, without a penalty.
func (p Prices) ReducedUSD(c *Candidate) float64 { return c.ReducedS / secondsPerHour * p.Reserved }

// Most is s_max, the largest offer that costs no more than on-demand VMs (eq. 9).
// It is 0 or less where even an unpaid reduced job costs more; then nothing is
// offered.
func (p Prices) Most(c *Candidate) float64 { return p.OnDemandUSD(c)/p.ReducedUSD(c) - 1 }

// Accepted is the cost of a job whose user accepted an offer of s (eq. 8), and the
// penalty, which is a part of it.
func (p Prices) Accepted(c *Candidate, s float64) (usd, penalty float64) {
	reduced := p.ReducedUSD(c)
	return (1 + s) * reduced, s * reduced
}

// Expected is the expected cost of offering s to a user who accepts with the
// given probability (eq. 11).
func (p Prices) Expected(c *Candidate, s, probability float64) float64 {
	usd, _ := p.Accepted(c, s)
	return probability*usd + (1-probability)*p.OnDemandUSD(c)
}

// BreakEven is the on-demand price in US dollars per hour at which s_max is 0 for a
// job with this ratio of reduced to full runtime; below it nothing is offered.
func BreakEven(reserved, ratio float64) float64 { return reserved * ratio }

// Total is the result of a policy over all candidates. Costs are in US dollars.
type Total struct {
	ReservedUSD float64 // reserved VMs, while reduced jobs run on them
	OnDemandUSD float64
	PenaltyUSD  float64
	Accepted    float64 // jobs; not a whole number in an expectation
	Accuracy    float64 // mean of the jobs whose accuracies are known; NaN where none is
}

// USD is the whole cost.
func (t Total) USD() float64 { return t.ReservedUSD + t.OnDemandUSD + t.PenaltyUSD }

// ReducedHours are the VM-hours of the reduced jobs on reserved VMs.
func (t Total) ReducedHours(p Prices) float64 { return t.ReservedUSD / p.Reserved }

// Outcome is how a policy does on a set of candidates.
type Outcome struct {
	Policy       Policy
	Drawn        Total // with the decisions drawn
	Expected     Total // over all decisions
	DeviationUSD float64
	Offered      int     // jobs that are offered anything
	MeanOffer    float64 // mean s of these; NaN without any
	AllUSD       float64 // what on-demand VMs alone would cost
}

// Relative is the drawn cost as a fraction of that of on-demand VMs alone, with the
// interval that holds it for nine of ten draws of the users' decisions. It is NaN
// without candidates.
func (o Outcome) Relative() (value, low, high float64) {
	half := distuv.UnitNormal.Quantile(0.95) * o.DeviationUSD / o.AllUSD
	mean := o.Expected.USD() / o.AllUSD
	return o.Drawn.USD() / o.AllUSD, mean - half, mean + half
}

// Offer is what a policy offers a single candidate; 0 is no offer.
func Offer(p Policy, prices Prices, a Acceptance) func(*Candidate) float64 {
	return func(c *Candidate) float64 {
		most := prices.Most(c)
		return p.offer(most, a.Best(most))
	}
}

// Offers lists what a policy offers each candidate, in order; 0 is no offer. The
// slice reuses into where that is long enough.
func Offers(into []float64, p Policy, candidates []Candidate, prices Prices, a Acceptance) []float64 {
	into = into[:0]
	best := newBest(p, candidates, prices, a)
	for i := range candidates {
		most := prices.Most(&candidates[i])
		into = append(into, p.offer(most, best(most)))
	}
	return into
}

// Evaluate applies a policy to candidates (Algorithm 1 for each).
func Evaluate(p Policy, candidates []Candidate, prices Prices, a Acceptance) Outcome {
	o := Outcome{Policy: p}
	best := newBest(p, candidates, prices, a)
	var offers, variance float64
	var drawn, expected mean
	for i := range candidates {
		c := &candidates[i]
		most := prices.Most(c)
		s := p.offer(most, best(most))
		probability := a.Probability(s, most)
		full := prices.OnDemandUSD(c)
		reduced := prices.ReducedUSD(c)
		o.AllUSD += full
		if s > 0 {
			o.Offered++
			offers += s
		}
		o.Expected.add(probability, s, reduced, full)
		yes := 0.0
		if c.Draw < probability {
			yes = 1
		}
		o.Drawn.add(yes, s, reduced, full)
		differ := (1+s)*reduced - full
		variance += probability * (1 - probability) * differ * differ
		drawn.add(c, yes)
		expected.add(c, probability)
	}
	o.MeanOffer = offers / float64(o.Offered)
	o.DeviationUSD = math.Sqrt(variance)
	o.Drawn.Accuracy, o.Expected.Accuracy = drawn.value(), expected.value()
	return o
}

// add adds a job that is accepted with a probability, 0 and 1 being certain.
func (t *Total) add(accepted, s, reduced, full float64) {
	t.Accepted += accepted
	t.ReservedUSD += accepted * reduced
	t.PenaltyUSD += accepted * s * reduced
	t.OnDemandUSD += (1 - accepted) * full
}

// mean is a mean accuracy.
type mean struct{ sum, n float64 }

func (m *mean) add(c *Candidate, accepted float64) {
	if math.IsNaN(c.Accuracy) || math.IsNaN(c.ReducedAccuracy) {
		return
	}
	m.sum += accepted*c.ReducedAccuracy + (1-accepted)*c.Accuracy
	m.n++
}

func (m *mean) value() float64 { return m.sum / m.n }
