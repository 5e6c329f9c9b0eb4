package pareto

import (
	"cmp"
	"slices"
)

// many finds the frontier of more than three columns by divide and conquer
// (Kung, Luccio and Preparata, J. ACM 22(4), 1975, "On finding the maxima of a
// set of vectors"). Points are rows here, so that one comparison reads one place.
type many struct {
	dims int
	rows [][]float64 // distinct points, by rising first coordinate, then second …
	out  []bool      // of the rows: dominated
}

// frontierOfMany is Frontier for more than three columns.
func frontierOfMany(columns [][]float64, t tuning) []int {
	at := prefiltered(columns, t)
	dims := len(columns)
	flat := make([]float64, 0, len(at)*dims)
	for _, i := range at {
		for _, c := range columns {
			flat = append(flat, c[i])
		}
	}
	row := func(k int) []float64 { return flat[k*dims : (k+1)*dims : (k+1)*dims] }
	order := make([]int, len(at))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(slices.Compare(row(a), row(b)), cmp.Compare(a, b)) })

	m := many{dims: dims}
	first := make([]int, 0, len(order)+1) // where the points that equal each row begin in order
	for place, k := range order {
		if n := len(m.rows); n == 0 || slices.Compare(m.rows[n-1], row(k)) != 0 {
			m.rows, first = append(m.rows, row(k)), append(first, place)
		}
	}
	m.out, first = make([]bool, len(m.rows)), append(first, len(order))
	m.filter(0, len(m.rows))

	var front []int
	for r := range m.rows {
		if m.out[r] {
			continue
		}
		for _, k := range order[first[r]:first[r+1]] {
			front = append(front, at[k])
		}
	}
	return front
}

// pivots is how many of the sampled points every point is compared with
// before the sort.
const pivots = 16

// prefiltered are the points that hold no NaN, by index, without most of those that a
// sample of many points dominates.
func prefiltered(columns [][]float64, t tuning) (at []int) {
	var dominators [][]float64
	if n := len(columns[0]); n > t.serial {
		dominators = pivotsOf(sampled(t.sample, columns...))
	}
	p := make([]float64, len(columns))
next:
	for i := range columns[0] {
		if !known(i, columns...) {
			continue
		}
		for k, c := range columns {
			p[k] = c[i]
		}
		for _, s := range dominators {
			if allLess(s, p) {
				continue next
			}
		}
		at = append(at, i)
	}
	return at
}

// pivotsOf are the drawn points whose worst place among all drawn, over the
// columns, is best.
func pivotsOf(drawn [][]float64) [][]float64 {
	n := len(drawn[0])
	worst := make([]int, n)
	order := make([]int, n)
	for _, column := range drawn {
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(column[a], column[b]) })
		for place, i := range order {
			worst[i] = max(worst[i], place)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(worst[a], worst[b]) })
	var best [][]float64
	for _, i := range order[:min(n, pivots)] {
		p := make([]float64, len(drawn))
		for k, column := range drawn {
			p[k] = column[i]
		}
		best = append(best, p)
	}
	return best
}

func allLess(a, b []float64) bool {
	for k, v := range a {
		if !(v < b[k]) {
			return false
		}
	}
	return true
}

// few is up to how many points are compared pair by pair.
const few = 24

// filter marks what is dominated among the rows from … to. A row is dominated by
// none that come after it.
func (m *many) filter(from, to int) {
	if to-from <= few {
		for i := from + 1; i < to; i++ {
			for j := from; j < i && !m.out[i]; j++ {
				m.out[i] = !m.out[j] && m.covers(j, i, 1)
			}
		}
		return
	}
	mid := (from + to) / 2
	m.filter(from, mid)
	m.filter(mid, to)
	m.marry(m.left(from, mid), m.left(mid, to), 1)
}

// left are the rows that are not marked yet.
func (m *many) left(from, to int) (rows []int) {
	for i := from; i < to; i++ {
		if !m.out[i] {
			rows = append(rows, i)
		}
	}
	return rows
}

// covers reports whether row a is at most equal to b from coordinate dim on.
func (m *many) covers(a, b, dim int) bool {
	p, q := m.rows[a], m.rows[b]
	for k := dim; k < m.dims; k++ {
		if !(p[k] <= q[k]) {
			return false
		}
	}
	return true
}

// marry marks those of high that one of low covers from coordinate dim on. In the
// coordinates before it low is nowhere larger.
func (m *many) marry(low, high []int, dim int) {
	switch {
	case len(low) == 0 || len(high) == 0:
		return
	case len(low)*len(high) <= few*few:
		for _, h := range high {
			m.out[h] = m.out[h] || slices.ContainsFunc(low, func(l int) bool { return m.covers(l, h, dim) })
		}
		return
	case dim == m.dims-2:
		m.sweep(low, high)
		return
	}
	cut := m.median(low, high, dim)
	below := func(i int) int { return cmp.Compare(m.rows[i][dim], cut) }
	split := func(rows []int) (less, most, least, more []int) {
		for _, i := range rows {
			switch below(i) {
			case -1:
				less, most = append(less, i), append(most, i)
			case 0:
				most, least = append(most, i), append(least, i)
			default:
				least, more = append(least, i), append(more, i)
			}
		}
		return less, most, least, more
	}
	lowLess, lowMost, _, lowMore := split(low)
	highLess, _, highLeast, highMore := split(high)
	m.marry(lowLess, highLess, dim)
	m.marry(lowMost, highLeast, dim+1)
	m.marry(lowMore, highMore, dim)
}

// median is about the middle of a coordinate's values.
func (m *many) median(low, high []int, dim int) float64 {
	const drawn = 33
	var values [drawn]float64
	for k := range values {
		at := k * (len(low) + len(high)) / drawn
		if at < len(low) {
			values[k] = m.rows[low[at]][dim]
		} else {
			values[k] = m.rows[high[at-len(low)]][dim]
		}
	}
	slices.Sort(values[:])
	return values[drawn/2]
}

// sweep is marry for the last two coordinates: by the last but one, with the
// least of the last so far.
func (m *many) sweep(low, high []int) {
	x, y := m.dims-2, m.dims-1
	by := func(a, b int) int { return cmp.Compare(m.rows[a][x], m.rows[b][x]) }
	slices.SortFunc(low, by)
	slices.SortFunc(high, by)
	next := 0
	for _, h := range high {
		for next < len(low) && m.rows[low[next]][x] <= m.rows[h][x] {
			if next > 0 && m.rows[low[next-1]][y] < m.rows[low[next]][y] {
				low[next] = low[next-1] // only the least counts from here on
			}
			next++
		}
		if next > 0 && m.rows[low[next-1]][y] <= m.rows[h][y] {
			m.out[h] = true
		}
	}
}
