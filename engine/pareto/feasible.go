package pareto

import (
	"math"
	"sync/atomic"
)

// Len is the number of points.
func (ix *Index) Len() int { return len(ix.ranks) }

// Excluded is the number of points that are within no limits.
func (ix *Index) Excluded() int { return ix.excluded }

// RuledOut counts the points that break each limit; one may break several, and
// those excluded count like others. It costs a binary search a limit.
func (ix *Index) RuledOut(l Limits) (broken [3]int) {
	for k, c := range ix.cut(l) {
		if c != noLimit {
			broken[k] = ix.Len() - int(c)
		}
	}
	return broken
}

// Least returns the least value of each objective among the points within the
// limits; NaN if it is known of none. It looks at no more points than
// Frontier2D does.
func (ix *Index) Least(l Limits) (least [3]float64) {
	cut := ix.cut(l)
	for k := range least {
		least[k] = math.NaN()
		rank := ix.leastRank(k, &cut)
		if rank < noLimit {
			least[k] = ix.columns[k][ix.order[k][rank-1]]
		}
	}
	return least
}

func (ix *Index) leastRank(k int, cut *[3]uint32) uint32 {
	least := uint32(noLimit)
	a, b := others(k)
	if cut[a] == noLimit && cut[b] == noLimit && ix.lone[k] <= cut[k] {
		least = ix.lone[k]
	}
	// Of those that know k and another objective, one of the least is on the
	// frontier of both.
	for third := range cut {
		first, second := others(third)
		if k == third {
			continue
		}
		for _, e := range ix.upTo(third, first, cut[first]) {
			if e.second > cut[second] || e.third > cut[third] {
				continue
			}
			if k == first { // the list rises in it: no later one is less
				least = min(least, ix.ranks[e.at][k])
				break
			}
			least = min(least, e.second)
		}
	}
	return least
}

// Feasible writes for every point whether it is within the limits, and returns
// how many are: one pass over 12 bytes a point.
func (ix *Index) Feasible(l Limits, feasible []bool) int {
	cut := ix.cut(l)
	feasible = feasible[:ix.Len()]
	var total atomic.Int64
	parts := usual.chunks(ix.Len())
	share(parts, func(c int) {
		from, to := chunk(ix.Len(), c, parts)
		count := 0
		into := feasible[from:to]
		for i := range into {
			ok := ix.ok(from+i, &cut)
			into[i] = ok != 0
			count += ok
		}
		total.Add(int64(count))
	})
	return int(total.Load())
}

// ok is 1 if point i is within the limits, else 0.
func (ix *Index) ok(i int, cut *[3]uint32) int {
	r := &ix.ranks[i]
	return one(r[0] <= cut[0]) & one(r[1] <= cut[1]) & one(r[2] <= cut[2])
}

// Move changes what Feasible said for the limits from, count points, to what it
// says for the limits to, and returns how many that are. It visits only the
// points between the two values of a limit that moved, or all if they are many,
// and none if nothing changes.
func (ix *Index) Move(from, to Limits, feasible []bool, count int) int {
	old, cut := ix.cut(from), ix.cut(to)
	var between [3][]uint32
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
			was, ok := one(feasible[i]), ix.ok(int(i), &cut)
			feasible[i] = ok != 0
			count += ok - was
		}
	}
	return count
}

// reach is how many points of an order a limit lets pass.
func (ix *Index) reach(cut uint32) int { return min(int(cut), ix.Len()) }
