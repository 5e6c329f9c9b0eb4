package pareto

import "math"

func frontier2D(x, y []float64, t tuning) []int {
	d := sift(t, x, y)
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
