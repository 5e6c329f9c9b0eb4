package rank

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"sweetspot/engine/pareto"
)

// orders are the candidates of a space by what does not depend on limits, each
// found when it is first wanted.
type orders struct {
	mu    sync.Mutex
	by    map[Sort][]int32
	index *pareto.Index
}

func (s *Space) order(by Sort, keys func() []float64) []int32 {
	s.orders.mu.Lock()
	defer s.orders.mu.Unlock()
	if s.orders.by == nil {
		s.orders.by = map[Sort][]int32{}
	}
	if s.orders.by[by] == nil {
		s.orders.by[by] = s.sort(keys())
	}
	return s.orders.by[by]
}

// pareto is the index of the space, made when it is first wanted.
func (s *Space) pareto() *pareto.Index {
	s.orders.mu.Lock()
	defer s.orders.mu.Unlock()
	if s.orders.index == nil {
		s.orders.index = pareto.NewIndex(s.Time, s.Cost, s.Loss, s.barred)
	}
	return s.orders.index
}

// byValue are the candidates by rising time or cost, the unknown ones last.
func (s *Space) byValue(o Objective) []uint32 {
	if o == ObjectiveCost {
		return s.pareto().Rising(byCost)
	}
	return s.pareto().Rising(byTime)
}

// sort orders the candidates by rising keys, the unknown ones last; equal ones
// by time, cost and loss, then as they stand.
func (s *Space) sort(keys []float64) []int32 {
	packed := make([]uint64, len(keys))
	for i, k := range keys {
		packed[i] = uint64(rough(k))<<32 | uint64(uint32(i))
	}
	packed = radix(packed)
	out := make([]int32, len(keys))
	for k, p := range packed {
		out[k] = int32(uint32(p))
	}
	// What is rounded alike stands in runs, which are sorted by all there is.
	for from, to := 0, 0; from < len(out); from = to {
		for to = from + 1; to < len(out) && packed[to]>>32 == packed[from]>>32; to++ {
		}
		if to > from+1 {
			slices.SortFunc(out[from:to], func(a, b int32) int {
				return cmp.Or(lastNaN(keys[a], keys[b]), lastNaN(s.Time[a], s.Time[b]),
					lastNaN(s.Cost[a], s.Cost[b]), lastNaN(s.Loss[a], s.Loss[b]), cmp.Compare(a, b))
			})
		}
	}
	return out
}

// rough is a number whose order is that of the keys rounded to 24 bits, NaN
// being the largest.
func rough(key float64) uint32 {
	if math.IsNaN(key) {
		return math.MaxUint32
	}
	b := math.Float32bits(float32(key) + 0) // no negative zero
	if b>>31 == 1 {
		return ^b
	}
	return b | 1<<31
}

// radix sorts by the upper half of the words, stably.
func radix(words []uint64) []uint64 {
	if len(words) < 1<<12 {
		slices.Sort(words) // the lower halves rise already: this is stable too
		return words
	}
	other := make([]uint64, len(words))
	for _, shift := range [2]int{32, 48} {
		var at [1 << 16]int32
		for _, w := range words {
			at[uint16(w>>shift)]++
		}
		sum := int32(0)
		for d, n := range at {
			at[d], sum = sum, sum+n
		}
		for _, w := range words {
			d := uint16(w >> shift)
			other[at[d]] = w
			at[d]++
		}
		words, other = other, words
	}
	return words
}
