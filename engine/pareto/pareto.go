// Package pareto finds the non-dominated points of a set: those that no other
// point beats in one objective without losing in another.
package pareto

import (
	"cmp"
	"slices"
)

// Frontier2D returns the indices of the non-dominated points of (x[i], y[i]),
// by rising x. Smaller is better in both; negate a column to turn it. Points
// with a NaN never belong. Of equal points all belong: neither dominates the
// other, and a tie between two VM types is news.
func Frontier2D(x, y []float64) []int {
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
	for _, i32 := range order {
		i := int(i32)
		if len(front) > 0 {
			last := front[len(front)-1]
			if y[i] > y[last] || (y[i] == y[last] && x[i] > x[last]) {
				continue
			}
		}
		front = append(front, i)
	}
	return front
}
