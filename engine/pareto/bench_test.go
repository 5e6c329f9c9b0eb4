package pareto

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// set is a set of points to time; few is the least share of them on the
// frontier for the set to be the hard one its name promises.
type set struct {
	name    string
	columns [][]float64
	few     float64
}

// sets draws the points of the benchmarks that have an aim, seeded:
//
//   - uniform: every coordinate uniform in [0, 1);
//   - front2d: x uniform, y = 1 − x, all non-dominated;
//   - anti2d: x uniform, y = 1 − x + e, e uniform in [0, 1e-4);
//   - anti3d: points uniform on the triangle x + y + z = 1, each coordinate moved
//     by an e of its own, uniform in [0, 0.02);
//   - sphere3d: points uniform on the sphere about the origin, in the octant of
//     positive coordinates, all non-dominated;
//   - uniform4d and, all non-dominated, sphere4d as those in three.
func sets(million int) []set {
	rng := rand.New(rand.NewPCG(20, 26))
	draw := func(name string, few float64, n, dims int, point func(p []float64)) set {
		s := set{name: name, columns: make([][]float64, dims), few: few}
		for k := range s.columns {
			s.columns[k] = make([]float64, n)
		}
		p := make([]float64, dims)
		for i := range n {
			point(p)
			for k, v := range p {
				s.columns[k][i] = v
			}
		}
		return s
	}
	uniform := func(p []float64) {
		for k := range p {
			p[k] = rng.Float64()
		}
	}
	sphere := func(p []float64) {
		r := 0.0
		for k := range p {
			p[k] = math.Abs(rng.NormFloat64())
			r += p[k] * p[k]
		}
		for k := range p {
			p[k] /= math.Sqrt(r)
		}
	}
	return []set{
		draw("uniform2d", 0, million, 2, uniform),
		draw("uniform3d", 0, million, 3, uniform),
		draw("front2d", 1, million, 2, func(p []float64) { p[0] = rng.Float64(); p[1] = 1 - p[0] }),
		draw("anti2d", 0.03, million, 2, func(p []float64) { p[0] = rng.Float64(); p[1] = 1 - p[0] + 1e-4*rng.Float64() }),
		draw("anti3d", 0.03, million, 3, func(p []float64) {
			a, b := rng.Float64(), rng.Float64()
			a, b = min(a, b), max(a, b)
			p[0], p[1], p[2] = a, b-a, 1-b
			for k := range p {
				p[k] += 0.02 * rng.Float64()
			}
		}),
		draw("sphere3d", 1, million/5, 3, sphere),
		draw("uniform4d", 0, million, 4, uniform),
		draw("sphere4d", 1, million/20, 4, sphere),
	}
}

// BenchmarkNondominated times the filter on easy and hard sets, and beside it
// the plain way: sort all, sweep.
func BenchmarkNondominated(b *testing.B) {
	for _, s := range sets(1_000_000) {
		n := len(s.columns[0])
		run := func(name string, filter func(s set) []int) {
			b.Run(name, func(b *testing.B) {
				found := 0
				b.ReportAllocs()
				for b.Loop() {
					found = len(filter(s))
				}
				b.ReportMetric(float64(found), "nondominated")
				if float64(found) < s.few*float64(n)*0.999 {
					b.Fatalf("%d of %d on the frontier: not a hard set", found, n)
				}
			})
		}
		run(s.name, func(s set) []int { return frontier(s.columns, usual) })
		if len(s.columns) < 4 {
			run("plain/"+s.name, func(s set) []int { return plain(s.columns) })
		}
	}
}

// plain is the plain way to any frontier.
func plain(columns [][]float64) []int {
	switch len(columns) {
	case 2:
		return sortAndSweep(columns[0], columns[1])
	case 3:
		return sortAndTry(columns)
	}
	return sortAndCompare(columns)
}

// sortAndCompare sorts the points and compares each with those found before.
func sortAndCompare(columns [][]float64) []int {
	var order, front []int
	for i := range columns[0] {
		if known(i, columns...) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		for _, c := range columns {
			if by := cmp.Compare(c[a], c[b]); by != 0 {
				return by
			}
		}
		return 0
	})
	for _, i := range order {
		if !slices.ContainsFunc(front, func(j int) bool { return dominates(columns, j, i) }) {
			front = append(front, i)
		}
	}
	return front
}

// sortAndSweep is the plain way to a frontier of two objectives.
func sortAndSweep(x, y []float64) []int {
	order := make([]int32, 0, len(x))
	for i := range x {
		if x[i] == x[i] && y[i] == y[i] {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(y[a], y[b]), cmp.Compare(a, b))
	})
	var front []int
	for _, i := range order {
		if n := len(front); n > 0 {
			last := front[n-1]
			if y[i] > y[last] || y[i] == y[last] && x[i] > x[last] {
				continue
			}
		}
		front = append(front, int(i))
	}
	return front
}

// sortAndTry is the plain way to a frontier of three: sort all, and sweep with a
// staircase in one sorted list.
func sortAndTry(columns [][]float64) []int {
	x, y, z := columns[0], columns[1], columns[2]
	var order []int
	for i := range x {
		if known(i, columns...) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(y[a], y[b]), cmp.Compare(z[a], z[b]), cmp.Compare(a, b))
	})
	var front []int
	type tread struct{ x, y, z float64 }
	var stairs []tread
	for _, i := range order {
		at, _ := slices.BinarySearchFunc(stairs, y[i], func(s tread, v float64) int {
			if s.y <= v {
				return -1
			}
			return 1
		})
		if at > 0 && stairs[at-1].z <= z[i] {
			if stairs[at-1] == (tread{x[i], y[i], z[i]}) {
				front = append(front, i)
			}
			continue
		}
		end := at
		for end < len(stairs) && stairs[end].z >= z[i] {
			end++
		}
		if at > 0 && stairs[at-1].y == y[i] {
			at--
		}
		stairs = slices.Replace(stairs, at, end, tread{x[i], y[i], z[i]})
		front = append(front, i)
	}
	return front
}
