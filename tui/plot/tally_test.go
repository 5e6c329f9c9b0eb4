package plot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"sweetspot/engine/pareto"
	"sweetspot/engine/quantity"
	"sweetspot/tui/theme"
)

// cloud is a plot of n points, half of them feasible.
func cloud(n int) *Scatter {
	rng := rand.New(rand.NewPCG(3, 4))
	d := Data{Version: 1, X: make([]float64, n), Y: make([]float64, n), Class: make([]uint8, n), Of: "candidate"}
	ok := make([]bool, n)
	var frontier []int
	best := 0.0
	for i := range n {
		d.X[i] = math.Exp(rng.NormFloat64())
		d.Y[i] = rng.Float64()
		d.Class[i] = uint8(i % 5)
		ok[i] = i%2 == 0
	}
	for i := range min(n, 1000) {
		if d.Y[i] > best {
			best = d.Y[i]
			frontier = append(frontier, i)
		}
	}
	s := NewScatter(theme.New("", true, false))
	s.SetSize(57, 20)
	s.SetAxes(Axis{Log: true}, Axis{})
	s.SetData(d)
	s.SetFeasible(1, setOf(ok))
	s.SetFrontier(frontier)
	s.View()
	return s
}

// scattered draws a small plot: size, axes, points, some of which have no
// place.
func scattered(t *rapid.T, n int) (*Scatter, Data) {
	value := rapid.OneOf(rapid.Float64Range(0.001, 1e4),
		rapid.SampledFrom([]float64{1, 2, 10, 0, -3, math.NaN(), math.Inf(1)}))
	d := Data{Version: 1, Of: "point", X: rapid.SliceOfN(value, n, n).Draw(t, "x"),
		Y: rapid.SliceOfN(value, n, n).Draw(t, "y")}
	if rapid.Bool().Draw(t, "classes") {
		d.Class = rapid.SliceOfN(rapid.Uint8(), n, n).Draw(t, "class")
	}
	sym, _ := theme.SymbolSet(rapid.SampledFrom([]string{"braille", "block", "ascii"}).Draw(t, "symbols"))
	s := NewScatter(theme.New("", true, false).WithSymbols(sym))
	s.SetSize(rapid.IntRange(minWidth, 60).Draw(t, "w"), rapid.IntRange(minHeight, 16).Draw(t, "h"))
	s.SetAxes(Axis{Title: "x", Log: rapid.Bool().Draw(t, "log x"), Invert: rapid.Bool().Draw(t, "invert x")},
		Axis{Title: "y", Log: rapid.Bool().Draw(t, "log y"), Invert: rapid.Bool().Draw(t, "invert y")})
	s.SetData(d)
	return s, d
}

// setOf is the points for which there is true.
func setOf(in []bool) pareto.Set {
	return pareto.Where(len(in), func(i int) bool { return in[i] })
}

// like is a plot of the same things that has counted nothing yet.
func like(s *Scatter, feasible []bool) *Scatter {
	o := NewScatter(s.th)
	o.SetSize(s.w, s.h)
	o.SetAxes(s.ax, s.ay)
	o.SetData(s.data)
	o.SetFeasible(1, setOf(feasible))
	o.SetFrontier(s.frontier)
	o.show(s.viewX, s.viewY)
	o.cross = s.cross
	return o
}

// checkCounts compares the counts of every cell with those of the points.
func checkCounts(t *rapid.T, s *Scatter, feasible []bool) {
	t.Helper()
	type count struct{ all, good int }
	want := map[[2]int]count{}
	for i := range s.data.X {
		if col, row, ok := s.CellOf(i); ok {
			c := want[[2]int{col, row}]
			c.all++
			if feasible[i] {
				c.good++
			}
			want[[2]int{col, row}] = c
		}
	}
	for row := range s.h {
		for col := range s.w {
			all, good, ok := pointsIn(s, col, row)
			if w := want[[2]int{col, row}]; w != (count{all, good}) || !ok && w.all > 0 {
				t.Fatalf("cell %d,%d holds %d points, %d feasible; counted %d, %d", col, row, w.all, w.good, all, good)
			}
		}
	}
}

