package cluster

import (
	"cmp"
	"math"
	"slices"
)

// equal is how far two times or two costs may lie apart, as a fraction, and
// still be one: far above what floating point loses in adding a few hundred
// VMs, far below a cent or a second.
const equal = 1e-10

// less puts configurations of one time and cost in order: the fewest VMs first,
// then the lowest counts, in the order of the VM types.
func less(a, b Configuration) bool {
	return cmp.Or(cmp.Compare(a.VMCount(), b.VMCount()), slices.Compare(a.Counts, b.Counts)) < 0
}

// sweep keeps the non-dominated configurations of one variant, by rising time
// and falling cost, and of those that are equal the smallest.
func sweep(all []Configuration) []Configuration {
	slices.SortFunc(all, func(a, b Configuration) int {
		return cmp.Or(cmp.Compare(a.Seconds, b.Seconds), cmp.Compare(a.USD, b.USD))
	})
	var front []Configuration
	cheapest := math.Inf(1)
	for i := 0; i < len(all); {
		best := i
		latest := all[i].Seconds * (1 + equal)
		for i++; i < len(all) && all[i].Seconds <= latest; i++ {
			if better(all[i], all[best]) {
				best = i
			}
		}
		if c := all[best]; c.USD < cheapest*(1-equal) {
			cheapest = c.USD
			front = append(front, c)
		}
	}
	return front
}

// better compares two configurations of the same time.
func better(a, b Configuration) bool {
	if math.Abs(a.USD-b.USD) <= equal*math.Max(a.USD, b.USD) {
		return less(a, b)
	}
	return a.USD < b.USD
}
