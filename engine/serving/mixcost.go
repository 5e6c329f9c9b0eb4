package serving

import (
	"slices"

	"sweetspot/engine/estimate"
)

// cost takes what the pick costs, without intervals: it rests on what the least trusted of the
// times rest on.
func (a *MixAnswer) cost() {
	weakest := estimate.Measured
	for k := range a.Groups {
		g := &a.Groups[k]
		basis := estimate.Spec
		if g.Offer() != nil {
			basis = g.Served[g.Chosen].Time.Basis
		}
		weakest = estimate.Weakest(weakest, basis)
		g.MixCost = costOf(g.Outcomes[a.Pick], basis)
	}
	a.MixCost = costOf(a.Outcomes[a.Pick], weakest)
}

func costOf(o Outcome, b estimate.Basis) MixCost {
	return MixCost{estimate.Exact(o.USD, b), estimate.Exact(1-o.ViolationShare(), b)}
}

// Intervals is the answer with the 90 % intervals of what the pick costs and of how many requests
// are in time: the same choices are simulated where every batch takes as long as the low end of
// its interval, and where every one takes as long as the high end. So all times are taken to
// err alike, which is the widest they can make a sum. A share of requests or a price is no part of it.
func (a *MixAnswer) Intervals() (*MixAnswer, error) {
	out := *a
	out.Groups = slices.Clone(a.Groups)
	out.cost()
	for _, end := range []func(estimate.Estimate) float64{
		func(e estimate.Estimate) float64 { return e.Low }, func(e estimate.Estimate) float64 { return e.High },
	} {
		total := Outcome{}
		for k := range out.Groups {
			g := &out.Groups[k]
			o, err := g.at(end, out.Outcomes[out.Pick].Scheme, out.Pick)
			if err != nil {
				return nil, err
			}
			g.widen(o)
			total.join(o)
		}
		out.widen(total)
	}
	return &out, nil
}

// at is what a scheme makes of a group whose batches take as long as an end of their interval.
func (g *Group) at(end func(estimate.Estimate) float64, scheme Scheme, pick int) (Outcome, error) {
	if g.Offer() == nil {
		return g.Outcomes[pick], nil
	}
	time, s := g.Served[g.Chosen].Time, g.Settings
	if !(end(time) > 0) || end(time) == time.Value {
		return g.Outcomes[pick], nil
	}
	factor := end(time) / time.Value
	s.VM.RequestsPerSecond /= factor
	s.VM.LatencyS *= factor
	return Simulate(g.Trace, s, scheme)
}

func (c *MixCost) widen(o Outcome) {
	at := costOf(o, c.USD.Basis)
	for _, e := range []struct{ of, by *estimate.Estimate }{{&c.USD, &at.USD}, {&c.Within, &at.Within}} {
		e.of.Low, e.of.High = min(e.of.Low, e.by.Value), max(e.of.High, e.by.Value)
	}
}