// 100 checks × 120 steps are 12,000 cases.
func TestChangesCountAsFromScratch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		s, _ := scattered(t, n)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		feasible := make([]bool, n)
		s.SetFeasible(1, setOf(feasible))
		version := uint64(1)
		for range 120 {
			feasible = slices.Clone(feasible)
			for range rng.IntN(n/4 + 2) {
				if n > 0 {
					feasible[rng.IntN(n)] = rng.IntN(2) == 0 // more than once, or as it was: no matter
				}
			}
			version++
			s.SetFeasible(version, setOf(feasible))
			switch rng.IntN(12) {
			case 0:
				s.Zoom([]float64{0.5, 1.4, 3}[rng.IntN(3)], rng.IntN(s.w), rng.IntN(s.h))
			case 1:
				s.SetSize(minWidth+rng.IntN(40), minHeight+rng.IntN(12))
			case 2:
				s.SetCrosshair(rng.IntN(s.w), rng.IntN(s.h), true)
			case 3: // what isn't drawn must be counted all the same
				continue
			}
			if got, want := s.View(), like(s, feasible).View(); got != want {
				t.Fatalf("%d points, version %d: got\n%s\nfrom scratch\n%s", n, version, ansi.Strip(got), ansi.Strip(want))
			}
			if rng.IntN(10) == 0 && !s.nothing {
				checkCounts(t, s, feasible)
			}
		}
	})
}

func TestAllFeasibleWithoutASlice(t *testing.T) {
	s := cloud(1000)
	col, row, _ := s.CellOf(1)
	_, before, _ := pointsIn(s, col, row)
	s.SetFeasible(2, nil)
	all, after, _ := pointsIn(s, col, row)
	if after != all || after <= before {
		t.Errorf("of %d points %d are feasible, of half of them %d", all, after, before)
	}
}

// Points stand where the scales say, but for rounding.
func TestBinsPlaceLikeTheScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(1e-6, 1e6).Draw(t, "lo")
		axis := Axis{Log: rapid.Bool().Draw(t, "log"), Invert: rapid.Bool().Draw(t, "invert")}
		whole, ok := newScale(axis, lo, lo*rapid.SampledFrom([]float64{1, 1.0001, 2, 1e3, 1e12}).Draw(t, "range"))
		if !ok {
			t.Fatal("no scale")
		}
		from := rapid.Float64Range(-0.2, 1).Draw(t, "from")
		view, _ := whole.moved(whole, from, from+rapid.Float64Range(0.001, 1).Draw(t, "width"))
		s, n := whole.within(view), rapid.IntRange(1, 400).Draw(t, "dots")
		codes := make([]int32, n+1)
		for i := range codes {
			codes[i] = int32(i)
		}
		var b bins
		b.set(s, n, codes)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		values := []float64{s.lo, s.hi, 0, -1, math.NaN(), math.Inf(1), math.Inf(-1)}
		for range 200 {
			values = append(values, whole.value(rng.Float64()*1.1-0.05), s.value(rng.Float64()))
		}
		got := make([]int32, len(values))
		b.add(got, values)
		for i, v := range values {
			f := s.frac(v)
			want := cellOf(f, n)
			atEdge := math.Abs(f*float64(n)-math.Round(f*float64(n))) < 1e-6
			switch {
			case int(got[i]) == want, got[i] < 0 && want < 0:
			case atEdge && abs(int(got[i])-want) <= 1:
			case atEdge && (got[i] < 0 || want < 0): // the ends of the axis
			default:
				t.Fatalf("%g at %g of %d dots is in dot %d", v, f, n, got[i])
			}
		}
	})
}

