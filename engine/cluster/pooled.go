package cluster

import (
	"cmp"
	"math"
	"slices"
)

// sum is a multiset of VMs under the throughput split: what it does and what
// it costs are sums over its VMs, held as integers, so that the order of adding
// makes no difference and equal sums are found equal.
type sum struct {
	rate   int64 // units per second, in a unit of its own
	excess int64 // price beyond the ramp, in a unit of its own
	vms    int32
	link   int32
}

// pooled finds the frontier under the throughput split where all VMs start
// together and are billed by the same rule.
//
// A multiset has rate R and price P, so T = s + W/R and C = P·billed(T): one
// with at least the rate of another and at most its price does no worse,
// whatever is added to both. Adding one VM type after the other, only such
// non-dominated sums are kept.
//
// Far fewer remain when more is asked for. Let ρ be the least price of a unit of
// rate that any VM has, so that P ≥ ρ·R. When a rises from R to R+Δ and its
// price by λ·Δ, its cost changes from P·(s + W/R) by
//
//	Δ·(λ·(s + W/(R+Δ)) − P·W/(R·(R+Δ))),
//
// which is not positive as long as λ·(s·(R+Δ) + W) ≤ ρ·W: billed pro rata, a
// sum may be that much dearer for its rate and still dominate. So it is the
// excess P − λ·R that is compared, with λ = ρ·W/(s·R_all + W). Without start-up
// λ = ρ, the excess of the best VM type is 0 and all its VMs belong to every
// frontier point; and prices all but proportional to speed, for which price and
// rate alone keep nearly everything, are as easy as any.
//
// A frontier may still have more points than anybody could be shown: with a
// start-up, or billing in steps, and prices proportional to speed, every sum is
// one. Beyond crowd sums, those are dropped that cost less than a fraction
// below a faster one. What all the droppings may add up to is the resolution
// returned.
func (p problem) pooled(crowd int) (front []Configuration, resolution float64) {
	u := p.ramp()
	t := newTrail(len(p.offers))
	sums := []sum{{}}
	var wide, next []sum
	for _, i := range p.byPricePerRate() {
		for _, lot := range portions(p.offers[i].limit) {
			more := u.of(p.offers[i], lot.vms)
			wide = append(wide[:0], sums...)
			for range lot.times {
				next = t.widen(u, sums, wide, next[:0], more, i, lot.vms)
				wide, next = next, wide
			}
			sums, wide = wide, sums
			var dropped float64
			sums, dropped = u.thin(sums, crowd)
			resolution += dropped
		}
	}
	return p.configurations(sums, u, t), resolution
}

// crowded is the crowd of sums from which on they are thinned out.
const crowded = 1 << 14

// thin drops sums until they are no crowd: those that save less than a fraction
// of the price of a faster one. It returns what that may add up to, again as a
// fraction of the price that is kept.
func (u ramp) thin(sums []sum, crowd int) (thinned []sum, lost float64) {
	price := func(s sum) float64 {
		return float64(s.excess)/u.priceUnits + u.usdPerRate*float64(s.rate)/u.rateUnits
	}
	for fraction := 1e-6; len(sums) > crowd && fraction < 1; fraction *= 2 {
		kept := sums[:1]
		for _, s := range sums[1:] {
			if s.link == 0 || price(s) < (1-fraction)*price(kept[len(kept)-1]) {
				kept = append(kept, s)
			}
		}
		sums, lost = kept, lost+fraction
	}
	return sums, lost
}

// byPricePerRate lists the offers, the best value first.
func (p problem) byPricePerRate() []int {
	return p.ordered(func(o offer) float64 { return o.usd / o.rate() })
}

// ordered are the places of the offers by a rising value, equal ones in their order.
func (p problem) ordered(value func(offer) float64) []int {
	order := make([]int, len(p.offers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value(p.offers[a]), value(p.offers[b])) })
	return order
}

// ramp is the price per rate that sums may pay without being dominated for it,
// and the units of their integers.
type ramp struct {
	usdPerRate float64 // λ
	rateUnits  float64 // integer per unit of rate
	priceUnits float64 // integer per $/s
	slope      float64 // λ in these units
}

func (p problem) ramp() ramp {
	least, all, start := math.Inf(1), 0.0, 0.0
	for _, o := range p.offers {
		least = math.Min(least, o.usd/o.rate())
		all += float64(o.limit) * o.rate()
		start = o.startupS
	}
	u := ramp{rateUnits: scale(all)}
	if p.proRata(start + p.units/all) {
		u.usdPerRate = least * p.units / (start*all + p.units)
	}
	excess := 0.0
	for _, o := range p.offers {
		excess += float64(o.limit*o.gpus) * u.excess(o)
	}
	u.priceUnits = scale(excess)
	u.slope = u.usdPerRate * u.priceUnits / u.rateUnits
	return u
}

// noise is by how much two sums of equal price and rate may differ in what is
// beyond the ramp: the last bits of the prices, and what units round away of
// every GPU.
func (u ramp) noise(s sum) int64 {
	price := float64(s.excess) + u.slope*float64(s.rate)
	return int64(price*0x1p-46) + 16*int64(s.vms)
}

// proRata says whether no VM is billed for more than it is rented, for this
// long or longer.
func (p problem) proRata(seconds float64) bool {
	return !slices.ContainsFunc(p.offers, func(o offer) bool {
		return o.billing.GranularityS > 0 || o.billing.MinimumS > seconds
	})
}

// scale is a power of two that makes an integer below 2^60 of the amount, so
// that no sum overflows. A power of two costs an amount none of its digits.
func scale(amount float64) float64 {
	if amount == 0 {
		return 1
	}
	_, exponent := math.Frexp(amount)
	return math.Ldexp(1, 60-exponent)
}

