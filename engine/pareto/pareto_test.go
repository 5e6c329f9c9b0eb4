package pareto

import (
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMain asks for 10,000 cases of every property, unless told another number.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		if err := flag.Set("rapid.checks", "10000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// awkward are values with ties, both zeros, both infinities, neighbours and NaN.
var awkward = []float64{
	0, math.Copysign(0, -1), 1, 2, 3, math.Nextafter(2, 3), -1, -2, 0.5, math.Inf(1), math.Inf(-1), math.NaN(), math.NaN(),
	math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, math.MaxFloat64,
}

// drawColumns draws points whose values are all awkward, few and mostly equal,
// or any.
func drawColumns(t *rapid.T, dims, most int) [][]float64 {
	n := rapid.IntRange(0, most).Draw(t, "n")
	// A generator of its own is an order faster than a draw a value, and the
	// number of points is what a failure wants made small.
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	columns := make([][]float64, dims)
	for k := range columns {
		values := rapid.SampledFrom([][]float64{awkward, {1, 2, 3, 4}, {0, math.Inf(1)}, {7}, nil}).Draw(t, "values")
		columns[k] = make([]float64, n)
		for i := range columns[k] {
			if values == nil {
				columns[k][i] = rng.NormFloat64()
			} else {
				columns[k][i] = values[rng.IntN(len(values))]
			}
		}
	}
	return columns
}

// drawTuning draws the usual sizes, or some at which even few points go the way
// of many.
func drawTuning(t *rapid.T) tuning {
	return rapid.SampledFrom([]tuning{usual, usual, usual, {sample: 1, serial: 0}, {sample: 6, serial: 2},
		{sample: 20, serial: 9}}).Draw(t, "tuning")
}

// dominates says so by the definition.
func dominates(columns [][]float64, i, j int) bool {
	less := false
	for _, c := range columns {
		if !(c[i] <= c[j]) {
			return false
		}
		less = less || c[i] < c[j]
	}
	return less
}

// bruteForce is the frontier by its definition, in the promised order.
func bruteForce(columns [][]float64, allowed func(i int) bool) []int {
	var candidates, front []int
	for i := range columns[0] {
		if allowed(i) && known(i, columns...) {
			candidates = append(candidates, i)
		}
	}
	for _, i := range candidates {
		if !slices.ContainsFunc(candidates, func(j int) bool { return dominates(columns, j, i) }) {
			front = append(front, i)
		}
	}
	slices.SortStableFunc(front, func(a, b int) int {
		for _, c := range columns {
			if c[a] < c[b] {
				return -1
			} else if c[a] > c[b] {
				return 1
			}
		}
		return 0
	})
	return front
}

func everyone(int) bool { return true }

func TestFrontierIsThatOfTheDefinition(t *testing.T) {
	t.Parallel()
	for name, dims := range map[string]int{"1D": 1, "2D": 2, "3D": 3, "4D": 4, "5D": 5} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				columns := drawColumns(t, dims, 20+30*one(dims > 3)) // from 25 on they are divided
				before := make([][]float64, dims)
				for k, c := range columns {
					before[k] = slices.Clone(c)
				}
				got := frontier(columns, drawTuning(t))
				if want := bruteForce(columns, everyone); !slices.Equal(got, want) {
					t.Fatalf("%v: got %v, want %v", columns, got, want)
				}
				for k, c := range before {
					if !slices.EqualFunc(c, columns[k],
						func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
						t.Fatal("the columns were changed")
					}
				}
			})
		})
	}
}

// TestDominance holds the answer to what it is for: nobody on the frontier is
// beaten, and everybody else is, by somebody on it.
func TestDominance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		columns := drawColumns(t, 3, 30)
		front := frontier(columns, usual)
		for i := range columns[0] {
			beaten := slices.ContainsFunc(front, func(j int) bool { return dominates(columns, j, i) })
			if on := slices.Contains(front, i); on && (beaten || !known(i, columns...)) || !on && !beaten &&
				known(i, columns...) {
				t.Fatalf("%v: point %d, frontier %v", columns, i, front)
			}
		}
	})
}

// TestLargeSets goes through what small sets do not reach: radix sort, many
// chunks, staircases of many floors.
func TestLargeSets(t *testing.T) {
	t.Parallel()
	for _, s := range sets(10_000) {
		for _, steps := range []float64{0, 50, 1000} { // 0: as drawn, else few values and many ties
			columns := make([][]float64, len(s.columns))
			for k, c := range s.columns {
				columns[k] = slices.Clone(c)
				for i := range c {
					if steps > 0 {
						columns[k][i] = math.Floor(c[i] * steps)
					}
				}
			}
			got, want := frontier(columns, usual), plain(columns)
			if !slices.Equal(got, want) {
				t.Errorf("%s in %v steps: %d points, not %d", s.name, steps, len(got), len(want))
			}
			if len(want) == 0 {
				t.Errorf("%s in %v steps: nothing to compare", s.name, steps)
			}
		}
	}
}

// TestSkewedAndPeriodicSets are sets whose values lie badly for buckets.
func TestSkewedAndPeriodicSets(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 5))
	n := 20_000
	if testing.Short() {
		n = 5_000 // it is compared with the plain way, whose time grows with the square
	}
	for name, value := range map[string]func(i int) float64{
		"exponents": func(int) float64 { return math.Exp(300 * rng.NormFloat64()) },
		"one huge":  func(i int) float64 { return map[bool]float64{true: 1e300, false: rng.Float64()}[i%9999 == 0] },
		"signs":     func(int) float64 { return rng.NormFloat64() },
		"periodic":  func(i int) float64 { return float64(i % 64) },
		"constant":  func(int) float64 { return 3 },
		"holes":     func(i int) float64 { return map[bool]float64{true: math.NaN(), false: rng.Float64()}[i%7 != 0] },
	} {
		columns := make([][]float64, 5)
		for k := range columns {
			for i := range n {
				columns[k] = append(columns[k], value(i+k))
			}
		}
		for dims := 2; dims <= len(columns); dims++ {
			if got, want := frontier(columns[:dims], usual), plain(columns[:dims]); !slices.Equal(got, want) {
				t.Errorf("%s: %d-D: %d points, not %d", name, dims, len(got), len(want))
			}
		}
	}
}

func TestNegateTurnsTheDirection(t *testing.T) {
	accuracy := []float64{0.9, math.NaN(), 0.95, 0.9, 0.8}
	seconds := []float64{1, 1, 4, 2, 0.5}
	if got := Frontier2D(seconds, Negate(accuracy)); !slices.Equal(got, []int{4, 0, 2}) {
		t.Error(got)
	}
	if accuracy[0] != 0.9 {
		t.Error("the column itself was turned")
	}
}

func TestNothingAndNobody(t *testing.T) {
	nan := []float64{math.NaN()}
	if Frontier2D(nil, nil) != nil || Frontier2D(nan, []float64{1}) != nil ||
		frontier([][]float64{nil, nil, nil}, usual) != nil ||
		frontier([][]float64{nan, nan, nan}, usual) != nil {
		t.Error("somebody is on the frontier of nobody")
	}
}