func TestReadingCountsItsCell(t *testing.T) {
	s := cloud(50_000)
	s.SetSize(80, 20)
	busiest, most := [2]int{}, 0
	for row := range 20 {
		for col := range 80 {
			if n, _, _ := pointsIn(s, col, row); n > most {
				busiest, most = [2]int{col, row}, n
			}
		}
	}
	all, good, _ := pointsIn(s, busiest[0], busiest[1])
	s.SetCrosshair(busiest[0], busiest[1], true)
	want := fmt.Sprintf("%s candidates, %s feasible", quantity.Count(float64(all)), quantity.Count(float64(good)))
	if got := ansi.Strip(s.View()); all < 30 || !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

func TestShades(t *testing.T) {
	for _, c := range []struct {
		most uint32
		want shades
	}{{0, shades{2, 5}}, {14, shades{2, 5}}, {30, shades{2, 10}}, {700, shades{20, 200}}, {9000, shades{200, 2000}},
		{math.MaxUint32, shades{100_000_000, 1_000_000_000}}} {
		if got := shadesFor(c.most); got != c.want {
			t.Errorf("most %d: %v, want %v", c.most, got, c.want)
		}
	}
	for _, c := range []struct {
		n    uint32
		want string
	}{{2, "2"}, {500, "500"}, {5000, "5k"}, {20_000, "20k"}, {2_000_000, "2M"}} {
		if got := short(c.n); got != c.want {
			t.Errorf("%d: %q, want %q", c.n, got, c.want)
		}
	}
}

// The scale of the shading stays while feasibility changes.
func TestShadingStandsStill(t *testing.T) {
	s := cloud(20_000)
	scale := s.shades
	s.SetFeasible(2, pareto.NewSet(20_000))
	s.View()
	if s.shades != scale || scale.strong < 10 {
		t.Errorf("%v became %v", scale, s.shades)
	}
}

func TestAllocationsDoNotGrowWithPoints(t *testing.T) {
	for _, what := range []struct {
		name string
		do   func(s *Scatter, k int)
	}{
		{"scrub", func(s *Scatter, k int) { s.SetFeasible(uint64(10+k), steps(len(s.data.X))[k%2]) }},
		{"zoom", func(s *Scatter, k int) { s.Zoom([]float64{2, 0.5}[k%2], 20, 8) }},
		{"hover", func(s *Scatter, k int) { s.SetCrosshair(10+k%20, 8, true) }},
		{"hit", func(s *Scatter, k int) { s.Hit(10+k%20, 8) }},
	} {
		allocs := func(n int) float64 {
			s, k := cloud(n), 0
			return testing.AllocsPerRun(6, func() {
				what.do(s, k)
				k++
				s.View()
			})
		}
		steps(500)
		steps(serialBelow * 2)
		// From some size on there are the goroutines that place points.
		if small, large := allocs(500), allocs(serialBelow*2); large > small+4+3*maxWorkers {
			t.Errorf("%s: %.0f allocations with 500 points, %.0f with %d", what.name, small, large, serialBelow*2)
		}
	}
}

func TestPlotKeepsFewBytesAPoint(t *testing.T) {
	const n = 100_000
	s := cloud(n)
	s.ZoomOn(3, 1, 0.5)
	s.View()
	if got := cap(s.codes)*4 + cap(s.feasible)*8; got > 8*n {
		t.Errorf("%d bytes for %d points", got, n)
	}
}

// steps are two sets of feasible points as neighbouring steps of a slider have
// them: they differ in one of a hundred.
func steps(n int) [2]pareto.Set {
	if s, ok := stepsOf[n]; ok {
		return s
	}
	rng := rand.New(rand.NewPCG(7, 8))
	s := [2]pareto.Set{pareto.NewSet(n), pareto.NewSet(n)}
	for i := range n {
		s[0].Put(i, i%2 == 0)
		s[1].Put(i, s[0].Has(i) != (rng.IntN(100) == 0))
	}
	stepsOf[n] = s
	return s
}

var stepsOf = map[int][2]pareto.Set{}

// BenchmarkScatter is a slider's step in both plots of 57×20 cells: a hundredth
// of the points changes.
func BenchmarkScatter(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"1k", 1000}, {"100k", 100_000}, {"1M", 1_000_000}} {
		plots, ok := [2]*Scatter{cloud(size.n), cloud(size.n)}, steps(size.n)
		version := uint64(10)
		b.Run(size.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				version++
				for _, s := range plots {
					s.SetFeasible(version, ok[version%2])
					if s.View() == "" {
						b.Fatal("nothing drawn")
					}
				}
			}
		})
	}
}

// BenchmarkScatterPlace places a million points in one plot again, after a zoom
// and for other data.
func BenchmarkScatterPlace(b *testing.B) {
	s := cloud(1_000_000)
	b.Run("zoom", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			factor := 1.5
			if s.Magnification() > 1 {
				factor = 1 / factor
			}
			if !s.Zoom(factor, 20, 8) {
				b.Fatal("no zoom")
			}
			s.View()
		}
		s.Whole()
	})
	b.Run("data", func(b *testing.B) {
		b.ReportAllocs()
		d := s.data
		for b.Loop() {
			d.Version++
			s.SetData(d)
			s.View()
		}
	})
}

// BenchmarkScatterPoint is what the mouse does over a million points.
func BenchmarkScatterPoint(b *testing.B) {
	s := cloud(1_000_000)
	i := 0
	b.Run("select", func(b *testing.B) {
		for b.Loop() {
			i++
			s.SetSelected(i%1000, Whiskers{})
			s.View()
		}
	})
	b.Run("hover", func(b *testing.B) {
		for b.Loop() {
			i++
			s.SetCrosshair(10+i%30, 8, true)
			s.View()
		}
	})
	b.Run("hit", func(b *testing.B) {
		for b.Loop() {
			i++
			if _, ok := s.Hit(10+i%30, 8); !ok {
				b.Fatal("nothing there")
			}
		}
	})
}

// pointsIn is the number of points in a cell, and of feasible ones among them.
func pointsIn(s *Scatter, col, row int) (all, feasible int, ok bool) {
	if !s.ready() || !s.inside(col, row) {
		return 0, 0, false
	}
	c := s.tallies[0].cells[row*s.frame.gw+col-s.frame.gutter]
	return int(c.all), int(c.good), true
}
