package rank

import (
	"cmp"
	"math"
	"slices"
)

// sort orders the candidates by rising keys, the unknown ones last; equal ones by
// the other objectives in the order of the columns, then as they stand. It goes by
// 24 bits of each key first, which takes half of the time that sorting all of them
// does: 16 and 33 ms for a million.
func (s *Space) sort(key func(i int) float64) []int32 {
	packed, spare := make([]uint64, s.Len()), make([]uint64, s.Len())
	for i := range packed {
		packed[i] = uint64(rough(key(i)))<<32 | uint64(uint32(i))
	}
	packed = radix(packed, spare)
	out := make([]int32, len(packed))
	for k, p := range packed {
		out[k] = int32(uint32(p))
	}
	// What is rounded alike stands in runs, which are sorted by all there is.
	for from, to := 0, 0; from < len(out); from = to {
		for to = from + 1; to < len(out) && packed[to]>>32 == packed[from]>>32; to++ {
		}
		if to > from+1 {
			slices.SortFunc(out[from:to], func(a, b int32) int { return s.compare(key, int(a), int(b)) })
		}
	}
	return out
}

func (s *Space) compare(key func(i int) float64, a, b int) int {
	if c := lastNaN(key(a), key(b)); c != 0 {
		return c
	}
	for k := range s.columns {
		if c := lastNaN(s.columns[k].turned[a], s.columns[k].turned[b]); c != 0 {
			return c
		}
	}
	return cmp.Compare(a, b)
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

// radix sorts by the upper half of the words, stably, in as many rounds as their
// range has digits. The result is in words or in spare.
func radix(words, spare []uint64) []uint64 {
	low, high := uint64(math.MaxUint32), uint64(0)
	for _, w := range words {
		if v := w >> 32; v != math.MaxUint32 { // NaN
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return words
	}
	place := func(w uint64) uint64 { return min(w>>32, high+1) - low } // NaN just above the others
	for shift := 0; (high+1-low)>>shift > 0; shift += digit {
		var counts [1 << digit]int32
		for _, w := range words {
			counts[place(w)>>shift&(1<<digit-1)]++
		}
		sum := int32(0)
		for d, n := range counts {
			counts[d], sum = sum, sum+n
		}
		for _, w := range words {
			d := place(w) >> shift & (1<<digit - 1)
			spare[counts[d]] = w
			counts[d]++
		}
		words, spare = spare, words
	}
	return words
}

// digit is how many bits a round of radix sorts by: so many counts fit the
// nearest cache.
const digit = 11
