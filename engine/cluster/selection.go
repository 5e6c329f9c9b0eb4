package cluster

import (
	"cmp"
	"math"
	"slices"
)

// Selection holds the frontiers within limits, by rising time. One configuration
// represents all that are equal in the objectives of its list. A variant of unknown
// accuracy is on the time–cost frontier only, and only if none of known accuracy has
// the same time and cost.
type Selection struct {
	TimeCost         []Configuration // over all variants
	TimeCostAccuracy []Configuration // the frontier of all three objectives

	space Space
}

// Within lists the frontiers within limits.
func (f *Frontiers) Within(l Limits) Selection {
	s := Selection{space: f.space}
	allowed := make([]bool, len(f.space.Variants))
	for i := range allowed {
		allowed[i] = f.space.goodEnough(i, l.WorstAccuracy)
	}
	cheapest := math.Inf(1)
	stairs := staircase(slices.Repeat([]float64{math.Inf(1)}, slices.Max(f.ranks)+1))
	for i := range f.byTime {
		c := &f.byTime[i]
		if !within(c.Seconds, l.MaxSeconds) {
			break // nor is any after it
		}
		if !allowed[c.Variant] || !within(c.USD, l.MaxUSD) {
			continue
		}
		rank := f.ranks[c.Variant]
		switch {
		case c.USD < cheapest*(1-equal):
			cheapest = c.USD
			s.TimeCost = replaceTwin(s.TimeCost, *c)
		case rank >= 0:
			s.preferKnown(*c)
		}
		if rank >= 0 && stairs.lower(rank, c.USD) {
			s.TimeCostAccuracy = append(s.withoutTwins(*c), *c)
		}
	}
	return s
}

// replaceTwin appends a configuration that is cheaper than the last one of the list,
// in whose place it comes if it takes no longer.
func replaceTwin(list []Configuration, c Configuration) []Configuration {
	if n := len(list); n > 0 && c.Seconds <= list[n-1].Seconds*(1+equal) {
		list[n-1] = c
		return list
	}
	return append(list, c)
}

// preferKnown puts a configuration of known accuracy in the place of one of
// unknown accuracy that takes and costs the same.
func (s Selection) preferKnown(c Configuration) {
	n := len(s.TimeCost)
	if last := s.TimeCost[n-1]; about(c.Seconds, last.Seconds) == 0 && about(c.USD, last.USD) == 0 {
		if _, known := s.space.quality(last.Variant); !known {
			s.TimeCost[n-1] = c
		}
	}
}

// withoutTwins is the three-objective frontier without those at its end that c
// beats although they seem faster in the last bits.
func (s Selection) withoutTwins(c Configuration) []Configuration {
	list := s.TimeCostAccuracy
	from := len(list)
	for from > 0 && c.Seconds <= list[from-1].Seconds*(1+equal) {
		from--
	}
	if from == len(list) {
		return list
	}
	kept := slices.DeleteFunc(slices.Clone(list[from:]), func(twin Configuration) bool {
		return s.space.compareQuality(twin.Variant, c.Variant) <= 0 && about(c.USD, twin.USD) <= 0
	})
	return append(list[:from], kept...)
}

// qualityRanks numbers the accuracies there are, the worst 0, and gives each
// variant the number of its own; -1 where it is unknown.
func (s Space) qualityRanks() []int {
	var levels []float64
	for i := range s.Variants {
		if q, known := s.quality(i); known {
			levels = append(levels, q)
		}
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)
	ranks := make([]int, len(s.Variants))
	for i := range ranks {
		ranks[i] = -1
		if q, known := s.quality(i); known {
			ranks[i], _ = slices.BinarySearch(levels, q)
		}
	}
	return ranks
}

// staircase knows the least cost so far at each accuracy or a better one.
type staircase []float64

// lower notes a cost at a rank and says whether it is the least there.
func (s staircase) lower(rank int, usd float64) bool {
	if !(usd < s[rank]*(1-equal)) {
		return false
	}
	for ; rank >= 0 && usd < s[rank]; rank-- {
		s[rank] = usd
	}
	return true
}

// MostAccurate is the configuration of the best accuracy, of equal ones the
// cheapest and then the fastest; ok is false where none within the limits has a
// known accuracy.
func (s Selection) MostAccurate() (best Configuration, ok bool) {
	for i, c := range s.TimeCostAccuracy {
		if i == 0 || cmp.Or(s.space.compareQuality(best.Variant, c.Variant), about(c.USD, best.USD),
			about(c.Seconds, best.Seconds)) < 0 {
			best = c
		}
	}
	return best, len(s.TimeCostAccuracy) > 0
}

// compareQuality orders variants by accuracy, unknown ones last.
func (s Space) compareQuality(a, b int) int {
	qa, _ := s.quality(a)
	qb, _ := s.quality(b)
	return cmp.Compare(qa, qb)
}

