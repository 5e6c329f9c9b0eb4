package pareto

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestFrontierAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few distinct values, so that ties and duplicates are common.
		coord := rapid.SampledFrom([]float64{0, 1, 2, 3, 4, 5, math.NaN(), math.Inf(1)})
		n := rapid.IntRange(0, 40).Draw(t, "n")
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], y[i] = coord.Draw(t, "x"), coord.Draw(t, "y")
		}
		got := Frontier2D(x, y)
		if !slices.IsSortedFunc(got, func(a, b int) int {
			if x[a] < x[b] {
				return -1
			}
			return 0
		}) {
			t.Fatalf("not by rising x: %v", got)
		}
		slices.Sort(got)
		var want []int
		for i := range n {
			dominated := math.IsNaN(x[i]) || math.IsNaN(y[i])
			for j := range n {
				dominated = dominated || (x[j] <= x[i] && y[j] <= y[i] && (x[j] < x[i] || y[j] < y[i]))
			}
			if !dominated {
				want = append(want, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("x %v\ny %v\ngot %v\nwant %v", x, y, got, want)
		}
	})
}
