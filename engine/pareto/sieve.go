package pareto

import (
	"math"
	"math/rand/v2"
	"slices"
)

// sieve knows a sample of a set of points. It drops most of what the sample
// dominates, at the price of a look-up a point, and deals what is left into the
// buckets of the first objective, which can then be sorted each by itself.
type sieve struct {
	columns, rows *cuts // rows only of three objectives
	// least holds, for a bucket of the columns and one of the rows, the least of
	// the last objective among the sampled points that lie at or before the
	// beginning of both. What is above it is dominated.
	least []float64
	// strong is a sampled point that dominates many: most points of an easy set
	// need no look-up.
	strong [3]float64
}

// buckets is into how many an axis is cut.
const buckets = 64

// cuts divide an axis: bucket b holds the keys from cuts[b-1] on that are less
// than cuts[b]. The last cut is not used.
type cuts [buckets]uint64

// bucket returns the bucket of a key: a binary search, unrolled so that the
// compiler leaves no branch in it that the processor would have to guess.
func (c *cuts) bucket(k uint64) int {
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
func (c *cuts) after(k uint64) int {
	at, _ := slices.BinarySearch(c[:buckets-1], k)
	return at + 1
}

// quantiles cuts an axis into buckets that hold about as many of the values
// each, but for the first six, which double up to that: nothing can be dropped
// from the first, so it is to be small. There is at least one value and none is
// NaN.
func quantiles(values []float64) *cuts {
	keys := make([]uint64, len(values))
	for i, v := range values {
		keys[i] = key(v)
	}
	slices.Sort(keys)
	const small = 6
	c := new(cuts)
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

// newSieve learns the sieve of two or three objectives. It is nil if the sample
// is empty.
func newSieve(t tuning, columns ...[]float64) *sieve {
	drawn := sampled(t.sample, columns...)
	if len(drawn[0]) == 0 {
		return nil
	}
	cut := make([]*cuts, len(drawn))
	for k, column := range drawn {
		cut[k] = quantiles(column)
	}
	s := &sieve{columns: cut[0], strong: strongest(drawn, cut)}
	wide := 1
	if len(columns) == 3 {
		s.rows, wide = cut[1], buckets
	}
	s.least = make([]float64, buckets*wide)
	for i := range s.least {
		s.least[i] = math.Inf(1)
	}
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

// strongest returns the drawn point whose worst bucket in an objective is best.
func strongest(drawn [][]float64, cut []*cuts) (point [3]float64) {
	best, worst := 0, buckets
	for i := range drawn[0] {
		bucket := 0
		for k, column := range drawn {
			bucket = max(bucket, cut[k].bucket(key(column[i])))
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

// sift2 gives the bucket of each of the points, plus 1; 0 drops it: it is
// dominated or not a number.
func (s *sieve) sift2(into []uint8, x, y []float64) {
	y, into = y[:len(x)], into[:len(x)]
	px, py := s.strong[0], s.strong[1]
	for i, v := range x {
		if y[i] > py && v >= px {
			into[i] = 0
			continue
		}
		b := s.columns.bucket(key(v))
		into[i] = uint8((b + 1) & -one(y[i] <= s.least[b]) & -one(v == v))
	}
}

// sift3 is sift2 for three objectives.
func (s *sieve) sift3(into []uint8, x, y, z []float64) {
	y, z, into = y[:len(x)], z[:len(x)], into[:len(x)]
	px, py, pz := s.strong[0], s.strong[1], s.strong[2]
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
