package pareto

import "math/bits"

// staircase holds the frontier of the points (u, v) that were added to it: steps
// of rising u and falling v. It is cut into buckets of u, so that a step moves
// few others when it is added, and a bitmap says which of them hold any.
type staircase struct {
	steps  [][]step
	filled []uint64
}

type step struct{ u, v float64 }

func newStaircase(n int) *staircase {
	return &staircase{steps: make([][]step, n), filled: make([]uint64, (n+63)/64)}
}

// covers reports whether a step is at most equal to (u, v) in both. floor is the
// bucket of u.
func (s *staircase) covers(floor uint32, u, v float64) bool {
	mine := s.steps[floor]
	if at := place(mine, u); at > 0 {
		return mine[at-1].v <= v
	}
	b := s.before(int(floor))
	if b < 0 {
		return false
	}
	mine = s.steps[b]
	return mine[len(mine)-1].v <= v
}

// place is the number of steps of at most u.
func place(steps []step, u float64) int {
	low, high := 0, len(steps)
	for low < high {
		mid := int(uint(low+high) / 2)
		if steps[mid].u <= u {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// before returns the last bucket before b that holds a step; -1 if none does.
func (s *staircase) before(b int) int {
	word := b / 64
	left := s.filled[word] & (1<<(b%64) - 1)
	for left == 0 {
		if word--; word < 0 {
			return -1
		}
		left = s.filled[word]
	}
	return word*64 + 63 - bits.LeadingZeros64(left)
}

// next returns the first bucket after b that holds a step; -1 if none does.
func (s *staircase) next(b int) int {
	word := b / 64
	left := s.filled[word] &^ (2<<(b%64) - 1)
	for left == 0 {
		if word++; word == len(s.filled) {
			return -1
		}
		left = s.filled[word]
	}
	return word*64 + bits.TrailingZeros64(left)
}

// add puts in a step that no other covers, and takes out those it covers.
func (s *staircase) add(floor uint32, u, v float64) {
	b := int(floor)
	mine := s.steps[b]
	at := place(mine, u)
	if at > 0 && mine[at-1].u == u {
		at-- // its v is larger, or it would cover
	}
	end := at
	for end < len(mine) && mine[end].v >= v {
		end++
	}
	if end == len(mine) {
		s.trim(b, v)
	}
	if end > at {
		mine[at] = step{u, v}
		s.steps[b] = append(mine[:at+1], mine[end:]...)
		return
	}
	mine = append(mine, step{})
	copy(mine[at+1:], mine[at:])
	mine[at] = step{u, v}
	s.steps[b] = mine
	s.filled[b/64] |= 1 << (b % 64)
}

// trim takes out the steps after bucket b that are not below v.
func (s *staircase) trim(b int, v float64) {
	for b = s.next(b); b >= 0; b = s.next(b) {
		mine := s.steps[b]
		end := 0
		for end < len(mine) && mine[end].v >= v {
			end++
		}
		s.steps[b] = append(mine[:0], mine[end:]...)
		if end < len(mine) {
			return
		}
		s.filled[b/64] &^= 1 << (b % 64)
	}
}
