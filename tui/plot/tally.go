package plot

import (
	"math"
	"runtime"

	"sweetspot/engine/parallel"
	"sweetspot/engine/pareto"
)

// tally counts the points of a plot in its dots, so that a frame is drawn from
// cells, however many points there are, and a point that becomes feasible or
// stops being so changes a few numbers.
type tally struct {
	all   []uint32 // points, by the code of their dot
	good  []uint32 // the feasible ones of them
	kinds []uint32 // feasible points by cell and pen: cell·pens + pen
	cells []cell
}

// cell is the sum of a cell's dots.
type cell struct {
	all, good         uint32 // points, and feasible ones
	allBits, goodBits uint8  // dots that hold any
}

func (t *tally) reset(cells, pens int) {
	t.all, t.good = grow(t.all, cells*dotsOfCell), grow(t.good, cells*dotsOfCell)
	t.kinds = grow(t.kinds, cells*pens)
	clear(t.all)
	clear(t.good)
	clear(t.kinds)
}

// add adds another tally of the same plot.
func (t *tally) add(o *tally) {
	for i, n := range o.all {
		t.all[i] += n
		t.good[i] += o.good[i]
	}
	for i, n := range o.kinds {
		t.kinds[i] += n
	}
}

// sum fills the cells and returns the points of the fullest one.
func (t *tally) sum() (most uint32) {
	t.cells = grow(t.cells, len(t.all)/dotsOfCell)
	for i := range t.cells {
		c := cell{}
		for dot := range dotsOfCell {
			if n := t.all[i*dotsOfCell+dot]; n != 0 {
				c.all += n
				c.allBits |= 1 << dot
			}
			if n := t.good[i*dotsOfCell+dot]; n != 0 {
				c.good += n
				c.goodBits |= 1 << dot
			}
		}
		t.cells[i] = c
		most = max(most, c.all)
	}
	return most
}

// kind is the pen class that most of a cell's feasible points have.
func (t *tally) kind(cell, pens int) int {
	best, most := 0, uint32(0)
	for k, n := range t.kinds[cell*pens : (cell+1)*pens] {
		if n > most {
			best, most = k, n
		}
	}
	return best
}

// Points are placed in batches that stay in the cache, and by more than one core
// unless there are fewer than serialBelow.
const (
	batchSize   = 2048
	serialBelow = 1 << 16
	maxWorkers  = 4
)

// flipBatch is how many points are gathered before they are flipped.
const flipBatch = 4096

// split divides n points among cores, in parts numbered from 0, and waits until
// all are done. No part may write what another reads. It returns the number of
// parts.
func split(n int, do func(part, from, to int)) (parts int) {
	if n < serialBelow {
		do(0, 0, n)
		return 1
	}
	parts = min(runtime.GOMAXPROCS(0), maxWorkers)
	var wait parallel.Group
	for p := range parts {
		wait.Go(func() { do(p, p*n/parts, (p+1)*n/parts) })
	}
	wait.Wait()
	return parts
}

// count places every point and counts it.
func (s *Scatter) count() {
	s.codes = grow(s.codes, len(s.data.X))
	cells, pens := s.frame.gw*s.frame.gh, s.th.SeriesCount()
	for class := range s.penOf {
		s.penOf[class] = uint8(class % pens)
	}
	parts := split(len(s.codes), func(part, from, to int) {
		s.tallies[part].reset(cells, pens)
		s.countPart(&s.tallies[part], from, to)
	})
	for p := 1; p < parts; p++ {
		s.tallies[0].add(&s.tallies[p])
	}
	s.most = s.tallies[0].sum()
	s.shades = shadesFor(s.most)
}

// countPart does the points from one index up to another.
func (s *Scatter) countPart(t *tally, from, to int) {
	for ; from < to; from += batchSize {
		end := min(from+batchSize, to)
		codes := s.codes[from:end]
		clear(codes)
		s.xBins.add(codes, s.data.X[from:end])
		s.yBins.add(codes, s.data.Y[from:end])
		s.countBatch(t, codes, from)
	}
}

func (s *Scatter) countBatch(t *tally, codes []int32, from int) {
	pens := int32(s.th.SeriesCount())
	for i, c := range codes {
		if c < 0 {
			codes[i] = -1
			continue
		}
		t.all[c]++
		if s.feasible.Has(from + i) {
			t.good[c]++
			t.kinds[c/dotsOfCell*pens+s.pen(from+i)]++
		}
	}
}

// pen is the pen class of a point.
func (s *Scatter) pen(i int) int32 {
	if s.data.Class == nil {
		return 0
	}
	return int32(s.penOf[s.data.Class[i]])
}

