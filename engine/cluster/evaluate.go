package cluster

import (
	"cmp"
	"math"
	"slices"
)

// offer is a VM type as one variant sees it.
type offer struct {
	vm       int     // index in Space.VMs
	limit    int     // VMs at most
	gpus     int     // per VM, at least 1
	gpuRate  float64 // units a second of one GPU
	batch    Batch
	usd      float64 // per second of one VM
	startupS float64
	billing  Billing
}

// rate is what one VM does, in units per second.
func (o offer) rate() float64 { return float64(o.gpus) * o.gpuRate }

// billed turns rented seconds into billed ones.
func (b Billing) billed(seconds float64) float64 {
	if b.GranularityS > 0 {
		steps := seconds / b.GranularityS
		whole := math.Ceil(steps)
		// A step begun by the last bit of a sum is none.
		if down := math.Floor(steps); steps-down <= equal*steps {
			whole = down
		}
		seconds = whole * b.GranularityS
	}
	return math.Max(seconds, b.MinimumS)
}

// problem is one variant of a space.
type problem struct {
	variant int
	units   float64
	split   Split
	types   int // VM types of the space
	offers  []offer
}

// problem lists the VM types that run the variant.
func (s Space) problem(variant int) problem {
	p := problem{variant: variant, units: s.Units, split: s.Split, types: len(s.VMs)}
	for i, v := range s.VMs {
		b := s.Variants[variant].Batches[i]
		if b == (Batch{}) || v.Limit == 0 {
			continue
		}
		p.offers = append(p.offers, offer{
			vm: i, limit: v.Limit, gpus: max(v.GPUs, 1), gpuRate: b.Size / b.Seconds, batch: b,
			usd: v.USDPerHour / 3600, startupS: v.StartupS, billing: v.Billing,
		})
	}
	return p
}

// Evaluate gives time and cost of a variant on so many VMs of each type, the
// work divided arbitrarily. ok is false without any VM, and where one of them does
// not run the variant or there are more than its limit.
func (s Space) Evaluate(variant int, counts []int) (c Configuration, ok bool) {
	if variant < 0 || variant >= len(s.Variants) || len(counts) != len(s.VMs) {
		return c, false
	}
	p := s.problem(variant)
	own, offered, asked := p.own(counts), 0, 0
	for i, o := range p.offers {
		if own[i] < 0 || own[i] > o.limit {
			return c, false
		}
		offered += own[i]
	}
	for _, n := range counts {
		asked += n
	}
	if offered == 0 || offered != asked {
		return c, false
	}
	return p.configuration(own), true
}

// configuration evaluates counts, one an offer and not all 0.
func (p problem) configuration(counts []int) Configuration {
	c := Configuration{Variant: p.variant, Counts: make([]int, p.types)}
	for i, o := range p.offers {
		c.Counts[o.vm] = counts[i]
	}
	c.Seconds = p.seconds(counts)
	c.USD = p.usd(counts, c.Seconds)
	return c
}

// usd is the cost of so many seconds.
func (p problem) usd(counts []int, seconds float64) (usd float64) {
	for i, o := range p.offers {
		if counts[i] > 0 {
			usd += float64(counts[i]) * o.usd * o.billing.billed(seconds)
		}
	}
	return usd
}

// own are the counts of the offers, of those of all VM types.
func (p problem) own(counts []int) []int {
	own := make([]int, len(p.offers))
	for i, o := range p.offers {
		own[i] = counts[o.vm]
	}
	return own
}

func (p problem) seconds(counts []int) float64 {
	if p.split == ByGPUs {
		return p.secondsByGPUs(counts)
	}
	return p.secondsByThroughput(counts)
}

// secondsByGPUs is equations 2 to 4: every GPU gets the same number of units,
// and the slowest decides.
func (p problem) secondsByGPUs(counts []int) (t float64) {
	each := p.units / float64(p.gpusOf(counts))
	for i, o := range p.offers {
		if counts[i] > 0 {
			t = math.Max(t, o.startupS+each/o.gpuRate)
		}
	}
	return t
}

// secondsByThroughput shares the work so that all VMs end together: T with
// Σ rate·(T − start-up) = W over those that are ready before T. One that is not
// does nothing, and is paid.
func (p problem) secondsByThroughput(counts []int) float64 {
	if !p.startUnlike() {
		rate := 0.0
		for i, o := range p.offers {
			rate += float64(counts[i]) * o.rate()
		}
		return p.offers[0].startupS + p.units/rate
	}
	order := make([]int, 0, len(counts))
	for i, n := range counts {
		if n > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p.offers[a].startupS, p.offers[b].startupS) })
	t, work, rate := math.Inf(1), p.units, 0.0
	for _, i := range order {
		o := p.offers[i]
		if o.startupS >= t {
			break
		}
		all := float64(counts[i]) * o.rate()
		work += all * o.startupS
		rate += all
		t = work / rate
	}
	return t
}

// Schedule is a configuration at work in whole batches.
type Schedule struct {
	// Seconds until the last batch is done; USD is what that costs. All VMs are paid
	// until then.
	Seconds float64
	USD     float64
	Shares  []Share // one a VM type, in the order of Space.VMs
}

// Share is what all VMs of a type do in a schedule.
type Share struct {
	Units   float64 // of work
	Batches int     // the last of which may be part filled
	BusyS   float64 // seconds that the GPU with most of them works
}