// excess is the price of one GPU beyond the ramp. What is left of a price by
// rounding is nothing.
func (u ramp) excess(o offer) float64 {
	price := o.usd / float64(o.gpus)
	beyond := price - u.usdPerRate*o.gpuRate
	if beyond <= 1e-12*price {
		return 0
	}
	return beyond
}

// of is the sum of so many VMs. GPUs are counted after rounding, so that VM
// types which differ in nothing but the number of GPUs stay multiples of one
// another.
func (u ramp) of(o offer, vms int) sum {
	gpus := int64(vms * o.gpus)
	return sum{
		rate:   gpus * max(1, int64(math.Round(o.gpuRate*u.rateUnits))),
		excess: gpus * int64(math.Round(u.excess(o)*u.priceUnits)),
		vms:    int32(vms),
	}
}

// widen appends to out the non-dominated among sums, and base with more added:
// so many VMs of an offer. Sums come and go by falling rate and falling excess.
//
//nolint:revive // in the inner loop, where a struct of these costs time
func (t *trail) widen(u ramp, sums, base, out []sum, more sum, offer, vms int) []sum {
	least, fastest := int64(math.MaxInt64), int64(-1)
	beaten := func(s sum) bool {
		return s.excess >= least || s.rate == fastest && s.excess >= least-u.noise(s)
	}
	for i, j := 0, 0; i < len(sums) || j < len(base); {
		var wide sum
		takeWide := false
		if j < len(base) {
			wide = sum{base[j].rate + more.rate, base[j].excess + more.excess, base[j].vms + more.vms, base[j].link}
			takeWide = i == len(sums) || !t.before(u, sums[i], wide, offer, vms)
		}
		if takeWide {
			j++
			if !beaten(wide) {
				least, fastest = wide.excess, wide.rate
				wide.link = t.add(wide.link, offer, vms)
				out = append(out, wide)
			}
			continue
		}
		if !beaten(sums[i]) {
			least, fastest = sums[i].excess, sums[i].rate
			out = append(out, sums[i])
		}
		i++
	}
	return out
}

// before says whether a sum comes before one that adds VMs to its link: the
// faster, the cheaper, the smaller.
func (t *trail) before(u ramp, a, wide sum, offer, vms int) bool {
	if a.rate != wide.rate {
		return a.rate > wide.rate
	}
	if away := a.excess - wide.excess; max(away, -away) > u.noise(wide) {
		return away < 0
	}
	return t.less(a.vms, wide.vms, a.link, wide.link, offer, vms)
}

// configurations turns sums by falling rate into a frontier. Most fall out
// before they are written down.
func (p problem) configurations(sums []sum, u ramp, t *trail) []Configuration {
	counts := make([]int, len(p.offers))
	var out []Configuration
	cheapest := math.Inf(1)
	first := p.offers[0] // all start and are billed alike
	for _, s := range sums {
		if s.link == 0 {
			continue
		}
		rate := float64(s.rate) / u.rateUnits
		seconds := first.startupS + p.units/rate
		usd := (float64(s.excess)/u.priceUnits + u.usdPerRate*rate) * first.billing.billed(seconds)
		if usd <= cheapest*(1+equal) {
			cheapest = math.Min(cheapest, usd)
			out = append(out, p.configuration(t.counts(s.link, counts)))
		}
	}
	return sweep(out)
}

// trail remembers how partial sums came about: each link adds VMs of one offer
// to an earlier link. Sums carry the number of their link, so that they stay
// small; link 0 is the empty sum.
type trail struct {
	links []link
	a, b  []int // scratch: counts of two links under comparison
}

type link struct {
	before int32
	offer  int16
	count  int32
}

func newTrail(offers int) *trail {
	return &trail{links: make([]link, 1, 64), a: make([]int, offers), b: make([]int, offers)}
}

// add makes the link of so many more VMs after a link.
func (t *trail) add(before int32, offer, count int) int32 {
	t.links = append(t.links, link{before, int16(offer), int32(count)})
	return int32(len(t.links) - 1)
}

// counts writes the VMs of each offer that lead to a link.
func (t *trail) counts(at int32, into []int) []int {
	clear(into)
	for ; at != 0; at = t.links[at].before {
		l := t.links[at]
		into[l.offer] += int(l.count)
	}
	return into
}

// less orders two ways to the same sum, of which the second adds more VMs to
// its link: by VMs, then by counts, as [better] does.
//
//nolint:revive // in the inner loop, where a struct of these costs time
func (t *trail) less(aVMs, bVMs int32, a, b int32, bOffer, bMore int) bool {
	if aVMs != bVMs {
		return aVMs < bVMs
	}
	counts := t.counts(b, t.b)
	counts[bOffer] += bMore
	return slices.Compare(t.counts(a, t.a), counts) < 0
}

// portion is a step in going from sums without a VM type to sums with any
// number up to its limit: 0 to times lots of so many VMs.
type portion struct{ vms, times int }

// portions cut a limit into such steps. Where limit + 1 has small factors every
// number of VMs comes about in one way only (for 8: 0 to 2 lots of 1 and 0 to 2
// lots of 3), else some in two, as 1 + 2 + 4 and the rest have it.
func portions(limit int) []portion {
	var out []portion
	lot, left := 1, limit+1
	for _, factor := range []int{2, 3, 5} {
		for ; left%factor == 0; left /= factor {
			out = append(out, portion{lot, factor - 1})
			lot *= factor
		}
	}
	if left == 1 {
		return out
	}
	out = out[:0]
	for step := 1; limit > 0; step *= 2 {
		out = append(out, portion{min(step, limit), 1})
		limit -= min(step, limit)
	}
	return out
}
