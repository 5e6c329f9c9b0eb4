package pareto

import (
	"math"
	"slices"
	"sort"
)

// Limits are the most that each objective may be; nil is no limit. A point that
// is NaN in an objective breaks every limit on it, and a limit that is NaN is
// broken by all points. As everywhere in this package smaller is better: "at
// least v" on a column given to Negate is "at most −v".
type Limits [3]*float64

// Index answers for changing limits what the frontier of the points within them
// is, without looking at all points again. It is immutable and may be asked from
// several goroutines.
//
// It rests on two facts. Whoever is beaten in all objectives by a point is within
// no limits that the point breaks, so the points on a frontier of two objectives
// within limits on three are non-dominated in three, or tie with such a point in
// the two. And a point without a third objective counts only while that has no
// limit, so the frontier in two of such points among themselves completes them.
//
// It takes 24 bytes a point, and 40 more for each that is non-dominated in three
// objectives or ties with such a point in two: about 25 MB for a million points as
// a rule, 64 MB if that holds for all. The columns are kept beside that, not copied.
type Index struct {
	columns [3][]float64
	// order of each objective: indices by rising value, equal ones by index, NaNs
	// at the end, the first known of them not NaN.
	order [3][]uint32
	known [3]int
	// ranks of a point: 1 and how many points are less. Limits are ranks as well,
	// so that a comparison needs neither floating point nor care for NaN.
	ranks    [][3]uint32
	excluded int

	whole []uint32   // non-dominated in three objectives, in Frontier3D's order
	pairs [3][]entry // what may be on a frontier of the two objectives that are not it
	lone  [3]uint32  // the least rank of points that know this objective alone
}

// entry is a point of a pair of objectives and the third, with the ranks a query
// looks at side by side. Its list is by rising first, then second, then index.
type entry struct{ at, second, third uint32 }

const (
	noLimit  = math.MaxUint32 - 1 // the rank of NaN, which only noLimit lets pass
	excluded = math.MaxUint32     // which nothing lets pass
)

// NewIndex makes the index of the points (x[i], y[i], z[i]); z is nil where there
// are two objectives. Points of never are within no limits; it may be nil. The
// columns must not change afterwards.
func NewIndex(x, y, z []float64, never []bool) *Index { return newIndex(x, y, z, never, usual) }

func newIndex(x, y, z []float64, never []bool, t tuning) *Index {
	n := len(x)
	if z == nil {
		z = make([]float64, n)
		for i := range z {
			z[i] = math.NaN()
		}
	}
	ix := &Index{columns: [3][]float64{x, y[:n], z[:n]}, ranks: make([][3]uint32, n)}
	spare := make([]item, n)
	for k, column := range ix.columns {
		ix.order[k], ix.known[k] = rising(column, spare, t)
		ix.lone[k] = noLimit
	}
	ix.rank()
	open := func(i int) bool { return never == nil || !never[i] }
	ix.whole = toUint32(frontier3D(only(x, open), y, z, t))
	for k := range ix.pairs {
		ix.pairs[k] = ix.pair(k, open, t)
	}
	for i := range n {
		if !open(i) {
			ix.excluded++
			ix.ranks[i][0] = excluded
			continue
		}
		r := &ix.ranks[i]
		for k := range r {
			if a, b := others(k); r[a] == noLimit && r[b] == noLimit {
				ix.lone[k] = min(ix.lone[k], r[k])
			}
		}
	}
	return ix
}

// others are the two objectives that k is not, in order.
func others(k int) (a, b int) { return (2 - k) / 2, 2 - k/2 }

// rising sorts the indices of a column and says how many are not NaN; spare is as
// long as the column.
func rising(column []float64, spare []item, t tuning) (order []uint32, known int) {
	bucket := make([]uint8, len(column))
	cut := new(cuts)
	chunks := t.chunks(len(column))
	if chunks > 1 {
		if drawn := sampled(t.sample, column)[0]; len(drawn) > 0 {
			cut = quantiles(drawn)
		}
	}
	share(chunks, func(c int) {
		from, to := chunk(len(column), c, chunks)
		for i := from; i < to; i++ {
			v := column[i]
			bucket[i] = uint8((cut.bucket(key(v)) + 1) & -one(v == v))
		}
	})
	d := deal(t, bucket, column)
	order = make([]uint32, len(d.items), len(column))
	d.each(t, func(b int) {
		from, to := d.start(b), d.ends[b]
		sortItems(d.items[from:to], spare[from:to])
		for i, it := range d.items[from:to] {
			order[from+i] = it.at
		}
	})
	for i, b := range bucket {
		if b == 0 {
			order = append(order, uint32(i))
		}
	}
	return order, len(d.items)
}

