package rank

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
)

// The order is that of a plain sort by all there is.
func TestOrderIsThatOfAPlainSort(t *testing.T) {
	value := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, 1 + 1e-12, 2, math.NaN(),
		math.Inf(1)}))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 5, 40, 1<<12 + 7}).Draw(t, "n")
		few := rapid.SliceOfN(value, 1, 40).Draw(t, "values")
		s := &Space{List: candidate.ListOf(make([]candidate.Candidate, n)...), columns: make([]column, 3)}
		for k := range s.columns {
			s.columns[k].turned = make([]float64, n)
		}
		keys := make([]float64, n)
		for i := range n {
			keys[i] = few[i*7%len(few)]
			for k, step := range []int{3, 5, 1} {
				s.columns[k].turned[i] = few[i*step%len(few)]
			}
		}
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int {
			for _, column := range [][]float64{keys, s.columns[0].turned, s.columns[1].turned, s.columns[2].turned} {
				if c := lastNaN(column[a], column[b]); c != 0 {
					return c
				}
			}
			return 0
		})
		if got := s.sort(func(i int) float64 { return keys[i] }); !slices.Equal(got, want) {
			t.Fatalf("%s", fmt.Sprint("got ", got, " want ", want))
		}
	})
}
