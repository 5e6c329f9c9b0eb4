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

// Name says which variant of which model on which VM type.
func (o *Offer) Name() string {
	words := slices.DeleteFunc([]string{o.Model, o.Variant, o.Precision}, func(w string) bool { return w == "" })
	return strings.Join(words, " ") + " on " + o.VM.InstanceType
}

// Served is an offer at a batch size, as one VM serves with it.
type Served struct {
	Offer int // its place among the offers
	Batch int
	VM    VM // but for its start-up and billing, which no run tells
}

// Offers are the variants of the named models, or of all, on every VM type that
// they were run on and that has a price: the newest on-demand one of the
// catalog, that of the run, or else the given one, if it is above 0. Of runs of
// one cell the newest counts.
func Offers(set *profile.Set, models []string, usdPerHour float64) []Offer {
	var offers []Offer
	for i := range set.Runs {
		r := &set.Runs[i]
		if r.Mode != profile.Infer || r.BatchSize < 1 || !r.Steady.Known() || !(r.Steady.Value > 0) || len(models) > 0 &&
			!slices.Contains(models, r.Model) {
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
			return o.Model == r.Model && o.Variant == r.Variant.Name && o.Precision == r.Variant.Precision && o.VM == r.VM() &&
				o.GPUs == max(r.GPUCount, 1)
		})
		if at < 0 {
			at = len(offers)
			offers = append(offers, Offer{
				Model: r.Model, Variant: r.Variant.Name, Precision: r.Variant.Precision, VM: r.VM(), GPUs: max(r.GPUCount, 1),
				USDPerHour: price, PriceFrom: from, Accuracy: math.NaN(),
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

// Choose lists the offers at every batch size measured that answers within a
// latency limit, as variants to choose from. The latency is the p99 of a batch,
// since every query of it waits for the whole; every GPU of a VM serves batches of
// its own. The cost is that of a million queries at a steady rate in queries per
// second, on as many whole VMs as that takes; at a rate of 0, on VMs that are
// busy.
func Choose(offers []Offer, limitS, perSecond float64) (pool Variants, served []Served) {
	for i := range offers {
		o := &offers[i]
		pool.LowerIsBetter = pool.LowerIsBetter || o.LowerIsBetter
		for _, p := range o.Points {
			if p.P99S > limitS {
				continue
			}
			vm := VM{USDPerHour: o.USDPerHour, QueriesPerSecond: p.Batch / p.P50S * float64(o.GPUs), LatencyS: p.P99S}
			pool.List = append(pool.List, Variant{Name: o.Name(), Accuracy: o.Accuracy, LatencyS: vm.LatencyS,
				USDPerMillion: vm.perMillion(perSecond)})
			served = append(served, Served{i, int(p.Batch), vm})
		}
	}
	return pool, served
}

// Serve lets one of a pool's variants, by [Choose], serve: the settings describe
// the VM that it runs on, and the others are there for slack in accuracy.
func (q *Question) Serve(offers []Offer, pool Variants, served []Served, chosen int) {
	of := &offers[served[chosen].Offer]
	q.Variants, q.Chosen, q.Points, q.GPUs = pool, chosen, of.Points, of.GPUs
	q.Settings.VM = q.Settings.VM.as(served[chosen].VM)
	q.VMs = make([]VM, len(served))
	for i, x := range served {
		q.VMs[i] = x.VM
	}
}

// perMillion is what a million queries cost at a steady rate.
func (v VM) perMillion(perSecond float64) float64 {
	if perSecond <= 0 {
		return v.USDPerHour / 3600 / v.QueriesPerSecond * 1e6
	}
	return float64(wholeVMs(perSecond, v.QueriesPerSecond)) * v.USDPerHour / 3600 / perSecond * 1e6
}

// Alike reports whether the accuracies of offers can be compared: those that
// are known are of one metric.
func Alike(offers []Offer) bool {
	metric := ""
	for _, o := range offers {
		if o.Metric != "" && metric != "" && o.Metric != metric {
			return false
		}
		metric = cmp.Or(metric, o.Metric)
	}
	return true
}
