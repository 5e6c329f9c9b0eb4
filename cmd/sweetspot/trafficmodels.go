package main

import (
	"fmt"
	"slices"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
)

// choose takes of the variants and VM types of the models that serve within the
// strict limit the best in what has no limit of its own: the cheapest, unless
// the cost is limited; then the most accurate, or, where an accuracy is asked for
// and no latency is, the fastest.
func (f *trafficFlags) choose(set *profile.Set, price *float64, limited bool, q *serving.Question, in *contract.TrafficInput) error {
	names := strings.Join(f.models, ", ")
	fallback := 0.0
	if price != nil {
		fallback = *price
	}
	in.Offers = serving.Offers(set, f.models, fallback)
	if f.vm != "" {
		in.Offers = slices.DeleteFunc(in.Offers, func(o serving.Offer) bool { return o.VM.InstanceType != f.vm })
	}
	switch {
	case len(in.Offers) == 0:
		return fmt.Errorf("no inference run of %s on a VM with a price: probe it with --mode infer, or give --vm-price for the machine it was run on", plaintext.Line(names, 100))
	case !serving.Alike(in.Offers):
		return fmt.Errorf("the accuracies of %s are of different metrics: name models that can be compared", plaintext.Line(names, 100))
	}
	limit := q.Settings.StrictLimitS
	pool, served := serving.Choose(in.Offers, limit, q.Trace.Mean())
	if len(pool.List) == 0 {
		return exitError{exitInfeasible, fmt.Errorf("no run of %s answers within %s: its smallest batches take longer, so probe smaller ones or loosen --slo", plaintext.Line(names, 100), quantity.Duration(limit))}
	}
	by := serving.Cost
	switch {
	case f.costCeiling != nil && (limited || f.accuracyFloor == nil):
		by = serving.Accuracy
	case f.costCeiling != nil:
		by = serving.Latency
	}
	within := pool.Within(serving.Limits{LatencyS: &limit, Accuracy: f.accuracyFloor, USDPerMillion: f.costCeiling}, by)
	if len(within) == 0 {
		return exitError{exitInfeasible, fmt.Errorf("%s rules out all %d variants that answer within %s", f.rules(pool), len(pool.List), quantity.Duration(limit))}
	}
	q.Serve(in.Offers, pool, served, within[0])
	of := served[within[0]]
	chosen := &in.Offers[of.Offer]
	in.Served, in.VM = served, chosen.VM.InstanceType
	in.Notes = append(in.Notes, fmt.Sprintf("serves %s at batch %d, price %s", chosen.Name(), of.Batch, chosen.PriceFrom))
	if !chosen.Spread {
		in.Notes = append(in.Notes, "the spread of its iteration times is unknown: the limit is held against their mean")
	}
	in.Notes = append(in.Notes, "the function's time is as given, not of this model: --function-time says it")
	return nil
}

// rules names the limit that no variant keeps, of the two the one to loosen.
func (f *trafficFlags) rules(pool serving.Variants) string {
	switch {
	case f.accuracyFloor != nil && len(pool.IsoAccuracy(*f.accuracyFloor)) == 0:
		return "accuracy"
	case f.costCeiling != nil && len(pool.IsoCost(*f.costCeiling)) == 0:
		return "cost"
	}
	return "accuracy together with cost"
}

// onDemandPrice is the lowest on-demand price of an instance type in the
// catalog.
func onDemandPrice(types []profile.VMType, name string) (usd float64, ok bool) {
	for _, t := range types {
		if p, has := t.PriceOf(profile.OnDemand); has && t.InstanceType == name && (!ok || p.USDPerHour < usd) {
			usd, ok = p.USDPerHour, true
		}
	}
	return usd, ok
}
