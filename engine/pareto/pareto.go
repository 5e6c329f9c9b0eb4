// Package pareto finds the non-dominated points of a set: those that no other
// point beats in one objective without losing in another.
//
// Values that are computed in different ways differ in their last bits: [Unite] makes
// them one, so that a point does not belong for the rounding of a sum.
//
// Points are columns of numbers, equally long, one an objective. Smaller is better;
// Negate turns a column in which larger is. Comparisons are those of float64: −0
// equals +0, and ±Inf are values like others, at the ends of the scale. A point
// with a NaN in an objective that is looked at never belongs. Of equal points all
// belong: neither dominates the other, and a tie between two VM types is news.
package pareto

import (
	"math"
	"runtime"
	"slices"

	"sweetspot/engine/parallel"
)

// Frontier2D returns the indices of the non-dominated points of (x[i], y[i]), by
// rising x, equal points by index. nil if there is none.
//
// It costs one pass over the columns, and a sort of what a sample of the points
// does not show to be dominated: all of them at worst, few as a rule.
func Frontier2D(x, y []float64) []int { return frontier2D(x, y[:len(x)], usual) }

// frontier returns the indices of the non-dominated points of any number of
// columns: those no other is at most equal to in all and less in one. They come
// by rising first column, then second and so on, equal points by index. nil if
// there is none. Of two columns it is Frontier2D. Of three it costs the same, and for
// each point that is sorted one look-up among those found so far; more columns cost
// O(n logᵈ⁻² n) comparisons at worst.
func frontier(columns [][]float64, t tuning) []int {
	switch len(columns) {
	case 0:
		return nil
	case 1:
		return frontier2D(columns[0], columns[0], t)
	case 2:
		return frontier2D(columns[0], columns[1], t)
	case 3:
		return frontier3D(columns[0], columns[1], columns[2], t)
	}
	return frontierOfMany(columns, t)
}

// Equal is how far two values may lie apart, as a fraction, and still be one: far
// above what floating point loses in adding a few hundred numbers, far below a cent
// or a second.
const Equal = 1e-10

// Unite gives values of a column that are [Equal] the least of them. An [Index]
// unites its columns by itself.
func Unite(column []float64) {
	order, known := rising(column, usual)
	unite(column, order[:known])
}

// unite is Unite of values in rising order, which it keeps: equal ones come by index.
func unite(column []float64, order []uint32) {
	for from, to := 0, 0; from < len(order); from = to {
		least, changed := column[order[from]], false
		for to = from + 1; to < len(order) && column[order[to]] <= least+Equal*math.Abs(least); to++ {
			changed = changed || column[order[to]] != least
			column[order[to]] = least
		}
		if changed {
			slices.Sort(order[from:to])
		}
	}
}

// Negate returns the column with its signs turned, so that larger becomes
// better. A limit "at least v" on the column is "at most −v" on the result.
func Negate(column []float64) []float64 {
	turned := make([]float64, len(column))
	for i, v := range column {
		turned[i] = -v
	}
	return turned
}

// tuning holds the sizes at which the work changes its way. They change the
// speed, never the answer; tests make them small.
type tuning struct {
	sample int // points drawn to learn where the others lie
	serial int // up to so many points are neither filtered first nor shared out
}

var usual = tuning{sample: 4096, serial: 4096}

// inParallel calls work once for every number below n, on all processors, and returns when
// all calls have.
func inParallel(n int, work func(i int)) { parallel.Each(n, runtime.GOMAXPROCS(0), work) }

// chunks is into how many stretches n points are cut to be shared out.
func (t tuning) chunks(n int) int {
	if n <= t.serial {
		return 1
	}
	return 8
}

// chunk is the i-th of the stretches of n points.
func chunk(n, i, chunks int) (from, to int) { return n * i / chunks, n * (i + 1) / chunks }

// Hypervolume2D is the area between the points and a reference that is worse than
// they are: of all (u, v) less than the reference, that which some point is at
// most equal to. Its unit is that of x times that of y, second-dollars of times
// and costs, say; smaller is better in both, larger areas are better frontiers.
//
// Points beyond the reference contribute nothing, nor do those that are dominated
// or hold a NaN, and without others it is 0. It is exact up to rounding. Only
// areas with one reference compare.
func Hypervolume2D(x, y []float64, refX, refY float64) float64 {
	var area float64
	top := refY
	for _, i := range Frontier2D(x, y) { // each adds the strip below the one before
		if x[i] < refX && y[i] < refY {
			area += rectangle(span(x[i], refX), span(y[i], top))
			top = y[i]
		}
	}
	return area
}

// span is how far it is to a larger number, 0 to an equal one though both be
// infinite.
func span(from, to float64) float64 {
	if from < to {
		return to - from
	}
	return 0
}

// rectangle is empty without a side, however long the other.
func rectangle(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}
