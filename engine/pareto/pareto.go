// Package pareto finds the non-dominated points of a set: those that no other
// point beats in one objective without losing in another.
//
// Points are columns of numbers, equally long, one an objective. Smaller is better;
// Negate turns a column in which larger is. Comparisons are those of float64: −0
// equals +0, and ±Inf are values like others, at the ends of the scale. A point
// with a NaN in an objective that is looked at never belongs. Of equal points all
// belong: neither dominates the other, and a tie between two VM types is news.
package pareto

// Frontier2D returns the indices of the non-dominated points of (x[i], y[i]), by
// rising x, equal points by index. nil if there is none.
//
// It costs one pass over the columns, and a sort of what a sample of the points
// does not show to be dominated: all of them at worst, few as a rule.
func Frontier2D(x, y []float64) []int { return frontier2D(x, y[:len(x)], usual) }

// Frontier3D returns the indices of the non-dominated points of (x[i], y[i],
// z[i]): those no other is at most equal to in all three and less in one. They
// come by rising x, then y, then z, equal points by index. nil if there is none.
//
// Cost as of Frontier2D, and for each point that is sorted one look-up among the
// points found so far.
func Frontier3D(x, y, z []float64) []int {
	return frontier3D(x, y[:len(x)], z[:len(x)], usual)
}

// Frontier returns the indices of the non-dominated points of any number of
// columns: those no other is at most equal to in all and less in one. They come
// by rising first column, then second and so on, equal points by index. nil if
// there is none. Two and three columns go the way of Frontier2D and Frontier3D;
// more cost O(n logᵈ⁻² n) comparisons at worst.
func Frontier(columns ...[]float64) []int { return frontier(columns, usual) }

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
	alone  int // up to so many points are neither sifted nor shared out
}

var usual = tuning{sample: 4096, alone: 4096}
