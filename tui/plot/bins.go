package plot

import "math"

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
