// Package next values probes before they are run: the saving that knowing a
// configuration's time or cost is expected to bring, against the price of finding
// out (the value of information).
package next

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"sweetspot/engine/estimate"
)

// Option is a configuration that a job could run on, and what the job would take
// there, in seconds or in US dollars.
type Option struct {
	Value    estimate.Estimate // log-normal within its interval; unknown options are left out
	Measured bool              // probed before, so that another probe would tell little
	Probe    float64           // expected time or cost of a probe there, in the unit of Value
}

// Advice is a probe with its value and its price, in the unit of the options.
type Advice struct {
	Option  int
	Saving  float64 // expected saving of choosing after the probe instead of before it
	Probe   float64
	Changes float64 // probability that the result changes the choice
}

// Net is the saving less the price of the probe.
func (a Advice) Net() float64 { return a.Saving - a.Probe }

// lognormal is the distribution that an estimate stands for, with the value as its
// median: times err by a factor.
func lognormal(e estimate.Estimate) (mu, sigma float64) { return math.Log(e.Value), e.LogSigma() }

// mean is the expected value, by which a choice is made: of two options with the
// same median it prefers the more certain one.
func mean(e estimate.Estimate) float64 {
	mu, sigma := lognormal(e)
	return math.Exp(mu + sigma*sigma/2)
}

var normal = distuv.UnitNormal

// below is E[max(0, k − X)] for a log-normal X: the expected saving of an option
// against a certain k if X is known before the choice.
func below(e estimate.Estimate, k float64) float64 {
	mu, sigma := lognormal(e)
	if sigma == 0 {
		return math.Max(0, k-e.Value)
	}
	d := (math.Log(k) - mu) / sigma
	return k*normal.CDF(d) - mean(e)*normal.CDF(d-sigma)
}

// Choose is the option to take with what is known now: the one of least expected
// value among those measured, since nobody should rent on a prediction alone;
// among all where none was measured; -1 where nothing is known.
func Choose(options []Option) int {
	best := -1
	for i, o := range options {
		switch {
		case !usable(o):
		case best < 0, o.Measured && !options[best].Measured,
			o.Measured == options[best].Measured && mean(o.Value) < mean(options[best].Value):
			best = i
		}
	}
	return best
}

func usable(o Option) bool {
	return o.Value.Known() && o.Value.Value > 0 && !math.IsInf(o.Value.Value, 1)
}

// Values returns the advice about every option that was not measured and has a
// known value, in the order of the options. Their errors are taken as independent.
//
// The saving of knowing one option is that of one look ahead (the knowledge
// gradient for a single, exact observation): of one that would not be chosen
// now E[max(0, best − X)], of the one that would be E[max(0, X − second best)].
func Values(options []Option) []Advice {
	best := Choose(options)
	if best < 0 {
		return nil
	}
	second := math.Inf(1)
	for i, o := range options {
		if i != best && usable(o) {
			second = math.Min(second, mean(o.Value))
		}
	}
	var out []Advice
	for i, o := range options {
		if o.Measured || !usable(o) {
			continue
		}
		a := Advice{Option: i, Probe: o.Probe}
		mu, sigma := lognormal(o.Value)
		switch {
		case i != best:
			k := mean(options[best].Value)
			a.Saving, a.Changes = below(o.Value, k), atMost(mu, sigma, k)
		case math.IsInf(second, 1):
			// the only one: there is nothing to choose
		default:
			// E[max(0, X − k)] = E[X] − k + E[max(0, k − X)]
			a.Saving, a.Changes = mean(o.Value)-second+below(o.Value, second), 1-atMost(mu, sigma, second)
		}
		a.Saving = math.Max(0, a.Saving)
		out = append(out, a)
	}
	return out
}

func atMost(mu, sigma, k float64) float64 {
	if sigma == 0 {
		if math.Exp(mu) < k {
			return 1
		}
		return 0
	}
	return normal.CDF((math.Log(k) - mu) / sigma)
}

// Clearest is the probe that tells most for what it takes, whether it pays or
// not; ok is false where none could change the choice with a probability of at
// least likely.
func Clearest(options []Option, likely float64) (best Advice, ok bool) {
	worth := func(a Advice) float64 { return a.Saving / math.Max(a.Probe, math.SmallestNonzeroFloat64) }
	return first(options, worth, func(a Advice) bool { return a.Changes >= likely })
}

// Best is the probe with the largest net saving; ok is false where none pays.
func Best(options []Option) (best Advice, ok bool) {
	return first(options, Advice.Net, func(a Advice) bool { return a.Net() > 0 })
}

// first is the advice that is worth most of what will do.
func first(options []Option, worth func(Advice) float64, will func(Advice) bool) (best Advice, ok bool) {
	for _, a := range Values(options) {
		if will(a) && (!ok || worth(a) > worth(best)) {
			best, ok = a, true
		}
	}
	return best, ok
}
