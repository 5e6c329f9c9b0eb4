package pareto

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// Len is the number of points.
func (ix *Index) Len() int { return len(ix.columns[0]) }

// Excluded is the number of points that are within no limits.
func (ix *Index) Excluded() int { return ix.excluded }

// RuledOut counts the points that break each limit; one may break several, and
// those excluded count like others. It costs a binary search a limit.
func (ix *Index) RuledOut(l Limits) []int {
	broken := make([]int, ix.dims())
	for k, c := range ix.cut(l) {
		if c != noLimit {
			broken[k] = ix.Len() - int(c)
		}
	}
	return broken
}

// Least returns the least value of each objective among the points within the
// limits; NaN if it is known of none. It looks at the non-dominated points alone.
func (ix *Index) Least(l Limits) []float64 {
	cut := ix.cut(l)
	least := make([]float64, ix.dims())
	for k := range least {
		least[k] = math.NaN()
		for _, i := range ix.least[k] {
			r := ix.row(i)
			if r[k] > cut[k] {
				break
			}
			if within(r, cut) {
				least[k] = ix.columns[k][i]
				break
			}
		}
	}
	return least
}

// Feasible makes a set, which has room for all points, that of the points within the
// limits, and returns how many they are: one pass over 4 bytes a point and objective.
func (ix *Index) Feasible(l Limits, feasible Set) int {
	cut := ix.cut(l)
	var total atomic.Int64
	parts := usual.chunks(ix.Len())
	inParallel(parts, func(c int) {
		from, to := chunk(len(feasible), c, parts)
		count := 0
		for k := from; k < to; k++ {
			var word uint64
			first := k * wordBits
			for i := first; i < min(first+wordBits, ix.Len()); i++ {
				word |= uint64(ix.ok(i, cut)) << (i - first)
			}
			feasible[k] = word
			count += bits.OnesCount64(word)
		}
		total.Add(int64(count))
	})
	return int(total.Load())
}

// ok is 1 if point i is within the limits, else 0.
func (ix *Index) ok(i int, cut []uint32) int {
	if len(cut) == 3 {
		r := (*[3]uint32)(ix.ranks[3*i:])
		return one(r[0] <= cut[0]) & one(r[1] <= cut[1]) & one(r[2] <= cut[2])
	}
	ok := 1
	for k, r := range ix.row(uint32(i)) {
		ok &= one(r <= cut[k])
	}
	return ok
}

// Move changes what Feasible said for the limits from, count points, to what it
// says for the limits to, and returns how many that are. It visits only the
// points between the two values of a limit that moved, or all if they are many,
// and none if nothing changes.
func (ix *Index) Move(from, to Limits, feasible Set, count int) int {
	old, cut := ix.cut(from), ix.cut(to)
	between := make([][]uint32, ix.dims())
	visits := 0
	for k := range between {
		low, high := ix.reach(min(old[k], cut[k])), ix.reach(max(old[k], cut[k]))
		between[k] = ix.order[k][low:high]
		visits += high - low
	}
	// A visit out of order costs about as much as four in order.
	if visits > ix.Len()/4 {
		return ix.Feasible(to, feasible)
	}
	for _, moved := range between {
		for _, i := range moved {
			was, ok := feasible.bit(int(i)), uint64(ix.ok(int(i), cut))
			feasible[i/wordBits] ^= (was ^ ok) << (i % wordBits)
			count += int(ok) - int(was)
		}
	}
	return count
}

// reach is how many points of an order a limit lets pass.
func (ix *Index) reach(cut uint32) int { return min(int(cut), ix.Len()) }