// about compares amounts that may differ in the last bits.
func about(a, b float64) int {
	if math.Abs(a-b) <= equal*math.Max(a, b) {
		return 0
	}
	return cmp.Compare(a, b)
}

// Greedy is Algorithm 1 of the study: TAR and CAR as heuristics. ok is false
// where it finds nothing, which does not say that there is nothing. By its lines:
//
//	1   versions by accuracy, the best first; of equal accuracy by rising TAR,
//	    the time being that on one VM of the first type that runs all versions
//	    (on the fastest type where none does: the study has one type only)
//	3   VM types by rising CAR: the cost of all the work on one VM of the type,
//	    over the accuracy. Types of equal CAR stay in the order given
//	4   start without a VM
//	5,6 add one VM more: every VM of a type counts as a g of its own, all of one
//	    type before those of the next. The printed R ← g is read as R ∪ {g},
//	    since line 7 distributes the work over several
//	7,8 share the work by the space's split, and compute T and C of all of R
//	9   T < T' and C < C', strictly; a limit that is not set always holds
//	10  the first R that holds them is the answer
//	14  else there is none
//
// What the study does not have: versions worse than the limit on accuracy, or of
// unknown accuracy, are left out. At accuracy 0 the ratios have no meaning, nor
// where lower is better: then time and cost alone order.
func (s Space) Greedy(l Limits) (found Configuration, ok bool) {
	for _, variant := range s.versions(l) {
		p := s.problem(variant)
		counts := make([]int, len(p.offers))
		for _, i := range p.byCAR() {
			for counts[i] < p.offers[i].limit {
				counts[i]++
				c := p.configuration(counts)
				if below(c.Seconds, l.MaxSeconds) && below(c.USD, l.MaxUSD) {
					return c, true
				}
			}
		}
	}
	return found, false
}

func below(v float64, limit *float64) bool { return limit == nil || v < *limit }

// versions is line 1.
func (s Space) versions(l Limits) []int {
	var order []int
	for i := range s.Variants {
		if _, known := s.quality(i); known && s.goodEnough(i, l.WorstAccuracy) && len(s.problem(i).offers) > 0 {
			order = append(order, i)
		}
	}
	reference := s.reference(order)
	slices.SortStableFunc(order, func(a, b int) int {
		// Of equal accuracy TAR orders as time does.
		return cmp.Or(-s.compareQuality(a, b), cmp.Compare(s.alone(a, reference), s.alone(b, reference)))
	})
	return order
}

// reference is the first VM type that runs all of the variants, -1 where none
// does.
func (s Space) reference(variants []int) int {
	for vm, v := range s.VMs {
		lacks := func(variant int) bool { return v.Limit == 0 || s.Variants[variant].Batches[vm] == Batch{} }
		if !slices.ContainsFunc(variants, lacks) {
			return vm
		}
	}
	return -1
}

// alone is the time of all the work on one VM of a type, of the fastest type if
// it is -1.
func (s Space) alone(variant, vm int) float64 {
	p := s.problem(variant)
	least := math.Inf(1)
	for i, o := range p.offers {
		if t := p.seconds(p.only(i)); vm == o.vm || vm < 0 {
			least = math.Min(least, t)
		}
	}
	return least
}

// byCAR is line 3. The accuracy is the same for all, so CAR orders as cost does.
func (p problem) byCAR() []int {
	order, usd := make([]int, len(p.offers)), make([]float64, len(p.offers))
	for i := range p.offers {
		order[i], usd[i] = i, p.configuration(p.only(i)).USD
	}
	slices.SortStableFunc(order, func(a, b int) int { return about(usd[a], usd[b]) })
	return order
}

// Gap is how far a configuration is from the best that is at least as accurate:
// the fraction of its time that could be saved at no more cost, and the fraction
// of its cost at no more time.
type Gap struct {
	Time, Cost      float64
	Faster, Cheaper Configuration // what saves them; the configuration itself where nothing does
}

// Gap holds a configuration, such as that of [Space.Greedy], against the exact
// frontiers.
func (f *Frontiers) Gap(c Configuration) Gap {
	g := Gap{Faster: c, Cheaper: c}
	for _, o := range f.byTime {
		if f.space.compareQuality(o.Variant, c.Variant) < 0 {
			continue
		}
		if about(o.USD, c.USD) <= 0 && about(o.Seconds, g.Faster.Seconds) < 0 {
			g.Faster = o
		}
		if about(o.Seconds, c.Seconds) <= 0 && about(o.USD, g.Cheaper.USD) < 0 {
			g.Cheaper = o
		}
	}
	g.Time = 1 - ratioOf(g.Faster.Seconds, c.Seconds)
	g.Cost = 1 - ratioOf(g.Cheaper.USD, c.USD)
	return g
}

// ratioOf is a over b; equal amounts, two zeros among them, are 1.
func ratioOf(a, b float64) float64 {
	if a == b {
		return 1
	}
	return a / b
}
