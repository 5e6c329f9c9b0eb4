package pareto

import (
	"math"
	"slices"
	"sort"
	"sync"
)

// Limits are the most that each objective may be; nil is no limit, as is a
// missing one at the end. A point that is NaN in an objective breaks every limit
// on it, and a limit that is NaN is broken by all points. As everywhere in this
// package smaller is better: "at least v" on a column given to Negate is "at most
// −v".
type Limits []*float64

// Index answers for changing limits what the frontier of the points within them
// is, without looking at all points again. It is immutable and may be asked from
// several goroutines.
//
// It rests on one fact. Let NaN count as the largest value there is. Whoever is
// beaten by a point that is nowhere worse is within no limits that the point
// breaks. So the points on a frontier of two objectives within limits on all of
// them are non-dominated in all, or tie with such a point in the two.
//
// It takes 8 bytes a point and objective, and for each that is non-dominated in
// all or ties with such a point in two, 12 bytes a pair of objectives and 4 an
// objective. Of three objectives that is about 25 MB for a million points as a
// rule, 72 MB if all are non-dominated. The columns are kept beside that, not
// copied.
type Index struct {
	columns [][]float64
	// order of each objective: indices by rising value, equal ones by index, NaNs
	// at the end, the first known of them not NaN.
	order [][]uint32
	known []int
	// ranks of a point, side by side: 1 and how many points are less. Limits are
	// ranks as well, so that a comparison needs neither floating point nor care for
	// NaN.
	ranks    []uint32
	excluded int

	whole []uint32   // non-dominated in all objectives, in Frontier's order
	least [][]uint32 // the same by rising objective, for each
	pairs [][]entry  // what may be on a frontier of two objectives, by pairOf
}

// entry is a point of a pair of objectives and its rank in the second. Of three
// objectives it also has the rank in the third, which a query looks at beside it.
// Its list is by rising first, then second, then index.
type entry struct{ at, second, third uint32 }

const (
	noLimit  = math.MaxUint32 - 1 // the rank of NaN, which only noLimit lets pass
	excluded = math.MaxUint32     // which nothing lets pass
)

// NewIndex makes the index of points given by at least two columns. Points of
// never are within no limits; it may be nil. The columns are united, see [Unite], and
// must not change afterwards.
func NewIndex(never []bool, columns ...[]float64) *Index { return newIndex(usual, never, columns) }

func newIndex(t tuning, never []bool, columns [][]float64) *Index {
	d, n := len(columns), len(columns[0])
	ix := &Index{
		columns: columns, order: make([][]uint32, d), known: make([]int, d), ranks: make([]uint32, n*d),
		least: make([][]uint32, d), pairs: make([][]entry, d*d),
	}
	for k, column := range columns {
		ix.order[k], ix.known[k] = rising(column, t)
		unite(column, ix.order[k][:ix.known[k]])
	}
	ix.rank()
	open := func(i int) bool { return never == nil || !never[i] }
	for _, i := range frontier(ix.unknownLast(open), t) {
		ix.whole = append(ix.whole, uint32(i))
	}
	ix.rise()
	for a := range d {
		for b := a + 1; b < d; b++ {
			ix.pairs[ix.pairOf(a, b)] = ix.pair(a, b, open)
		}
	}
	for i := range n {
		if !open(i) {
			ix.excluded++
			ix.ranks[i*d] = excluded
		}
	}
	return ix
}

func (ix *Index) dims() int { return len(ix.columns) }

// pairOf is the place of the pair of a and the larger b.
func (ix *Index) pairOf(a, b int) int { return a*ix.dims() + b }

// row is the ranks of point i.
func (ix *Index) row(i uint32) []uint32 { return ix.ranks[int(i)*ix.dims():][:ix.dims()] }

// unknownLast are the columns with a number above all others for NaN, but NaN in
// the first for points that are not open. Columns that need neither are
// themselves.
func (ix *Index) unknownLast(open func(i int) bool) [][]float64 {
	out := slices.Clone(ix.columns)
	for k, column := range ix.columns {
		if ix.known[k] == len(column) {
			continue
		}
		out[k] = make([]float64, len(column))
		for i := range column {
			out[k][i] = float64(ix.ranks[i*ix.dims()+k])
		}
	}
	out[0] = only(out[0], open)
	return out
}

// rise sorts what is non-dominated by each objective, without what is unknown in
// it.
func (ix *Index) rise() {
	spare := make([]item, len(ix.whole))
	for k := range ix.least {
		items := make([]item, 0, len(ix.whole))
		for _, i := range ix.whole {
			if r := ix.row(i)[k]; r != noLimit {
				items = append(items, item{key: uint64(r), at: i})
			}
		}
		sortItems(items, spare[:len(items)])
		ix.least[k] = make([]uint32, len(items))
		for place, it := range items {
			ix.least[k][place] = it.at
		}
	}
}

