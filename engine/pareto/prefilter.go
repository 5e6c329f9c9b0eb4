package pareto

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// prefilter knows a sample of a set of points. It drops most of what the sample
// dominates, at the price of a look-up a point, and distributes what is left to the
// buckets of the first objective, which can then be sorted each by itself.
type prefilter struct {
	columns, rows *splitters // rows only of three objectives
	// least holds, for a bucket of the columns and one of the rows, the least of
	// the last objective among the sampled points that lie at or before the
	// beginning of both. What is above it is dominated.
	least []float64
	// pivot is a sampled point that dominates many: most points of an easy set
	// need no look-up.
	pivot [3]float64
}

// buckets is into how many an axis is cut.
const buckets = 64

// splitters divide an axis: bucket b holds the keys from the one before b on that are
// less than its own. The last is not used.
type splitters [buckets]uint64

// bucket returns the bucket of a key: a binary search, unrolled so that the
// compiler leaves no branch in it that the processor would have to guess.
func (c *splitters) bucket(k uint64) int {
	b := 0
	if c[31] <= k {
		b = 32
	}
	if next := b + 16; c[(next-1)%buckets] <= k {
		b = next
	}
	if next := b + 8; c[(next-1)%buckets] <= k {
		b = next
	}
	if next := b + 4; c[(next-1)%buckets] <= k {
		b = next
	}
	if next := b + 2; c[(next-1)%buckets] <= k {
		b = next
	}
	if next := b + 1; c[(next-1)%buckets] <= k {
		b = next
	}
	return b
}

// after returns the first bucket that begins at k or later; buckets if none does.
func (c *splitters) after(k uint64) int {
	at, _ := slices.BinarySearch(c[:buckets-1], k)
	return at + 1
}

// quantiles cuts an axis into buckets that hold about as many of the values
// each, but for the first six, which double up to that: nothing can be dropped
// from the first, so it is to be small. There is at least one value and none is
// NaN.
func quantiles(values []float64) *splitters {
	keys := make([]uint64, len(values))
	for i, v := range values {
		keys[i] = key(v)
	}
	slices.Sort(keys)
	const small = 6
	c := new(splitters)
	for b := range buckets - 1 {
		share := 1.0 / buckets
		if b < small {
			share /= float64(int(2) << (small - 1 - b))
		} else {
			share += (1 - share) * float64(b+1-small) / (buckets - small)
		}
		c[b] = keys[int(share*float64(len(keys)))]
	}
	return c
}

// sampled draws n points that hold no NaN, fewer where NaNs abound. Where they
// are drawn follows from the number of points alone: the same set gives the same
// sample, and no order of the points is in step with it by design.
func sampled(n int, columns ...[]float64) [][]float64 {
	rng := rand.New(rand.NewPCG(uint64(len(columns[0])), 1))
	drawn := make([][]float64, len(columns))
	if len(columns[0]) == 0 {
		return drawn
	}
	for range n {
		i := rng.IntN(len(columns[0]))
		if !known(i, columns...) {
			continue
		}
		for k, c := range columns {
			drawn[k] = append(drawn[k], c[i])
		}
	}
	return drawn
}

// newPrefilter learns the filter of two or three objectives. It is nil if the sample
// is empty.
func newPrefilter(t tuning, columns ...[]float64) *prefilter {
	drawn := sampled(t.sample, columns...)
	if len(drawn[0]) == 0 {
		return nil
	}
	split := make([]*splitters, len(drawn))
	for k, column := range drawn {
		split[k] = quantiles(column)
	}
	s := &prefilter{columns: split[0], pivot: pivotOf(drawn, split)}
	wide := 1
	if len(columns) == 3 {
		s.rows, wide = split[1], buckets
	}
	s.least = slices.Repeat([]float64{math.Inf(1)}, buckets*wide)
	last := drawn[len(drawn)-1]
	for i, x := range drawn[0] {
		col, row := s.columns.after(key(x)), 0
		if s.rows != nil {
			row = s.rows.after(key(drawn[1][i]))
		}
		if col < buckets && row < buckets {
			s.least[col*wide+row] = min(s.least[col*wide+row], last[i])
		}
	}
	for b := range s.least { // what reaches a bucket reaches all after it
		if b >= wide {
			s.least[b] = min(s.least[b], s.least[b-wide])
		}
		if b%wide > 0 {
			s.least[b] = min(s.least[b], s.least[b-1])
		}
	}
	return s
}

// pivotOf returns the drawn point whose worst bucket in an objective is best.
func pivotOf(drawn [][]float64, split []*splitters) (point [3]float64) {
	best, worst := 0, buckets
	for i := range drawn[0] {
		bucket := 0
		for k, column := range drawn {
			bucket = max(bucket, split[k].bucket(key(column[i])))
		}
		if bucket < worst {
			best, worst = i, bucket
		}
	}
	for k, column := range drawn {
		point[k] = column[best]
	}
	return point
}

