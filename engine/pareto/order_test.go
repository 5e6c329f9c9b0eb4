package pareto

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestKeyKeepsTheOrder(t *testing.T) {
	for _, a := range awkward {
		for _, b := range awkward {
			if math.IsNaN(a) || math.IsNaN(b) {
				continue
			}
			if (a < b) != (key(a) < key(b)) || (a == b) != (key(a) == key(b)) {
				t.Errorf("%v and %v have keys %x and %x", a, b, key(a), key(b))
			}
		}
	}
}

// TestSortItems sorts keys that differ in all bits, in few, in crowds, and not
// at all.
func TestSortItems(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(0, 10), rapid.IntRange(250, 280)).Draw(t, "n")
		mask := rapid.SampledFrom([]uint64{0, 1, 7, 0x7ff, 0x3fffff, 0xff0000000000000f, 1<<63 | 3,
			math.MaxUint64}).Draw(t, "bits")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		items := make([]item, n)
		for i := range items {
			items[i] = item{key: 0x5555 ^ rng.Uint64()&mask, at: uint32(i), note: uint32(3 * i)}
		}
		want := slices.Clone(items)
		slices.SortStableFunc(want, func(a, b item) int { return cmp.Compare(a.key, b.key) })
		sortItems(items, make([]item, n))
		if !slices.Equal(items, want) {
			t.Fatalf("%d items of bits %x are out of order", n, mask)
		}
	})
}