// rising sorts the indices of a column and says how many are not NaN.
func rising(column []float64, t tuning) (order []uint32, known int) {
	bucket := make([]uint8, len(column))
	split := new(splitters)
	chunks := t.chunks(len(column))
	if chunks > 1 {
		if drawn := sampled(t.sample, column)[0]; len(drawn) > 0 {
			split = quantiles(drawn)
		}
	}
	inParallel(chunks, func(c int) {
		from, to := chunk(len(column), c, chunks)
		for i := from; i < to; i++ {
			v := column[i]
			bucket[i] = uint8((split.bucket(key(v)) + 1) & -one(v == v))
		}
	})
	d := distribute(t, bucket, column)
	order = make([]uint32, len(d.items), len(column))
	var spares sync.Pool // of as many buckets as are sorted at once
	d.each(t, func(b int) {
		from, to := d.start(b), d.ends[b]
		spare, ok := spares.Get().(*[]item)
		if !ok || len(*spare) < to-from {
			spare = new(make([]item, to-from))
		}
		sortItems(d.items[from:to], (*spare)[:to-from])
		spares.Put(spare)
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

func (ix *Index) rank() {
	d := ix.dims()
	inParallel(d, func(k int) {
		column, order := ix.columns[k], ix.order[k]
		first := 0
		for place, i := range order[:ix.known[k]] {
			if column[i] != column[order[first]] {
				first = place
			}
			ix.ranks[int(i)*d+k] = uint32(first + 1)
		}
		for _, i := range order[ix.known[k]:] {
			ix.ranks[int(i)*d+k] = noLimit
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

// pair lists what can be on a frontier of the objectives a and the larger b
// within some limits.
func (ix *Index) pair(a, b int, open func(i int) bool) []entry {
	d := ix.dims()
	candidates := newRankPairs(len(ix.whole), len(ix.columns[0]))
	for _, i := range ix.whole {
		if r := ix.row(i); r[a] != noLimit && r[b] != noLimit {
			candidates.add(r[a], r[b])
		}
	}
	var items []item
	for i := range ix.columns[0] {
		if x, y := ix.ranks[i*d+a], ix.ranks[i*d+b]; candidates.has(x, y) && open(i) {
			items = append(items, item{key: uint64(x)<<32 | uint64(y), at: uint32(i)})
		}
	}
	sortItems(items, make([]item, len(items)))
	list := make([]entry, len(items))
	for k, it := range items {
		r := ix.row(it.at)
		list[k] = entry{at: it.at, second: r[b]}
		if d == 3 {
			list[k].third = r[3-a-b]
		}
	}
	return list
}

// cut turns limits into ranks: a point is within a limit if its rank is at most
// that.
func (ix *Index) cut(l Limits) []uint32 {
	cut := make([]uint32, ix.dims())
	for k := range cut {
		if k >= len(l) || l[k] == nil {
			cut[k] = noLimit
			continue
		}
		column, order := ix.columns[k], ix.order[k][:ix.known[k]]
		cut[k] = uint32(sort.Search(len(order), func(place int) bool {
			return !(column[order[place]] <= *l[k])
		}))
	}
	return cut
}

// Rising returns the indices of all points by rising objective, equal ones by
// index and NaNs at the end. It must not be changed.
func (ix *Index) Rising(objective int) []uint32 { return ix.order[objective] }

// Frontier returns the non-dominated points within the limits, as Frontier over
// them would: those that are known in all objectives. It looks at the points that
// are non-dominated without limits.
func (ix *Index) Frontier(l Limits) []int {
	return slices.DeleteFunc(ix.unbeaten(l), func(i int) bool { return slices.Contains(ix.row(uint32(i)), noLimit) })
}

// Unbeaten returns the points within the limits that no other of them is at most equal
// to in all and less in one, NaN counting as the largest value there is, by index.
func (ix *Index) Unbeaten(l Limits) []int {
	front := ix.unbeaten(l)
	slices.Sort(front)
	return front
}

func (ix *Index) unbeaten(l Limits) (front []int) {
	cut := ix.cut(l)
	for _, i := range ix.whole {
		if within(ix.row(i), cut) {
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
	first, second, third := min(a, b), max(a, b), uint32(noLimit)
	list := ix.pairs[ix.pairOf(first, second)]
	list = list[:sort.Search(len(list), func(i int) bool { return ix.row(list[i].at)[first] > cut[first] })]
	if len(cut) == 3 {
		third = cut[3-a-b]
	}
	var front []int
	best, at := uint32(noLimit), uint32(0)
	for _, e := range list {
		if e.second > best || e.second > cut[second] || e.third > third {
			continue
		}
		r := ix.row(e.at)
		if e.second == best && r[first] != at || len(cut) > 3 && !within(r, cut) {
			continue
		}
		best, at = e.second, r[first]
		front = append(front, int(e.at))
	}
	if a > b {
		ix.turn(front, a)
	}
	return front
}

// turn reverses a frontier, but for points that are equal.
func (ix *Index) turn(front []int, objective int) {
	slices.Reverse(front)
	for from := 0; from < len(front); {
		to := from + 1
		for to < len(front) && ix.row(uint32(front[to]))[objective] == ix.row(uint32(front[from]))[objective] {
			to++
		}
		slices.Reverse(front[from:to])
		from = to
	}
}

func within(ranks, cut []uint32) bool {
	for k, r := range ranks {
		if r > cut[k] {
			return false
		}
	}
	return true
}

// rankPairs is a set of ranks in two objectives. Most pairs that are asked for
// differ from all of them in one objective already, which a bitmap tells.
type rankPairs struct {
	a, b []uint64 // bitmaps of ranks
	all  map[uint64]struct{}
}

// newRankPairs makes room for n pairs of ranks up to highest.
func newRankPairs(n, highest int) *rankPairs {
	return &rankPairs{make([]uint64, highest/64+1), make([]uint64, highest/64+1), make(map[uint64]struct{}, n)}
}

func (s *rankPairs) add(a, b uint32) {
	s.a[a/64] |= 1 << (a % 64)
	s.b[b/64] |= 1 << (b % 64)
	s.all[uint64(a)<<32|uint64(b)] = struct{}{}
}

// has reports whether the pair was added. Ranks above the highest are those of NaN.
func (s *rankPairs) has(a, b uint32) bool {
	if int(a/64) >= len(s.a) || int(b/64) >= len(s.b) || s.a[a/64]>>(a%64)&1 == 0 || s.b[b/64]>>(b%64)&1 == 0 {
		return false
	}
	_, has := s.all[uint64(a)<<32|uint64(b)]
	return has
}
