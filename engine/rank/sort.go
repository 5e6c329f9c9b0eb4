package rank

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// worthHalving is from how many candidates on sorting goes on in two halves.
const worthHalving = 1 << 12

// sort orders the candidates by rising keys, the unknown ones last; equal ones by
// the other objectives in the order of the columns, then as they stand. It goes by
// 24 bits of each key first, which takes half of the time that sorting all of them
// does, and by halves, which are merged.
func (s *Space) sort(key func(i int) float64) []int32 {
	words := s.words.Swap(nil)
	if words == nil {
		words = &[2][]uint64{make([]uint64, s.Len()), make([]uint64, s.Len())}
	}
	defer s.words.Store(words)
	sorted, spare := s.roughly(key, words[0], words[1])
	out := make([]int32, len(sorted))
	half := 0
	if len(sorted) >= worthHalving {
		half = len(sorted) / 2
		merge(sorted[:half], sorted[half:], spare)
		sorted = spare
		for half < len(sorted) && sorted[half]>>32 == sorted[half-1]>>32 {
			half++
		}
	}
	both(func() { s.settle(key, sorted[:half], out[:half]) }, func() { s.settle(key, sorted[half:], out[half:]) })
	return out
}

// both does two things side by side.
func both(a, b func()) {
	var other sync.WaitGroup
	other.Go(a)
	b()
	other.Wait()
}

// roughly sorts the candidates by 24 bits of their keys, of very many each half apart. The
// result is in words or in spare; the other one is returned beside it.
func (s *Space) roughly(key func(i int) float64, words, spare []uint64) (sorted, other []uint64) {
	half := 0
	if len(words) >= worthHalving {
		half = len(words) / 2
	}
	var spans [2]span
	both(func() { spans[0] = pack(key, words[:half], 0) }, func() { spans[1] = pack(key, words[half:], half) })
	all := span{min(spans[0].low, spans[1].low), max(spans[0].high, spans[1].high)}
	both(func() { radix(words[:half], spare[:half], all) }, func() { radix(words[half:], spare[half:], all) })
	if all.rounds()%2 == 1 {
		words, spare = spare, words
	}
	return words, spare
}

// settle lists the candidates of sorted words. What is rounded alike stands in runs, which
// are sorted by all there is.
func (s *Space) settle(key func(i int) float64, packed []uint64, out []int32) {
	for k, p := range packed {
		out[k] = int32(uint32(p))
	}
	for from, to := 0, 0; from < len(out); from = to {
		for to = from + 1; to < len(out) && packed[to]>>32 == packed[from]>>32; to++ {
		}
		if to > from+1 {
			slices.SortFunc(out[from:to], func(a, b int32) int { return s.compare(key, int(a), int(b)) })
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

// rough is a number whose order is that of the keys rounded to 24 bits, NaN
// being the largest.
func rough(key float64) uint32 {
	if math.IsNaN(key) {
		return math.MaxUint32
	}
	b := math.Float32bits(float32(key) + 0) // no negative zero
	if b>>31 == 1 {
		return ^b
	}
	return b | 1<<31
}

// span is from the least to the greatest rough key but NaN; low is above high without any.
type span struct{ low, high uint64 }

// digit is how many bits a round of radix sorts by: so many counts fit the
// nearest cache.
const digit = 11

// rounds is how many digits the span has, and one more value for NaN.
func (s span) rounds() (n int) {
	if s.low > s.high {
		return 0
	}
	for (s.high+1-s.low)>>(digit*n) > 0 {
		n++
	}
	return n
}

// pack makes words of the rough keys, in their upper halves, and the candidates' indices
// from first on.
func pack(key func(i int) float64, words []uint64, first int) span {
	of := span{math.MaxUint32, 0}
	for k := range words {
		v := uint64(rough(key(first + k)))
		if v != math.MaxUint32 {
			of.low, of.high = min(of.low, v), max(of.high, v)
		}
		words[k] = v<<32 | uint64(uint32(first+k))
	}
	return of
}

// radix sorts by the upper half of the words, stably, in as many rounds as their span has.
// After an odd number of them the result is in spare.
func radix(words, spare []uint64, of span) {
	place := func(w uint64) uint64 { return min(w>>32, of.high+1) - of.low } // NaN just above the others
	for round := range of.rounds() {
		var counts [1 << digit]int32
		shift := digit * round
		for _, w := range words {
			counts[place(w)>>shift&(1<<digit-1)]++
		}
		sum := int32(0)
		for d, n := range counts {
			counts[d], sum = sum, sum+n
		}
		for _, w := range words {
			d := place(w) >> shift & (1<<digit - 1)
			spare[counts[d]] = w
			counts[d]++
		}
		words, spare = spare, words
	}
}

// merge merges two sorted halves, from the front and from the back at once.
func merge(a, b, out []uint64) {
	both(func() {
		for k, i, j := 0, 0, 0; k < len(out)/2; k++ {
			if j == len(b) || i < len(a) && a[i] < b[j] {
				out[k] = a[i]
				i++
			} else {
				out[k] = b[j]
				j++
			}
		}
	}, func() {
		for k, i, j := len(out)-1, len(a)-1, len(b)-1; k >= len(out)/2; k-- {
			if j < 0 || i >= 0 && a[i] > b[j] {
				out[k] = a[i]
				i--
			} else {
				out[k] = b[j]
				j--
			}
		}
	})
}
