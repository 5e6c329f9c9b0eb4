package pareto

import (
	"iter"
	"math"
	"math/bits"
)

// Set is some of a number of points, by index, a bit each: answers over ten million
// candidates are made at every step of a slider.
type Set []uint64

// wordBits is how many points a word of a [Set] holds.
const wordBits = 64

// Words is how many words a set of n points has.
func Words(n int) int { return (n + wordBits - 1) / wordBits }

// NewSet is none of n points.
func NewSet(n int) Set { return make(Set, Words(n)) }

// Where is those of n points for which in returns true.
func Where(n int, in func(i int) bool) Set {
	s := NewSet(n)
	for i := range n {
		s.Put(i, in(i))
	}
	return s
}

// Fill makes it all of n points, for which it has room.
func (s Set) Fill(n int) {
	for k := range s {
		s[k] = math.MaxUint64
	}
	if rest := n % wordBits; rest > 0 {
		s[len(s)-1] = 1<<rest - 1
	}
}

// Has reports whether point i is in the set.
func (s Set) Has(i int) bool { return s.bit(i) != 0 }

// bit is 1 if point i is in the set, else 0.
func (s Set) bit(i int) uint64 { return s[uint(i)/wordBits] >> (uint(i) % wordBits) & 1 }

// Put puts point i into the set, or takes it out.
func (s Set) Put(i int, in bool) {
	word, at := &s[uint(i)/wordBits], uint(i)%wordBits
	*word = *word&^(1<<at) | uint64(one(in))<<at
}

// All is the points of the set, by rising index.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for k, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(k*wordBits + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// Differing is the points that only one of two sets of as many points has, by rising index.
func (s Set) Differing(o Set) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k, word := range s {
			for word ^= o[k]; word != 0; word &= word - 1 {
				if !yield(k*wordBits + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
