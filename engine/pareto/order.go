package pareto

import (
	"cmp"
	"math"
	"slices"
)

// item is a point on its way through a sort: its key, its index, and a note that
// goes with it.
type item struct {
	key      uint64
	at, note uint32
}

// key maps a number that is not NaN to an integer of the same order; −0 and +0
// share one.
func key(v float64) uint64 {
	b := math.Float64bits(v + 0) // −0 + 0 is +0
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// digit is the width in bits of a radix sort's digits: 2048 counters of 4 bytes
// fit the first-level cache beside what is moved.
const (
	digit  = 11
	digits = (64 + digit - 1) / digit
)

// sortItems sorts by rising key; equal keys stay in their order. spare is as long
// as items and is overwritten.
func sortItems(items, spare []item) {
	if len(items) < 512 {
		// Indices rise within equal keys before the sort, so they may as well
		// decide: an unstable sort is faster.
		slices.SortFunc(items, func(a, b item) int {
			return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at))
		})
		return
	}
	var counts [digits][1 << digit]uint32
	for i := range items {
		k := items[i].key
		for d := range digits {
			counts[d][k>>(d*digit)&(1<<digit-1)]++
		}
	}
	from, to := items, spare[:len(items)]
	for d := range digits {
		if counts[d][from[0].key>>(d*digit)&(1<<digit-1)] == uint32(len(items)) {
			continue // all share this digit
		}
		scatter(from, to, &counts[d], d*digit)
		from, to = to, from
	}
	if &from[0] != &items[0] {
		copy(items, from)
	}
}

// scatter moves the items to where the digit at shift puts them. The counts of
// its values become the places of the next item of each.
func scatter(from, to []item, counts *[1 << digit]uint32, shift int) {
	var sum uint32
	for v, n := range counts {
		counts[v] = sum
		sum += n
	}
	for _, it := range from {
		v := it.key >> shift & (1<<digit - 1)
		to[counts[v]] = it
		counts[v]++
	}
}