// rank fills in the ranks from the orders.
func (ix *Index) rank() {
	share(3, func(k int) {
		column, order := ix.columns[k], ix.order[k]
		first := 0
		for place, i := range order[:ix.known[k]] {
			if column[i] != column[order[first]] {
				first = place
			}
			ix.ranks[i][k] = uint32(first + 1)
		}
		for _, i := range order[ix.known[k]:] {
			ix.ranks[i][k] = noLimit
		}
	})
}

// only is the column with NaN where keep is false; a copy, unless it keeps all.
func only(column []float64, keep func(i int) bool) []float64 {
	var kept []float64
	for i := range column {
		if keep(i) {
			continue
		}
		if kept == nil {
			kept = slices.Clone(column)
		}
		kept[i] = math.NaN()
	}
	if kept == nil {
		return column
	}
	return kept
}

func toUint32(from []int) []uint32 {
	to := make([]uint32, len(from))
	for k, i := range from {
		to[k] = uint32(i)
	}
	return to
}

// pair lists what can be on a frontier of the two objectives that are not c
// within some limits.
func (ix *Index) pair(c int, open func(i int) bool, t tuning) []entry {
	a, b := others(c)
	var members []uint32
	if ix.known[c] < len(ix.ranks) {
		members = toUint32(frontier2D(only(ix.columns[a], func(i int) bool {
			return open(i) && ix.ranks[i][c] == noLimit
		}), ix.columns[b], t))
	}
	members = append(members, ix.whole...)
	spots := newSpots(len(members), len(ix.ranks))
	for _, i := range members {
		spots.add(ix.ranks[i][a], ix.ranks[i][b])
	}
	var items []item
	for i := range ix.ranks {
		if r := &ix.ranks[i]; spots.has(r[a], r[b]) && open(i) {
			items = append(items, item{key: uint64(r[a])<<32 | uint64(r[b]), at: uint32(i)})
		}
	}
	sortItems(items, make([]item, len(items)))
	list := make([]entry, len(items))
	for k, it := range items {
		list[k] = entry{it.at, ix.ranks[it.at][b], ix.ranks[it.at][c]}
	}
	return list
}

// cut turns limits into ranks: a point is within a limit if its rank is at most
// that.
func (ix *Index) cut(l Limits) (cut [3]uint32) {
	for k, limit := range l {
		if limit == nil {
			cut[k] = noLimit
			continue
		}
		column, order := ix.columns[k], ix.order[k][:ix.known[k]]
		cut[k] = uint32(sort.Search(len(order), func(place int) bool {
			return !(column[order[place]] <= *limit)
		}))
	}
	return cut
}

// Rising returns the indices of all points by rising objective, equal ones by
// index and NaNs at the end. It must not be changed.
func (ix *Index) Rising(objective int) []uint32 { return ix.order[objective] }

// Frontier3D returns the non-dominated points within the limits, as Frontier3D
// over them would. It looks at the points that are non-dominated without limits.
func (ix *Index) Frontier3D(l Limits) []int {
	cut := ix.cut(l)
	var front []int
	for _, i := range ix.whole {
		if within(&ix.ranks[i], &cut) {
			front = append(front, int(i))
		}
	}
	return front
}

// Frontier2D returns the non-dominated points in two different objectives among
// the points within the limits, as Frontier2D over the columns a and b of these
// would. It looks at those that can be on it within any limits: a few dozen of a
// million uniform points, at worst all.
func (ix *Index) Frontier2D(a, b int, l Limits) []int {
	cut := ix.cut(l)
	first, second, third := min(a, b), max(a, b), 3-a-b
	var front []int
	best, at := uint32(noLimit), uint32(0)
	for _, e := range ix.upTo(third, first, cut[first]) {
		if e.second > best || e.second > cut[second] || e.third > cut[third] {
			continue
		}
		r := ix.ranks[e.at][first]
		if e.second == best && r != at {
			continue
		}
		best, at = e.second, r
		front = append(front, int(e.at))
	}
	if a > b {
		ix.turn(front, a)
	}
	return front
}

// upTo returns the entries of the pair without third whose first objective is
// within the limit on it.
func (ix *Index) upTo(third, first int, cut uint32) []entry {
	list := ix.pairs[third]
	return list[:sort.Search(len(list), func(i int) bool { return ix.ranks[list[i].at][first] > cut })]
}

// turn reverses a frontier, but for points that are equal.
func (ix *Index) turn(front []int, objective int) {
	reverse := func(s []int) {
		for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
			s[i], s[j] = s[j], s[i]
		}
	}
	reverse(front)
	for from := 0; from < len(front); {
		to := from + 1
		for to < len(front) && ix.ranks[front[to]][objective] == ix.ranks[front[from]][objective] {
			to++
		}
		reverse(front[from:to])
		from = to
	}
}

func within(r, cut *[3]uint32) bool { return r[0] <= cut[0] && r[1] <= cut[1] && r[2] <= cut[2] }
