package cluster

import (
	"cmp"
	"math"
	"slices"
)

// evenly finds the frontier under the split by GPUs.
//
// With V GPUs in all, each works W/V units, so a VM of type i ends at
// s_i + W/(V·rate_i) and the last type used decides. Of all multisets with V
// GPUs whose types end no later than a given one, the cheapest is what counts:
// a knapsack over whole GPUs, in which the types are admitted one by one in the
// order in which they end.
//
// Where VMs are billed by unlike rules, their prices depend on the time. Then
// the frontier found with prices pro rata is where the search starts, and only
// those V and times are solved again, with the prices of that time, whose bound
// (parts of VMs allowed) does not show that nothing is to be gained.
func (p problem) evenly() []Configuration {
	found := p.knapsacks()
	if p.billedAlike() {
		return found
	}
	return p.repriced(found)
}

func (p problem) billedAlike() bool {
	return !slices.ContainsFunc(p.offers, func(o offer) bool { return o.billing != p.offers[0].billing })
}

func (p problem) gpus() (all int) {
	for _, o := range p.offers {
		all += o.limit * o.gpus
	}
	return all
}

// end is when a VM of the offer is done if there are so many GPUs in all.
func (p problem) end(o offer, gpus int) float64 {
	return o.startupS + p.units/(float64(gpus)*o.gpuRate)
}

// byEnd lists the offers in the order in which they end.
func (p problem) byEnd(gpus int) []int {
	return p.ordered(func(o offer) float64 { return p.end(o, gpus) })
}

// knapsacks finds the frontier with prices that do not depend on the time. Only
// with unlike start-ups does the order in which the types end depend on the
// number of GPUs; each order has a knapsack of its own.
func (p problem) knapsacks() []Configuration {
	var found []Configuration
	for high := p.gpus(); high > 0; {
		order, low := p.byEnd(high), 1
		if p.startUnlike() {
			for low = high; low > 1 && slices.Equal(p.byEnd(low-1), order); {
				low--
			}
		}
		found = append(found, p.knapsack(order, low, high)...)
		high = low - 1
	}
	return sweep(found)
}

func (p problem) startUnlike() bool {
	return slices.ContainsFunc(p.offers, func(o offer) bool { return o.startupS != p.offers[0].startupS })
}

// filled is the cheapest way to have exactly so many GPUs.
type filled struct {
	price int64 // in a unit of its own
	vms   int32
	link  int32
}

const unfilled = math.MaxInt64

// knapsack admits the offers in order and lists, after each, the cheapest
// multisets of low to high GPUs that others so far do not dominate.
func (p problem) knapsack(order []int, low, high int) []Configuration {
	prices := func(o offer) float64 { return o.usd / float64(o.gpus) }
	all := 0.0
	for _, o := range p.offers {
		all += float64(o.limit) * o.usd
	}
	units := scale(all)
	sack, t := p.emptySack(high)
	alike := p.billedAlike() // else the cost is not that of the last type's billing
	counts := make([]int, len(p.offers))
	var out []Configuration
	for _, i := range order {
		o := p.offers[i]
		t.admit(sack, i, o, int64(math.Round(prices(o)*units)))
		cheapest := math.Inf(1)
		for gpus := high; gpus >= low; gpus-- {
			if sack[gpus].price == unfilled {
				continue
			}
			usd := float64(sack[gpus].price) / units * o.billing.billed(p.end(o, gpus))
			if usd <= cheapest*(1-equal/2) || !alike {
				cheapest = usd
				out = append(out, p.configuration(t.counts(sack[gpus].link, counts)))
			}
		}
	}
	return out
}

func (p problem) emptySack(gpus int) ([]filled, *trail) {
	sack := slices.Repeat([]filled{{price: unfilled}}, gpus+1)
	sack[0].price = 0
	return sack, newTrail(len(p.offers))
}

// admit fills the sack with up to the limit of VMs of an offer more, at a price
// per GPU.
func (t *trail) admit(sack []filled, index int, o offer, price int64) {
	for _, lot := range portions(o.limit) {
		for range lot.times {
			t.lot(sack, index, lot.vms, lot.vms*o.gpus, price)
		}
	}
}

// lot fills the sack with one lot of VMs more or none.
func (t *trail) lot(sack []filled, index, vms, gpus int, price int64) {
	more := int64(gpus) * price
	for g := len(sack) - 1; g >= gpus; g-- {
		from := &sack[g-gpus]
		if from.price == unfilled || from.price+more > sack[g].price {
			continue
		}
		if from.price+more == sack[g].price && t.less(sack[g].vms, from.vms+int32(vms), sack[g].link, from.link, index, vms) {
			continue
		}
		sack[g] = filled{from.price + more, from.vms + int32(vms), t.add(from.link, index, vms)}
	}
}

// repriced adds to a frontier what prices at the very time find beyond it.
func (p problem) repriced(found []Configuration) []Configuration {
	all := slices.Clone(found)
	for gpus := p.gpus(); gpus > 0; gpus-- {
		order := p.byEnd(gpus)
		for n := range order {
			seconds := p.end(p.offers[order[n]], gpus)
			if p.pricedAlike(seconds) {
				continue // found by the knapsack over plain prices
			}
			if p.leastUSD(order[:n+1], gpus, seconds) < cheapestUntil(found, seconds) {
				if c, ok := p.cheapest(order[:n+1], gpus, seconds); ok {
					all = append(all, c)
				}
			}
		}
	}
	return sweep(all)
}

// pricedAlike says whether after so many seconds all are billed for the same.
func (p problem) pricedAlike(seconds float64) bool {
	first := p.offers[0].billing.billed(seconds)
	return !slices.ContainsFunc(p.offers, func(o offer) bool { return o.billing.billed(seconds) != first })
}

// cheapestUntil is the least cost that a frontier has until a time.
func cheapestUntil(front []Configuration, seconds float64) float64 {
	n, _ := slices.BinarySearchFunc(front, seconds, func(c Configuration, s float64) int {
		return cmp.Or(cmp.Compare(c.Seconds, s), -1)
	})
	if n == 0 {
		return math.Inf(1)
	}
	return front[n-1].USD
}

// leastUSD bounds the cost of so many GPUs from below: parts of VMs allowed.
func (p problem) leastUSD(among []int, gpus int, seconds float64) (usd float64) {
	price := func(o offer) float64 { return o.usd / float64(o.gpus) * o.billing.billed(seconds) }
	order := slices.Clone(among)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(price(p.offers[a]), price(p.offers[b])) })
	for _, i := range order {
		take := min(gpus, p.offers[i].limit*p.offers[i].gpus)
		usd += float64(take) * price(p.offers[i])
		gpus -= take
	}
	if gpus > 0 {
		return math.Inf(1)
	}
	return usd
}

// cheapest is the cheapest multiset of exactly so many GPUs at the prices of a
// time.
func (p problem) cheapest(among []int, gpus int, seconds float64) (c Configuration, ok bool) {
	all := 0.0
	for _, i := range among {
		o := p.offers[i]
		all += float64(o.limit) * o.usd * o.billing.billed(seconds)
	}
	units := scale(all)
	sack, t := p.emptySack(gpus)
	for _, i := range among {
		o := p.offers[i]
		t.admit(sack, i, o, int64(math.Round(o.usd/float64(o.gpus)*o.billing.billed(seconds)*units)))
	}
	if sack[gpus].price == unfilled {
		return c, false
	}
	return p.configuration(t.counts(sack[gpus].link, make([]int, len(p.offers)))), true
}
