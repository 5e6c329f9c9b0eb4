package pareto

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// unitCells counts the cells of a grid of whole numbers below the reference that
// some point is at most equal to: the measure by its definition.
func unitCells(columns [][]float64, ref []int) float64 {
	cells := 0
	cell := make([]float64, len(ref))
	var visit func(k int)
	visit = func(k int) {
		if k < len(ref) {
			for v := -3; v < ref[k]; v++ {
				cell[k] = float64(v)
				visit(k + 1)
			}
			return
		}
		for i := range columns[0] {
			inside := true
			for k, c := range columns {
				inside = inside && c[i] <= cell[k]
			}
			if inside {
				cells++
				return
			}
		}
	}
	visit(0)
	return float64(cells)
}

func TestHypervolumeIsTheCellsCounted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 10).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		columns, ref := make([][]float64, 2), make([]int, 2)
		for k := range columns {
			ref[k] = rng.IntN(8) - 2
			for range n {
				v := float64(rng.IntN(8) - 3) // some at and beyond the reference
				if rng.IntN(30) == 0 {
					v = math.NaN()
				}
				columns[k] = append(columns[k], v)
			}
		}
		got, want := Hypervolume2D(columns[0], columns[1], float64(ref[0]), float64(ref[1])), unitCells(columns, ref)
		if got != want {
			t.Fatalf("%v below %v: %v, not %v", columns, ref, got, want)
		}
	})
}

// TestHypervolumeGrows: another point adds what is its own, which inclusion and
// exclusion tell, and never takes.
func TestHypervolumeGrows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n := rapid.IntRange(1, 8).Draw(t, "n")
		columns := make([][]float64, 2)
		for k := range columns {
			for range n {
				columns[k] = append(columns[k], 1.2*rng.Float64())
			}
		}
		x, y := columns[0], columns[1]
		got, want := Hypervolume2D(x, y, 1, 1), inclusionExclusion(columns)
		if math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v: %v, not %v", columns, got, want)
		}
		n--
		if got < Hypervolume2D(x[:n], y[:n], 1, 1)-1e-12 {
			t.Fatalf("%v: the last point takes", columns)
		}
	})
}

// inclusionExclusion is the measure below a reference of ones: the boxes of all
// non-empty subsets, those of odd size added, those of even size taken away.
func inclusionExclusion(columns [][]float64) float64 {
	sum := 0.0
	for subset := 1; subset < 1<<len(columns[0]); subset++ {
		box := -1.0
		for _, c := range columns {
			corner := math.Inf(-1)
			for i, v := range c {
				if subset>>i&1 == 1 {
					corner = max(corner, v)
				}
			}
			box *= max(0, 1-corner)
		}
		for i := range columns[0] {
			if subset>>i&1 == 1 {
				box = -box
			}
		}
		sum += box
	}
	return sum
}

func TestHypervolumeAtTheEnds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"nobody", Hypervolume2D(nil, nil, 1, 1), 0},
		{"endless in one", Hypervolume2D([]float64{-inf}, []float64{0}, 1, 1), inf},
		{"endless in both, twice", Hypervolume2D([]float64{-inf, -inf, 0}, []float64{-inf, -inf, 0}, 1, 1), inf},
		{"endless reference", Hypervolume2D([]float64{0}, []float64{0}, inf, 1), inf},
		{"endless steps", Hypervolume2D([]float64{-inf, 0, 1}, []float64{2, 1, 0}, 3, 3), inf},
		{"at the reference", Hypervolume2D([]float64{1}, []float64{0}, 1, 1), 0},
		{"no reference", Hypervolume2D([]float64{0}, []float64{0}, nan, 1), 0},
		{"seconds times dollars", Hypervolume2D([]float64{60, 120}, []float64{3, 1}, 180, 4), 60*1 + 60*3},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, not %v", c.name, c.got, c.want)
		}
	}
}
