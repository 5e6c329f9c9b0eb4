package rank

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"sweetspot/engine/parallel"
	"sweetspot/engine/pareto"
)

const (
	// headDepth is how many of the first candidates an answer has at hand. Ties are looked
	// for among these: a slider's step may not wait for those that nobody will look at.
	headDepth = 10_000
	// worthHalving is from how many candidates on both halves are gone through side by side.
	worthHalving = 1 << 12
	// bins is into how many the keys are counted: so many counts fit the nearest cache.
	bins = 1 << 11
	// page is how many candidates are sorted first where all of them may be asked for.
	page = 1000
)

// order is all candidates by rising keys, the unknown ones last; equal ones go by the
// objectives in the order of the columns, then as they stand. It holds 24 bits of each key,
// and how many candidates there are in each of many bins of them. Whoever asks for some
// places has only those bins sorted that they are in: nobody looks at a million rows.
type order struct {
	rough []uint32 // by candidate
	byKey bool     // false where the key is the same for all: of an objective, then
	// rising is the candidates by the key, where it is an objective's; else nil.
	rising []uint32
	least  uint32 // of those that are known
	width  int    // of a bin, as a power of two
	// counts are by half of the candidates, by whether these are feasible, and by bin. The
	// last bin is that of unknown keys.
	counts [2][2][bins + 1]int32
}

// unknown is the rough key of NaN.
const unknown = math.MaxUint32

// rough is a number whose order is that of the keys rounded to 24 bits.
func rough(key float64) uint32 {
	if math.IsNaN(key) {
		return unknown
	}
	b := math.Float32bits(float32(key) + 0) // no negative zero
	if b>>31 == 1 {
		return ^b
	}
	return b | 1<<31
}

// halves has two halves of n things gone through side by side, or few of them at once.
func halves(n int, do func(half, from, to int)) {
	if n < worthHalving {
		do(0, 0, n)
		return
	}
	var other parallel.Group
	other.Go(func() { do(1, n/2, n) })
	do(0, 0, n/2)
	other.Wait()
}

// newOrder goes by a key or, where that is the same for all, by the first column that is not.
func (s *Space) newOrder(key func(i int) float64) *order {
	o := &order{rough: make([]uint32, s.Len())}
	if s.Len() == 0 {
		return o
	}
	o.byKey = o.round(key)
	for k, varies := 0, o.byKey; k < len(s.columns) && !varies; k++ {
		turned := s.columns[k].turned
		varies = o.round(func(i int) float64 { return turned[i] })
	}
	return o
}

// round takes the rough keys; varies is false where all keys are one.
func (o *order) round(key func(i int) float64) (varies bool) {
	var least, most [2]uint32
	var differ [2]bool
	halves(len(o.rough), func(half, from, to int) {
		low, high, other, first := uint32(unknown), uint32(0), false, key(0)
		for i := from; i < to; i++ {
			k := key(i)
			v := rough(k)
			if o.rough[i] = v; v != unknown {
				low, high = min(low, v), max(high, v)
			}
			other = other || k != first && (k == k || first == first)
		}
		least[half], most[half], differ[half] = low, high, other
	})
	if len(o.rough) < worthHalving { // there is one half
		least[1], most[1] = least[0], most[0]
	}
	o.least, o.width = min(least[0], least[1]), 0
	for high := max(most[0], most[1]); high >= o.least && (high-o.least)>>o.width >= bins; {
		o.width++
	}
	return differ[0] || differ[1]
}

// among counts the keys of the feasible candidates and of the others.
func (o *order) among(feasible pareto.Set) *order {
	out := &order{rough: o.rough, byKey: o.byKey, rising: o.rising, least: o.least, width: o.width}
	halves(len(out.rough), func(half, from, to int) {
		counts := &out.counts[half]
		for k, key := range out.rough[from:to] {
			counts[one(feasible.Has(from+k))][out.bin(key)]++
		}
	})
	return out
}

// bin is that of a rough key.
func (o *order) bin(key uint32) int {
	if key == unknown {
		return bins
	}
	return int((key - o.least) >> o.width)
}

// moved is the order once others are feasible than before: only those that came or went are
// counted. least is the least rough key of these; changed is false where there are none.
func (o *order) moved(before, feasible pareto.Set) (out *order, least uint32, changed bool) {
	out, least = o, unknown
	second := len(o.rough) // where the second half begins
	if second >= worthHalving {
		second /= 2
	}
	for i := range before.Differing(feasible) {
		if !changed {
			out, changed = new(*o), true
		}
		key, was := o.rough[i], one(before.Has(i))
		counts, bin := &out.counts[one(i >= second)], o.bin(key)
		counts[was][bin]--
		counts[1-was][bin]++
		least = min(least, key)
	}
	return out, least, changed
}

// one is 1 if b, else 0.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// in is how many candidates a bin has.
func (o *order) in(feasible, bin int) int {
	return int(o.counts[0][feasible][bin] + o.counts[1][feasible][bin])
}

// bounds are the least and the largest rough key of some bins.
func (o *order) bounds(first, last int) (low, high uint32) {
	low, high = unknown, unknown
	if first < bins {
		low = o.least + uint32(first)<<o.width
	}
	if last < bins {
		high = uint32(min(uint64(o.least)+uint64(last+1)<<o.width, unknown) - 1)
	}
	return low, high
}

// around are the bins that hold the places from one to before another of the feasible
// candidates or of the others, and how many stand before these bins.
func (o *order) around(feasible, from, to int) (first, last, before int) {
	for before+o.in(feasible, first) <= from {
		before += o.in(feasible, first)
		first++
	}
	last = first
	for end := before + o.in(feasible, first); end < to; end += o.in(feasible, last) {
		last++
	}
	return first, last, before
}