// flip inverts the feasibility of a placed point.
func (s *Scatter) flip(i int) {
	now := !s.feasible.Has(i)
	s.feasible.Put(i, now)
	c := s.codes[i]
	if c < 0 {
		return
	}
	t := &s.tallies[0]
	at := &t.cells[c/dotsOfCell]
	kind := c/dotsOfCell*int32(s.th.SeriesCount()) + s.pen(i)
	if now {
		t.good[c]++
		t.kinds[kind]++
		at.good++
		at.goodBits |= 1 << (c % dotsOfCell)
		return
	}
	t.good[c]--
	t.kinds[kind]--
	at.good--
	if t.good[c] == 0 {
		at.goodBits &^= 1 << (c % dotsOfCell)
	}
}

// SetFeasible says which points are feasible; nil is all of them. Only the
// points that differ from what is shown are counted again. The set isn't kept.
// SetFeasible does nothing when version and length are those shown.
func (s *Scatter) SetFeasible(version uint64, feasible pareto.Set) {
	n := len(s.data.X)
	if len(feasible) != pareto.Words(n) {
		feasible = nil
	}
	if version == s.feasibleVer && s.feasibleLen == len(feasible) {
		return
	}
	s.feasibleVer, s.feasibleLen = version, len(feasible)
	s.mark(staleFrame)
	if feasible == nil {
		feasible = pareto.NewSet(n)
		feasible.Fill(n)
	}
	if s.stale >= stalePlaces { // they are not placed yet
		copy(s.feasible, feasible)
		return
	}
	s.compare(feasible)
}

// compare flips the points that differ. They are gathered before they are flipped: the
// memory that a flip waits for is then fetched for many at a time.
func (s *Scatter) compare(feasible pareto.Set) {
	s.differ = grow(s.differ, flipBatch)[:0]
	for i := range s.feasible.Differing(feasible) {
		if s.differ = append(s.differ, int32(i)); len(s.differ) == flipBatch {
			s.flipAll(s.differ)
			s.differ = s.differ[:0]
		}
	}
	s.flipAll(s.differ)
}

func (s *Scatter) flipAll(points []int32) {
	for _, i := range points {
		s.flip(int(i))
	}
}

// bins finds the dots of values along one axis, a million in a few milliseconds:
// computing a logarithm for each would take ten times as long.
type bins struct {
	s     scale
	n     int
	codes []int32 // what a dot along the axis adds to a point's code; the last one twice
	// On a logarithmic axis: where dots begin, and the dot at which the search
	// begins. Floats above zero are in the order of their bits, which are close
	// to a logarithm already.
	edges []float64
	start []int32
	first uint64
	shift uint
}

// outside is what a value that has no dot adds to a code: two of them stay
// negative, and so does one with any dot of the other axis.
const outside = math.MinInt32 / 2

// buckets bounds the length of bins.start.
const buckets = 2048

// set prepares the bins of a scale whose n dots have the given parts of a code.
// codes has n+1 entries.
func (b *bins) set(s scale, n int, codes []int32) {
	b.s, b.n, b.codes = s, n, codes
	codes[n] = codes[n-1] // the range is closed at its end
	if !s.log {
		return
	}
	b.edges = grow(b.edges, n+1)
	b.edges[0] = s.lo
	for i := 1; i < n; i++ {
		b.edges[i] = max(s.untransform(s.a+float64(i)/(s.k*float64(n))), b.edges[i-1])
	}
	b.edges[n] = math.Inf(1)
	if s.invert {
		for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
			codes[i], codes[j] = codes[j], codes[i]
		}
		codes[n] = codes[n-1]
	}
	b.first = math.Float64bits(s.lo)
	span := math.Float64bits(s.hi) - b.first
	for b.shift = 0; span>>b.shift >= buckets; b.shift++ {
	}
	b.start = grow(b.start, int(span>>b.shift)+1)
	dot := int32(0)
	for i := range b.start {
		v := math.Float64frombits(b.first + uint64(i)<<b.shift)
		for v >= b.edges[dot+1] {
			dot++
		}
		b.start[i] = dot
	}
}

// add adds to each code that of its value's dot.
func (b *bins) add(codes []int32, values []float64) {
	if b.s.log {
		b.addLog(codes, values)
		return
	}
	a, k, n, invert := b.s.a, b.s.k, float64(b.n), b.s.invert
	for i, v := range values {
		f := (v - a) * k
		if invert {
			f = 1 - f
		}
		c := int32(outside)
		if f >= 0 && f <= 1 {
			c = b.codes[int(f*n)]
		}
		codes[i] += c
	}
}

func (b *bins) addLog(codes []int32, values []float64) {
	lo, hi := b.s.lo, b.s.hi
	for i, v := range values {
		c := int32(outside)
		if v >= lo && v <= hi {
			dot := b.start[(math.Float64bits(v)-b.first)>>b.shift]
			for v >= b.edges[dot+1] {
				dot++
			}
			c = b.codes[dot]
		}
		codes[i] += c
	}
}
