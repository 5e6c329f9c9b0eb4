package serving

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/pareto"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

// Variant is one way to answer a request: a model, or a modified version of it.
type Variant struct {
	Name          string
	Accuracy      float64 // in [0,1], or a loss; NaN where unknown
	LatencyS      float64 // seconds of one request; NaN where unknown
	USDPerMillion float64 // dollars of a million requests; NaN where unknown
}

// Variants is a pool of variants to choose from (study, figures 1 and 2).
type Variants struct {
	List          []Variant
	LowerIsBetter bool // of the accuracies: a loss or an error rate
}

// Limits are the constraints on a variant; nil is no limit.
type Limits struct {
	Accuracy      *float64 // at least; at most where lower is better
	LatencyS      *float64 // at most, seconds
	USDPerMillion *float64 // at most, dollars
}

// Objective is the objective in which a variant is to be the best.
type Objective string

// The objectives: the three parameters of section 3.1.
const (
	Accuracy Objective = "accuracy"
	Latency  Objective = "latency"
	Cost     Objective = "cost"
)

// Within returns the indices of the variants within the limits, the best in the
// objective first, equal ones by the other two objectives and then by index. An
// unknown value is within no limit, and comes last where there is none.
func (v Variants) Within(l Limits, by Objective) []int {
	var kept []int
	for i := range v.List {
		if v.keeps(i, l) {
			kept = append(kept, i)
		}
	}
	slices.SortStableFunc(kept, func(a, b int) int {
		compare := func(o Objective) int { return cmp.Compare(v.key(a, o), v.key(b, o)) }
		return cmp.Or(compare(by), compare(Cost), compare(Latency), compare(Accuracy))
	})
	return kept
}

// Frontier returns the variants no other beats in accuracy without being
// slower, fastest first (figure 1).
func (v Variants) Frontier() []int {
	latency, accuracy := make([]float64, len(v.List)), make([]float64, len(v.List))
	for i, variant := range v.List {
		latency[i], accuracy[i] = variant.LatencyS, v.directed(variant.Accuracy)
	}
	pareto.Unite(latency)
	pareto.Unite(accuracy)
	return pareto.Frontier2D(latency, accuracy)
}

func (v Variants) keeps(i int, l Limits) bool {
	variant := v.List[i]
	return (l.Accuracy == nil || v.directed(variant.Accuracy) <= v.directed(*l.Accuracy)) &&
		(l.LatencyS == nil || variant.LatencyS <= *l.LatencyS) &&
		(l.USDPerMillion == nil || variant.USDPerMillion <= *l.USDPerMillion)
}

// directed turns an accuracy so that smaller is better.
func (v Variants) directed(accuracy float64) float64 {
	if v.LowerIsBetter {
		return accuracy
	}
	return -accuracy
}

// key is smaller for better variants; unknown is worst.
func (v Variants) key(i int, o Objective) float64 {
	variant := v.List[i]
	k := variant.USDPerMillion
	switch o {
	case Accuracy:
		k = v.directed(variant.Accuracy)
	case Latency:
		k = variant.LatencyS
	}
	if math.IsNaN(k) {
		return math.Inf(1)
	}
	return k
}

// Offer is a variant of a model on a VM type, as inference runs of a profile
// database have it.
type Offer struct {
	Model, Variant string // "" for the model unchanged
	Precision      string // "" unknown
	VM             profile.VMKey
	GPUs           int // that serve at once; 1 on a CPU
	USDPerHour     float64
	PriceFrom      string
	Accuracy       float64           // NaN where unknown
	AccuracyOf     estimate.Estimate // the same with its interval
	Metric         string
	LowerIsBetter  bool
	Points         []BatchPoint        // of one GPU
	Times          []estimate.Estimate // of a batch with its interval, seconds, by point
	Spread         bool                // p99 follows from the spread of the iteration times; else it is the median
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
	VM    VM                // but for its start-up and billing, which no run tells
	Time  estimate.Estimate // of a batch, seconds
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
		offers[at].add(r, training.Iteration(*r, set.Kinds))
	}
	return offers
}

// add takes the times and the accuracy of a run over; time is its steady one with an interval.
func (o *Offer) add(r *profile.Run, time estimate.Estimate) {
	p := BatchPoint{Batch: float64(r.BatchSize), P50S: r.Steady.Value, P99S: r.Steady.Value}
	if sd := r.SteadyStdDevS; sd != nil && *sd > 0 {
		p.P99S += normal99 * *sd
		o.Spread = true
	}
	if at := slices.IndexFunc(o.Points, func(q BatchPoint) bool { return q.Batch == p.Batch }); at >= 0 {
		o.Points[at], o.Times[at] = p, time
	} else {
		o.Points, o.Times = append(o.Points, p), append(o.Times, time)
	}
	if r.Accuracy != nil {
		o.Accuracy, o.Metric, o.LowerIsBetter = r.Accuracy.Value, r.Accuracy.Metric, !r.Accuracy.HigherIsBetter
		o.AccuracyOf = r.AccuracyEstimate()
	}
}

// timeOf is the time of a batch with its interval; unknown where the offer has points alone.
func (o *Offer) timeOf(point int) estimate.Estimate {
	if point >= len(o.Times) {
		return estimate.Estimate{}
	}
	return o.Times[point]
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
// since every request of it waits for the whole; every GPU of a VM serves batches of
// its own. The cost is that of a million requests at a steady rate in requests per
// second, on as many whole VMs as that takes; at a rate of 0, on VMs that are
// busy.
func Choose(offers []Offer, limitS, perSecond float64) (pool Variants, served []Served) {
	for i := range offers {
		o := &offers[i]
		pool.LowerIsBetter = pool.LowerIsBetter || o.LowerIsBetter
		for k, p := range o.Points {
			if p.P99S > limitS {
				continue
			}
			vm := VM{USDPerHour: o.USDPerHour, RequestsPerSecond: p.Batch / p.P50S * float64(o.GPUs), LatencyS: p.P99S}
			pool.List = append(pool.List, Variant{Name: o.Name(), Accuracy: o.Accuracy, LatencyS: vm.LatencyS,
				USDPerMillion: vm.perMillion(perSecond)})
			served = append(served, Served{i, int(p.Batch), vm, o.timeOf(k)})
		}
	}
	return pool, served
}

// perMillion is what a million requests cost at a steady rate.
func (v VM) perMillion(perSecond float64) float64 {
	if perSecond <= 0 {
		return v.USDPerHour / 3600 / v.RequestsPerSecond * 1e6
	}
	return float64(wholeVMs(perSecond, v.RequestsPerSecond)) * v.USDPerHour / 3600 / perSecond * 1e6
}

// alike reports whether the accuracies of offers can be compared: those that
// are known are of one metric.
func alike(offers []Offer) bool {
	metric := ""
	for _, o := range offers {
		if o.Metric != "" && metric != "" && o.Metric != metric {
			return false
		}
		metric = cmp.Or(metric, o.Metric)
	}
	return true
}