// places are the feasible candidates, or the others, at the places from one to before another.
func (r *Result) places(feasible, from, to int) []int {
	if from >= to {
		return nil
	}
	first, last, before := r.order.around(feasible, from, to)
	words := r.gather(feasible, first, last)
	slices.Sort(words)
	r.settle(words)
	out := make([]int, to-from)
	for k, w := range words[from-before : to-before] {
		out[k] = int(uint32(w))
	}
	return out
}

// first is the feasible candidates at the first n places. Where all are in order already, no
// more are looked at than it takes to find them.
func (r *Result) first(n int) []int {
	if n == 0 || r.order.rising == nil {
		return r.places(1, 0, n)
	}
	words := make([]uint64, 0, n)
	for _, i := range r.order.rising {
		if !r.Feasible.Has(int(i)) {
			continue
		}
		word := uint64(r.order.rough[i])<<32 | uint64(i)
		if len(words) >= n && word>>32 != words[n-1]>>32 { // nor rounded alike
			break
		}
		words = append(words, word)
	}
	r.settle(words)
	out := make([]int, n)
	for k := range out {
		out[k] = int(uint32(words[k]))
	}
	return out
}

// gather makes words of the candidates in some bins: the rough key above, the index below.
func (r *Result) gather(feasible, first, last int) []uint64 {
	o := r.order
	var sizes [2]int
	for half := range sizes {
		for bin := first; bin <= last; bin++ {
			sizes[half] += int(o.counts[half][feasible][bin])
		}
	}
	words := make([]uint64, sizes[0]+sizes[1])
	low, high := o.bounds(first, last)
	halves(len(o.rough), func(half, from, to int) {
		mine := words[half*sizes[0]:][:sizes[half]]
		for i, v := range o.rough[from:to] {
			if v-low <= high-low && one(r.Feasible.Has(from+i)) == feasible {
				mine[0] = uint64(v)<<32 | uint64(uint32(from+i))
				mine = mine[1:]
			}
		}
	})
	return words
}

// settle sorts what is rounded alike, which stands in runs, by all there is.
func (r *Result) settle(words []uint64) {
	key := r.KeyOf(r.Query.Sort)
	for from, to := 0, 0; from < len(words); from = to {
		for to = from + 1; to < len(words) && words[to]>>32 == words[from]>>32; to++ {
		}
		if to > from+1 {
			slices.SortFunc(words[from:to], func(a, b uint64) int {
				return r.Space.compare(key, int(uint32(a)), int(uint32(b)))
			})
		}
	}
}

func (s *Space) compare(key func(i int) float64, a, b int) int {
	if c := lastNaN(key(a), key(b)); c != 0 {
		return c
	}
	for k := range s.columns {
		if c := lastNaN(s.columns[k].turned[a], s.columns[k].turned[b]); c != 0 {
			return c
		}
	}
	return cmp.Compare(a, b)
}

func lastNaN(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	case math.IsNaN(b):
		return -1
	}
	return cmp.Compare(a, b)
}

// Count is the number of feasible candidates, those that have a place.
func (r *Result) Count() int { return r.feasible }

// Known is how many feasible candidates have a known key; they come first.
func (r *Result) Known() int {
	switch {
	case r.order.byKey:
		return r.feasible - r.order.in(1, bins)
	case r.feasible > 0 && math.IsNaN(r.Key(r.First())):
		return 0
	}
	return r.feasible
}

// First is the feasible candidate at the first place; there must be one.
func (r *Result) First() int { return r.head[0] }

// Head is the feasible candidates at the first n places, or all if they are fewer. It must
// not be changed.
func (r *Result) Head(n int) []int {
	if n = min(n, r.feasible); n <= len(r.head) {
		return r.head[:n:n]
	}
	return r.Window(0, n)
}

// Order is the feasible candidates, best first; those that tie are equally good. Of a
// million it takes a while: see [Result.Head] and [Result.Window].
func (r *Result) Order() []int { return r.Head(r.feasible) }

// Window is the candidates from one place to before another, counted from 0, of the feasible
// ones and then of the others by the same key.
func (r *Result) Window(from, to int) []int {
	out := make([]int, 0, to-from)
	if from < len(r.head) {
		out = append(out, r.head[from:min(to, len(r.head))]...)
		from += len(out)
	}
	out = append(out, r.places(1, from, min(to, r.feasible))...)
	return append(out, r.places(0, max(from-r.feasible, 0), to-r.feasible)...)
}

// Ordered is [Result.Order] with the places, for who may stop early.
func (r *Result) Ordered() iter.Seq2[int, int] {
	return func(yield func(place, candidate int) bool) {
		for from, to := 0, 0; from < r.feasible; from = to {
			to = min(max(page, 8*from), r.feasible)
			for k, i := range r.Window(from, to) {
				if !yield(from+k, i) {
					return
				}
			}
		}
	}
}

// Place is the place of candidate i in the [Result.Order]; −1 where it is not feasible.
func (r *Result) Place(i int) int {
	if !r.Feasible.Has(i) {
		return -1
	}
	return r.Position(i)
}

// Position is the place of candidate i as [Result.Window] counts.
func (r *Result) Position(i int) int {
	if place := slices.Index(r.head, i); place >= 0 {
		return place
	}
	feasible, bin, before := one(r.Feasible.Has(i)), r.order.bin(r.order.rough[i]), 0
	for b := range bin {
		before += r.order.in(feasible, b)
	}
	place := before + slices.Index(r.places(feasible, before, before+r.order.in(feasible, bin)), i)
	if feasible == 0 {
		place += r.feasible
	}
	return place
}
