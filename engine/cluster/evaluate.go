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
// work divided at will. ok is false without any VM, and where one of them does
// not run the variant or there are more than its limit.
func (s Space) Evaluate(variant int, counts []int) (c Configuration, ok bool) {
	if variant < 0 || variant >= len(s.Variants) || len(counts) != len(s.VMs) {
		return c, false
	}
	p := s.problem(variant)
	var offered, asked int
	own := make([]int, len(p.offers))
	for i, o := range p.offers {
		if counts[o.vm] < 0 || counts[o.vm] > o.limit {
			return c, false
		}
		own[i] = counts[o.vm]
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
	for i, o := range p.offers {
		if counts[i] > 0 {
			c.USD += float64(counts[i]) * o.usd * o.billing.billed(c.Seconds)
		}
	}
	return c
}

// seconds is the time until the last VM is done.
func (p problem) seconds(counts []int) float64 {
	if p.split == ByGPUs {
		return p.secondsByGPUs(counts)
	}
	return p.secondsByThroughput(counts)
}

// secondsByGPUs is equations 2 to 4: every GPU gets the same number of units,
// and the slowest decides.
func (p problem) secondsByGPUs(counts []int) (t float64) {
	gpus := 0
	for i, o := range p.offers {
		gpus += counts[i] * o.gpus
	}
	each := p.units / float64(gpus)
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
