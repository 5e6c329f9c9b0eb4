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
	stairs := newStaircase(f.ranks)
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

func newStaircase(ranks []int) staircase {
	s := make(staircase, slices.Max(ranks)+1)
	for i := range s {
		s[i] = math.Inf(1)
	}
	return s
}

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

// Objective is the objective in which a configuration is to be the best.
type Objective string

// The objectives. Ties go to the better accuracy, then the cost, then the time.
const (
	ByTime     Objective = "time"
	ByCost     Objective = "cost"
	ByAccuracy Objective = "accuracy"
)

// Best is the best configuration of the selection; ok is false where none is
// within the limits or, by accuracy, none has a known one.
func (s Selection) Best(o Objective) (best Configuration, ok bool) {
	list := s.TimeCostAccuracy
	if o != ByAccuracy {
		list = slices.Concat(list, s.TimeCost)
	}
	for i, c := range list {
		if i == 0 || s.space.prefer(c, best, o) < 0 {
			best = c
		}
	}
	return best, len(list) > 0
}

// prefer orders configurations by an objective; negative where a is better.
func (s Space) prefer(a, b Configuration, o Objective) int {
	accuracy := s.compareQuality(b.Variant, a.Variant)
	seconds, usd := about(a.Seconds, b.Seconds), about(a.USD, b.USD)
	switch o {
	case ByTime:
		return cmp.Or(seconds, accuracy, usd)
	case ByCost:
		return cmp.Or(usd, accuracy, seconds)
	}
	return cmp.Or(accuracy, usd, seconds)
}

// compareQuality orders variants by accuracy, unknown ones last.
func (s Space) compareQuality(a, b int) int {
	qa, aKnown := s.quality(a)
	qb, bKnown := s.quality(b)
	switch {
	case aKnown && bKnown:
		return cmp.Compare(qa, qb)
	case aKnown:
		return 1
	case bKnown:
		return -1
	}
	return 0
}

// about compares amounts that may differ in the last bits.
func about(a, b float64) int {
	if math.Abs(a-b) <= equal*math.Max(a, b) {
		return 0
	}
	return cmp.Compare(a, b)
}