// Schedule assigns the work to whole batches. By GPUs each GPU gets the same share of
// the work (equation 4) and rounds it up. By throughput the last batch is done as
// early as can be: a GPU that works until T has done floor((T − start-up)/t) batches,
// so the least T is the first end of a batch by which all GPUs together have done
// enough. Batches beyond enough are taken from the types whose last batch ends last.
func (s Space) Schedule(c Configuration) Schedule {
	p := s.problem(c.Variant)
	counts := p.own(c.Counts)
	out := Schedule{Shares: make([]Share, len(s.VMs))}
	if p.split == ByGPUs {
		p.shareByGPUs(counts, &out)
	} else {
		out.Seconds = p.wholeBatches(counts)
		p.share(counts, &out)
	}
	out.USD = p.usd(counts, out.Seconds)
	return out
}

// gpusOf is the number of GPUs of so many VMs.
func (p problem) gpusOf(counts []int) (gpus int) {
	for i, o := range p.offers {
		gpus += counts[i] * o.gpus
	}
	return gpus
}

// shareByGPUs gives all GPUs the same share and fills in when the last is done.
func (p problem) shareByGPUs(counts []int, s *Schedule) {
	gpus := p.gpusOf(counts)
	for i, o := range p.offers {
		if counts[i] == 0 {
			continue
		}
		mine := counts[i] * o.gpus
		units := p.units * float64(mine) / float64(gpus)
		each := Batches(Member{Count: counts[i], GPUs: o.gpus, BatchSize: o.batch.Size}, units)
		s.Shares[o.vm] = Share{Units: units, Batches: mine * int(each), BusyS: each * o.batch.Seconds}
		s.Seconds = math.Max(s.Seconds, o.startupS+each*o.batch.Seconds)
	}
}

// batchesBy is how many batches a GPU of the offer has done after so many
// seconds.
func (o offer) batchesBy(seconds float64) float64 {
	return math.Max(0, wholly((seconds-o.startupS)/o.batch.Seconds))
}

// wholly rounds down, but not for the last bits.
func wholly(v float64) float64 {
	if r := math.Round(v); math.Abs(v-r) <= 1e-9*math.Max(1, r) {
		return r
	}
	return math.Floor(v)
}

// done is how many units all VMs have done after so many seconds.
func (p problem) done(counts []int, seconds float64) (units float64) {
	for i, o := range p.offers {
		units += float64(counts[i]*o.gpus) * o.batchesBy(seconds) * o.batch.Size
	}
	return units
}

// wholeBatches is the least seconds after which all units are done: for each
// type in use, the first end of one of its batches by which that is so.
func (p problem) wholeBatches(counts []int) float64 {
	best := math.Inf(1)
	enough := func(seconds float64) bool { return p.done(counts, seconds) >= p.units*(1-1e-12) }
	for i, o := range p.offers {
		if counts[i] == 0 {
			continue
		}
		end := func(k float64) float64 { return o.startupS + k*o.batch.Seconds }
		low, high := 0.0, math.Ceil(p.units/(float64(counts[i]*o.gpus)*o.batch.Size)) // alone it needs so many
		// Between neighbours, also where these are more than one apart, the middle
		// is one of them.
		for middle := math.Floor(high / 2); low < middle && middle < high; middle = math.Floor(low + (high-low)/2) {
			if enough(end(middle)) {
				high = middle
			} else {
				low = middle
			}
		}
		best = math.Min(best, end(high))
	}
	return best
}

// share fills in what each type does until the end, less what is too much.
func (p problem) share(counts []int, s *Schedule) {
	batches := make([]float64, len(p.offers))
	for i, o := range p.offers {
		batches[i] = float64(counts[i]*o.gpus) * o.batchesBy(s.Seconds)
	}
	spare := p.done(counts, s.Seconds) - p.units
	for last := p.last(counts, batches); last >= 0 &&
		spare >= p.offers[last].batch.Size*(1-1e-9); last = p.last(counts, batches) {
		// A round of this type's GPUs at once, while there is that much to spare.
		o := p.offers[last]
		round := math.Min(p.inLastRound(counts, batches, last), wholly(spare/o.batch.Size))
		batches[last] -= round
		spare -= round * o.batch.Size
	}
	for i, o := range p.offers {
		if batches[i] <= 0 {
			continue
		}
		most := math.Ceil(batches[i] / float64(counts[i]*o.gpus))
		s.Shares[o.vm] = Share{Units: batches[i] * o.batch.Size, Batches: int(batches[i]), BusyS: most * o.batch.Seconds}
	}
	if last := p.last(counts, batches); last >= 0 { // its last batch is part filled
		share := &s.Shares[p.offers[last].vm]
		share.Units = math.Max(0, share.Units-math.Max(0, spare))
	}
}

// inLastRound is how many of the type's GPUs work on its last round of batches.
func (p problem) inLastRound(counts []int, batches []float64, i int) float64 {
	gpus := float64(counts[i] * p.offers[i].gpus)
	if odd := math.Mod(batches[i], gpus); odd > 0 {
		return odd
	}
	return gpus
}

// last is the offer whose last batch ends last, -1 without any batch.
func (p problem) last(counts []int, batches []float64) (last int) {
	last, latest := -1, math.Inf(-1)
	for i, o := range p.offers {
		if batches[i] <= 0 {
			continue
		}
		rounds := math.Ceil(batches[i] / float64(counts[i]*o.gpus))
		if end := o.startupS + rounds*o.batch.Seconds; end > latest {
			last, latest = i, end
		}
	}
	return last
}
