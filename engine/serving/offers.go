package serving

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/profile"
)

// Offer is a variant of a model on a VM type, as inference runs of a profile
// database have it.
type Offer struct {
	Model, Variant string // "" for the model unchanged
	Precision      string // "" unknown
	VM             profile.VMKey
	GPUs           int // that serve at once; 1 on a CPU
	USDPerHour     float64
	PriceFrom      string
	Accuracy       float64 // NaN where unknown
	Metric         string
	LowerIsBetter  bool
	Points         []BatchPoint // of one GPU
	Spread         bool         // p99 follows from the spread of the iteration times; else it is the median
}

// Name says which variant on which VM type.
func (o *Offer) Name() string {
	return strings.TrimSpace(cmp.Or(o.Variant, o.Model)+" "+o.Precision) + " on " + o.VM.InstanceType
}

// Within is the offer as it serves within a latency limit; ok is false where
// no measured batch does. Every GPU serves batches of its own.
func (o *Offer) Within(limitS float64) (vm VM, c Capacity, ok bool) {
	c, ok, err := CapacityWithin(o.Points, limitS)
	if err != nil || !ok {
		return vm, c, false
	}
	return VM{USDPerHour: o.USDPerHour, QueriesPerSecond: c.QueriesPerSecond * float64(o.GPUs), LatencyS: c.P99S}, c, true
}

// Offers are the variants of the named models, or of all, on every VM type that
// they were run on and that has a price: the newest on-demand one of the
// catalog, that of the run, or else the given one, if it is above 0. Of runs of
// one cell the newest counts.
func Offers(set *profile.Set, models []string, usdPerHour float64) []Offer {
	var offers []Offer
	for i := range set.Runs {
		r := &set.Runs[i]
		if r.Mode != profile.Infer || r.BatchSize < 1 || !r.Steady.Known() || !(r.Steady.Value > 0) || len(models) > 0 && !slices.Contains(models, r.Model) {
			continue
		}
		price, from, known := priceOf(set, r)
		switch {
		case known:
		case usdPerHour > 0:
			price, from = usdPerHour, "as given"
		default:
			continue
		}
		at := slices.IndexFunc(offers, func(o Offer) bool {
			return o.Model == r.Model && o.Variant == r.Variant.Name && o.Precision == r.Variant.Precision && o.VM == r.VM() && o.GPUs == max(r.GPUCount, 1)
		})
		if at < 0 {
			at = len(offers)
			offers = append(offers, Offer{
				Model: r.Model, Variant: r.Variant.Name, Precision: r.Variant.Precision, VM: r.VM(), GPUs: max(r.GPUCount, 1), USDPerHour: price, PriceFrom: from, Accuracy: math.NaN(),
			})
		}
		offers[at].add(r)
	}
	return offers
}

// add takes the times and the accuracy of a run over.
func (o *Offer) add(r *profile.Run) {
	p := BatchPoint{Batch: float64(r.BatchSize), P50S: r.Steady.Value, P99S: r.Steady.Value}
	if sd := r.SteadyStdDevS; sd != nil && *sd > 0 {
		p.P99S += normal99 * *sd
		o.Spread = true
	}
	if at := slices.IndexFunc(o.Points, func(q BatchPoint) bool { return q.Batch == p.Batch }); at >= 0 {
		o.Points[at] = p
	} else {
		o.Points = append(o.Points, p)
	}
	if r.Accuracy != nil {
		o.Accuracy, o.Metric, o.LowerIsBetter = r.Accuracy.Value, r.Accuracy.Metric, !r.Accuracy.HigherIsBetter
	}
}

// normal99 is the 99th percentile of a normal distribution, in standard
// deviations.
const normal99 = 2.326

func priceOf(set *profile.Set, r *profile.Run) (usdPerHour float64, from string, ok bool) {
	for i := range set.VMTypes {
		if set.VMTypes[i].Key() == r.VM() {
			if p, ok := set.VMTypes[i].PriceOf(profile.OnDemand); ok {
				return p.USDPerHour, p.Source + ", " + p.AsOf, true
			}
		}
	}
	if r.USDPerHour != nil {
		return *r.USDPerHour, "as the run says", true
	}
	return 0, "", false
}

// Choose lists the offers that serve within a latency limit as variants to choose
// from, and where each is in offers. The latency is the p99 of a batch, the cost
// that of a million queries on a VM that is busy.
func Choose(offers []Offer, limitS float64) (pool Variants, of []int) {
	for i := range offers {
		o := &offers[i]
		vm, _, ok := o.Within(limitS)
		if !ok {
			continue
		}
		pool.LowerIsBetter = pool.LowerIsBetter || o.LowerIsBetter
		pool.List = append(pool.List, Variant{
			Name: o.Name(), Accuracy: o.Accuracy, LatencyS: vm.LatencyS, USDPerMillion: vm.USDPerHour / 3600 / vm.QueriesPerSecond * 1e6,
		})
		of = append(of, i)
	}
	return pool, of
}
