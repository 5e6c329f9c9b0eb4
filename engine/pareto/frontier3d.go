package pareto

import (
	"cmp"
	"slices"
)

func frontier3D(x, y, z []float64, t tuning) []int {
	d := sift(t, x, y, z)
	if len(d.items) == 0 {
		return nil
	}
	cuts := floorsOf(d.rest)
	spare := make([]item, len(d.items))
	sorted := make([]rest, len(d.items))
	d.each(t, func(b int) {
		from, to := d.start(b), d.ends[b]
		mine := d.items[from:to]
		sortItems(mine, spare[from:to])
		for i := range mine {
			r := d.rest[mine[i].note]
			sorted[from+i] = r
			mine[i].note = floor(cuts, key(r.y))
		}
	})
	return sweep3(d.items, sorted, newStaircase(len(cuts)+1), t)
}

// floorsOf cuts y for a staircase, into a power of two of parts that hold about
// as many points each, going by a few of them.
func floorsOf(points []rest) []uint64 {
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

// floor is the number of cuts up to k, without a branch to guess.
func floor(cuts []uint64, k uint64) uint32 {
	b := 0
	for half := (len(cuts) + 1) / 2; half > 0; half /= 2 {
		next := b + half
		if cuts[next-1] > k {
			next = b
		}
		b = next
	}
	return uint32(b)
}

// sweep3 goes through the points by rising x; items note the floor of their y.
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
