package pareto

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

func frontier2D(x, y []float64, t tuning) []int {
	d := partition(t, x, y)
	spare := make([]item, len(d.items))
	// Buckets do not know of those before them: each finds its own frontier, at
	// its beginning.
	kept := make([]int, len(d.ends))
	d.each(t, func(b int) {
		from, to := d.start(b), d.ends[b]
		sortItems(d.items[from:to], spare[from:to])
		kept[b] = sweep2(d.items[from:to], y)
	})
	total := 0
	for _, n := range kept {
		total += n
	}
	if total == 0 {
		return nil
	}
	front := make([]int, 0, total)
	for b, n := range kept {
		mine := d.items[d.start(b):][:n]
		if n := len(front); n > 0 {
			mine = below(mine, y, y[front[n-1]])
		}
		for _, it := range mine {
			front = append(front, int(it.at))
		}
	}
	return front
}

// sweep2 moves the frontier of items, which are sorted, to their beginning and
// returns its length.
func sweep2(items []item, y []float64) int {
	n := 0
	best := math.Inf(1)
	for from := 0; from < len(items); {
		// Of equal x only the least y counts, and only if no smaller x has it.
		to, least := from+1, y[items[from].at]
		for ; to < len(items) && items[to].key == items[from].key; to++ {
			least = min(least, y[items[to].at])
		}
		if least < best || n == 0 {
			best = least
			for _, it := range items[from:to] {
				if y[it.at] == least {
					items[n] = it
					n++
				}
			}
		}
		from = to
	}
	return n
}

// below drops the beginning of a frontier that is not better in y than a
// smaller x was.
func below(items []item, y []float64, best float64) []item {
	for len(items) > 0 && y[items[0].at] >= best {
		items = items[1:]
	}
	return items
}

func frontier3D(x, y, z []float64, t tuning) []int {
	d := partition(t, x, y, z)
	if len(d.items) == 0 {
		return nil
	}
	splitters := splittersOf(d.rest)
	spare := make([]item, len(d.items))
	sorted := make([]rest, len(d.items))
	d.each(t, func(b int) {
		from, to := d.start(b), d.ends[b]
		mine := d.items[from:to]
		sortItems(mine, spare[from:to])
		for i := range mine {
			r := d.rest[mine[i].note]
			sorted[from+i] = r
			mine[i].note = stair(splitters, key(r.y))
		}
	})
	return sweep3(d.items, sorted, newStaircase(len(splitters)+1), t)
}

// splittersOf divides y for a staircase, into a power of two of buckets that hold
// about as many points each, going by a few of them.
func splittersOf(points []rest) []uint64 {
	n := 1
	for n < 1024 && n*256 < len(points) {
		n *= 2
	}
	drawn := make([]uint64, 4*n)
	for i := range drawn {
		drawn[i] = key(points[i*len(points)/len(drawn)].y)
	}
	slices.Sort(drawn)
	for i := range n {
		drawn[i] = drawn[4*i]
	}
	return drawn[1:n]
}

// stair is the number of splitters up to k, a bucket of the staircase, without a branch to guess.
func stair(splitters []uint64, k uint64) uint32 {
	b := 0
	for half := (len(splitters) + 1) / 2; half > 0; half /= 2 {
		next := b + half
		if splitters[next-1] > k {
			next = b
		}
		b = next
	}
	return uint32(b)
}

// sweep3 goes through the points by rising x; items note the bucket of their y.
// A point belongs if no smaller x has one at most equal to it in y and z, and it
// is on the frontier of its own x.
func sweep3(items []item, points []rest, stairs *staircase, t tuning) []int {
	var front []int
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && items[to].key == items[from].key {
			to++
		}
		if to == from+1 {
			it, p := &items[from], &points[from]
			if !stairs.covers(it.note, p.y, p.z) {
				stairs.add(it.note, p.y, p.z)
				front = append(front, int(it.at))
			}
			from = to
			continue
		}
		fresh := len(front)
		for _, i := range frontierOfRun(points[from:to], t) {
			if i += from; !stairs.covers(items[i].note, points[i].y, points[i].z) {
				front = append(front, i)
			}
		}
		// Only now, for equal points do not rule each other out.
		for k, i := range front[fresh:] {
			if it, p := &items[i], &points[i]; !stairs.covers(it.note, p.y, p.z) {
				stairs.add(it.note, p.y, p.z)
			}
			front[fresh+k] = int(items[i].at)
		}
		from = to
	}
	return front
}

// frontierOfRun is Frontier2D over the y and z of points in the order of their
// indices.
func frontierOfRun(run []rest, t tuning) []int {
	if len(run) > 16 {
		y, z := make([]float64, len(run)), make([]float64, len(run))
		for i, p := range run {
			y[i], z[i] = p.y, p.z
		}
		return frontier2D(y, z, t)
	}
	order := make([]int, len(run), 16)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(run[a].y, run[b].y), cmp.Compare(run[a].z, run[b].z))
	})
	front := order[:0]
	for _, i := range order {
		if n := len(front); n > 0 {
			last := run[front[n-1]]
			if run[i].z > last.z || run[i].z == last.z && run[i].y > last.y {
				continue
			}
		}
		front = append(front, i)
	}
	return front
}

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

// covers reports whether a step is at most equal to (u, v) in both. stair is the
// bucket of u.
func (s *staircase) covers(stair uint32, u, v float64) bool {
	mine := s.steps[stair]
	if at := place(mine, u); at > 0 {
		return mine[at-1].v <= v
	}
	b := s.before(int(stair))
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
func (s *staircase) add(stair uint32, u, v float64) {
	b := int(stair)
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
	s.steps[b] = slices.Replace(mine, at, end, step{u, v})
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
