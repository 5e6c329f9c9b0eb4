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
	"strconv"
	"strings"

	"gonum.org/v1/gonum/interp"
	"gonum.org/v1/gonum/optimize"
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

// Offers lists what a policy offers each candidate, in order; 0 is no offer.
func Offers(p Policy, candidates []Candidate, prices Prices, a Acceptance) []float64 {
	best, offers := newBest(p, candidates, prices, a), make([]float64, len(candidates))
	for i := range candidates {
		most := prices.Most(&candidates[i])
		offers[i] = p.offer(most, best(most))
	}
	return offers
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

// Shape is the curve of the probability that a user accepts, over the offer.
type Shape string

// The shapes. Linear and Power depend on the fraction of s_max that is offered,
// the others on the offer itself.
const (
	Linear      Shape = "linear"      // s / s_max (eq. 10)
	Power       Shape = "power"       // (s / s_max)^At: reluctant users above 1, eager ones below
	Exponential Shape = "exponential" // 1 − exp(−s / At): 63 % accept an offer of At
	Logistic    Shape = "logistic"    // half accept an offer of At, most within Width of it
)

// Acceptance is how users respond to offers. Its zero value is the study's, linear.
type Acceptance struct {
	Shape     Shape
	At, Width float64 // parameters of the shape, above 0
}

// ParseAcceptance reads linear, power:2, exponential:1.5 or logistic:1.5:0.4.
func ParseAcceptance(s string) (Acceptance, error) {
	words := strings.Split(strings.ToLower(strings.TrimSpace(s)), ":")
	a := Acceptance{Shape: Shape(words[0])}
	wants := map[Shape]int{Linear: 0, Power: 1, Exponential: 1, Logistic: 2}
	n, known := wants[a.Shape]
	if !known || len(words) != n+1 {
		return Acceptance{}, fmt.Errorf("%q is not an acceptance function: write linear, power:2, exponential:1.5 or "+
			"logistic:1.5:0.4", s)
	}
	for i, to := range []*float64{&a.At, &a.Width}[:n] {
		v, err := strconv.ParseFloat(strings.TrimSpace(words[i+1]), 64)
		if err != nil || !(v > 0) || v > maxParameter {
			return Acceptance{}, fmt.Errorf("%q: the numbers of an acceptance lie above 0 and up to %g", s,
				float64(maxParameter))
		}
		*to = v
	}
	return a, nil
}

// maxParameter bounds the parameters of a shape; beyond it they are typing errors.
const maxParameter = 1e6

// String is what [ParseAcceptance] reads.
func (a Acceptance) String() string {
	switch a.Shape {
	case Power, Exponential:
		return fmt.Sprintf("%s:%g", a.Shape, a.At)
	case Logistic:
		return fmt.Sprintf("%s:%g:%g", a.Shape, a.At, a.Width)
	}
	return string(Linear)
}

// Probability is the probability that an offer of s is accepted where at most
// s_max is ever offered. It is 0 for no offer.
func (a Acceptance) Probability(s, most float64) float64 {
	if !(s > 0) || !(most > 0) {
		return 0
	}
	s = math.Min(s, most)
	switch a.Shape {
	case Power:
		return math.Pow(s/most, a.At)
	case Exponential:
		return -math.Expm1(-s / a.At)
	case Logistic:
		// From 0 on: nobody accepts for nothing.
		at := func(s float64) float64 { return 1 / (1 + math.Exp((a.At-s)/a.Width)) }
		none := at(0)
		return (at(s) - none) / (1 - none)
	}
	return s / most
}

// Best is s*, the offer of least expected cost where at most s_max is offered:
// half of it for the study's acceptance, whatever the job.
func (a Acceptance) Best(most float64) float64 {
	switch {
	case !(most > 0):
		return 0
	case a.Shape == Power:
		return most * a.At / (1 + a.At)
	case a.Shape == Exponential || a.Shape == Logistic:
		return a.minimise(most)
	}
	return most / 2
}

// minimise finds the offer of least expected cost numerically. The cost of a job
// is B − P(s)·(s_max − s)·R·p_r, so it maximises the saving, P(s)·(s_max − s):
// first on a grid, since a curve may have several maxima, then between the
// neighbours there.
func (a Acceptance) minimise(most float64) float64 {
	saved := func(x float64) float64 { return a.Probability(x*most, most) * (1 - x) }
	const grid = 64
	best := 1.0 / grid
	for k := 2; k < grid; k++ {
		if x := float64(k) / grid; saved(x) > saved(best) {
			best = x
		}
	}
	problem := optimize.Problem{Func: func(x []float64) float64 {
		if x[0] < 0 || x[0] > 1 {
			return 0 // saves nothing there
		}
		return -saved(x[0])
	}}
	settings := &optimize.Settings{Converger: &optimize.FunctionConverge{Absolute: 1e-15, Iterations: 30},
		MajorIterations: 400}
	found, err := optimize.Minimize(problem, []float64{best}, settings, &optimize.NelderMead{SimplexSize: 0.5 / grid})
	if err != nil || -found.F < saved(best) {
		return best * most // as good as the grid
	}
	return found.X[0] * most
}
