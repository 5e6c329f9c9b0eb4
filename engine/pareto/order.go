package pareto

import (
	"cmp"
	"math"
	"math/bits"
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

// digit is the width in bits of a radix sort's digits.
const digit = 11

// sortItems sorts by rising key, then rising index. Items of one key come by
// rising index; spare is as long as items and is overwritten.
//
// It is a radix sort of the 22 highest bits in which keys differ. They tell apart
// nearly all keys that are not crowded; those they do not are then sorted
// among themselves.
func sortItems(items, spare []item) {
	if len(items) < 256 {
		settle(items)
		return
	}
	var differ uint64
	for i := range items {
		differ |= items[i].key ^ items[0].key
	}
	shift := uint(max(0, bits.Len64(differ)-2*digit))
	var low, high [1 << digit]uint32
	for i := range items {
		k := items[i].key >> shift
		low[k%(1<<digit)]++
		high[k>>digit%(1<<digit)]++
	}
	scatter(items, spare, &low, shift)
	scatter(spare, items, &high, shift+digit)
	if shift == 0 {
		return
	}
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && items[to].key>>shift == items[from].key>>shift {
			to++
		}
		if to > from+1 {
			settle(items[from:to])
		}
		from = to
	}
}

// settle sorts few items.
func settle(items []item) {
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at))
	})
}

// scatter moves the items to where the digit at shift puts them. The counts of
// its values become the places of the next item of each.
func scatter(from, to []item, counts *[1 << digit]uint32, shift uint) {
	var sum uint32
	for v, n := range counts {
		counts[v] = sum
		sum += n
	}
	for _, it := range from {
		v := it.key >> shift % (1 << digit)
		to[counts[v]] = it
		counts[v]++
	}
}
