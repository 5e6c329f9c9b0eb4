package pareto

// spots is a set of places in two objectives, given by their ranks. Most places
// that are asked for differ from all of them in one objective already, which a
// bitmap tells.
type spots struct {
	a, b  []uint64 // bitmaps of ranks
	table []uint64 // open addressing; 0 is free, for ranks begin at 1
}

// newSpots makes room for n places of ranks up to highest.
func newSpots(n, highest int) *spots {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return &spots{a: make([]uint64, highest/64+1), b: make([]uint64, highest/64+1), table: make([]uint64, size)}
}

func (s *spots) add(a, b uint32) {
	s.a[a/64] |= 1 << (a % 64)
	s.b[b/64] |= 1 << (b % 64)
	s.table[s.find(a, b)] = uint64(a)<<32 | uint64(b)
}

// has reports whether the place was added. Ranks above the highest, those of
// NaN, are no place.
func (s *spots) has(a, b uint32) bool {
	if int(a/64) >= len(s.a) || int(b/64) >= len(s.b) || s.a[a/64]>>(a%64)&1 == 0 || s.b[b/64]>>(b%64)&1 == 0 {
		return false
	}
	return s.table[s.find(a, b)] != 0
}

// find returns where the place is in the table, or would be put.
func (s *spots) find(a, b uint32) int {
	spot := uint64(a)<<32 | uint64(b)
	last := uint64(len(s.table) - 1)
	at := (spot * 0x9e3779b97f4a7c15) >> 32 & last // Fibonacci hashing
	for s.table[at] != 0 && s.table[at] != spot {
		at = (at + 1) & last
	}
	return int(at)
}