// classify2 gives the bucket of each of the points, plus 1; 0 drops it: it is
// dominated or not a number.
func (s *prefilter) classify2(into []uint8, x, y []float64) {
	y, into = y[:len(x)], into[:len(x)]
	px, py := s.pivot[0], s.pivot[1]
	for i, v := range x {
		if y[i] > py && v >= px {
			into[i] = 0
			continue
		}
		b := s.columns.bucket(key(v))
		into[i] = uint8((b + 1) & -one(y[i] <= s.least[b]) & -one(v == v))
	}
}

// classify3 is classify2 for three objectives.
func (s *prefilter) classify3(into []uint8, x, y, z []float64) {
	y, z, into = y[:len(x)], z[:len(x)], into[:len(x)]
	px, py, pz := s.pivot[0], s.pivot[1], s.pivot[2]
	for i, v := range x {
		u, w := y[i], z[i]
		if w > pz && u >= py && v >= px {
			into[i] = 0
			continue
		}
		b := s.columns.bucket(key(v))
		into[i] = uint8((b + 1) & -one(w <= s.least[b*buckets+s.rows.bucket(key(u))]) & -one(v == v) & -one(u == u))
	}
}

// known reports whether point i holds no NaN.
func known(i int, columns ...[]float64) bool {
	for _, c := range columns {
		if math.IsNaN(c[i]) {
			return false
		}
	}
	return true
}

// one is 1 if b, else 0; the compiler makes it an instruction without a branch.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// partitioned are points in buckets of rising x: those of bucket b, by rising index,
// are items[ends[b-1]:ends[b]], keyed by x.
type partitioned struct {
	items []item
	ends  []int
	// rest holds y and z of three objectives; items note their place in it.
	rest []rest
}

type rest struct{ y, z float64 }

func (d *partitioned) start(b int) int {
	if b == 0 {
		return 0
	}
	return d.ends[b-1]
}

// distribute makes items of the points that have a bucket.
func distribute(t tuning, bucket []uint8, columns ...[]float64) *partitioned {
	x := columns[0]
	chunks := t.chunks(len(x))
	counts := make([][buckets + 1]int, chunks)
	inParallel(chunks, func(c int) {
		from, to := chunk(len(x), c, chunks)
		for _, b := range bucket[from:to] {
			counts[c][b]++
		}
	})
	d := new(partitioned)
	sum := 0
	for b := 1; b <= buckets; b++ {
		for c := range counts {
			n := counts[c][b]
			counts[c][b] = sum
			sum += n
		}
		d.ends = append(d.ends, sum)
	}
	d.items = make([]item, sum)
	if len(columns) == 3 {
		d.rest = make([]rest, sum)
	}
	inParallel(chunks, func(c int) {
		from, to := chunk(len(x), c, chunks)
		place := &counts[c]
		for i, b := range bucket[from:to] {
			if b == 0 {
				continue
			}
			i, at := from+i, place[b]
			place[b]++
			d.items[at] = item{key(x[i]), uint32(i), uint32(at)}
			if d.rest != nil {
				d.rest[at] = rest{columns[1][i], columns[2][i]}
			}
		}
	})
	return d
}

// each calls work once for every bucket, of few points one after the other.
func (d *partitioned) each(t tuning, work func(b int)) {
	if t.chunks(len(d.items)) > 1 {
		inParallel(len(d.ends), work)
		return
	}
	for b := range d.ends {
		work(b)
	}
}

// partition distributes the points, without most of those that are dominated if there are
// many, and without those that hold a NaN.
func partition(t tuning, columns ...[]float64) *partitioned {
	n := len(columns[0])
	chunks := t.chunks(n)
	bucket := make([]uint8, n)
	var s *prefilter
	if n > t.serial {
		s = newPrefilter(t, columns...)
	}
	if s == nil {
		for i := range bucket {
			bucket[i] = uint8(one(known(i, columns...)))
		}
		return distribute(t, bucket, columns...)
	}
	inParallel(chunks, func(c int) {
		from, to := chunk(n, c, chunks)
		if len(columns) == 2 {
			s.classify2(bucket[from:to], columns[0][from:to], columns[1][from:to])
		} else {
			s.classify3(bucket[from:to], columns[0][from:to], columns[1][from:to], columns[2][from:to])
		}
	})
	return distribute(t, bucket, columns...)
}

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
		sortByKey(items)
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
			sortByKey(items[from:to])
		}
		from = to
	}
}

func sortByKey(items []item) {
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
