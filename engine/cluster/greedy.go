package cluster

import (
	"cmp"
	"math"
	"slices"
)

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
	return slices.IndexFunc(s.vmIndices(), func(vm int) bool {
		return !slices.ContainsFunc(variants, func(v int) bool {
			return s.Variants[v].Batches[vm] == Batch{} ||
				s.VMs[vm].Limit == 0
		})
	})
}

func (s Space) vmIndices() []int {
	out := make([]int, len(s.VMs))
	for i := range out {
		out[i] = i
	}
	return out
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
