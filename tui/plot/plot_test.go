package plot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/pareto"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

func themes(t testing.TB) []*theme.Theme {
	t.Helper()
	var out []*theme.Theme
	for _, name := range []string{"braille", "block", "ascii"} {
		sym, err := theme.SymbolSet(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, theme.New("", true, false).WithSymbols(sym))
	}
	return out
}

// exact fails unless view has exactly h lines of w cells.
func exact(t interface {
	Helper()
	Fatalf(string, ...any)
}, view string, w, h int) {
	t.Helper()
	if w <= 0 || h <= 0 {
		if view != "" {
			t.Fatalf("%d×%d drew %q", w, h, view)
		}
		return
	}
	lines := text.Lines(view)
	if len(lines) != h {
		t.Fatalf("%d×%d: %d lines", w, h, len(lines))
	}
	for i, l := range lines {
		if text.Width(l) != w {
			t.Fatalf("%d×%d: line %d is %d cells: %q", w, h, i, text.Width(l), ansi.Strip(l))
		}
	}
}

// example is a small plot with everything on it.
func example(th *theme.Theme) *Scatter {
	s := NewScatter(th)
	rng := rand.New(rand.NewPCG(1, 2))
	n := 400
	d := Data{Version: 1, X: make([]float64, n), Y: make([]float64, n), Class: make([]uint8, n), Of: "candidate"}
	ok := make([]bool, n)
	for i := range n {
		d.X[i] = 600 * math.Exp(rng.NormFloat64()*0.7+1)
		d.Y[i] = 0.5 + 0.3*rng.Float64()
		d.Class[i] = uint8(i % 3)
		ok[i] = d.Y[i] > 0.6
	}
	for i, x := range []float64{500, 900, 1500, 3000} {
		d.X[i], d.Y[i], ok[i] = x, 0.65+0.05*float64(i), true
	}
	s.SetAxes(
		Axis{Title: "time", Log: true, Label: DurationLabel, Read: DurationReading, Ticks: DurationTicks},
		Axis{Title: "top-5", Label: PercentLabel, Read: PercentReading},
	)
	s.SetData(d)
	s.SetFeasible(1, setOf(ok))
	s.SetFrontier([]int{0, 1, 2, 3})
	s.SetSelected(2, Whiskers{1200, 1900, 0.73, 0.77})
	s.SetPinned([]int{3})
	return s
}

func TestScatterGolden(t *testing.T) {
	for _, th := range themes(t) {
		t.Run(th.Symbols.Name, func(t *testing.T) {
			s := example(th)
			s.SetSize(60, 18)
			exact(t, s.View(), 60, 18)
			golden.RequireEqual(t, ansi.Strip(s.View()))
		})
	}
}

func TestZoomedGolden(t *testing.T) {
	for _, th := range themes(t) {
		for _, size := range [][2]int{{100, 30}, {41, 16}, {24, 8}} {
			t.Run(fmt.Sprintf("%s-%dx%d", th.Symbols.Name, size[0], size[1]), func(t *testing.T) {
				s := example(th)
				s.SetSize(size[0], size[1])
				s.ZoomOn(4, 1500, 0.72)
				s.setCross(&s.cross, crosshair{true, 1700, 0.73})
				exact(t, s.View(), size[0], size[1])
				golden.RequireEqual(t, ansi.Strip(s.View()))
			})
		}
	}
}

func TestDenseGolden(t *testing.T) {
	s := cloud(100_000)
	s.SetSize(57, 20)
	s.SetCrosshair(30, 8, true)
	golden.RequireEqual(t, s.View()) // with the pens, which shade
}

func TestSparseScatterShowsClassRunes(t *testing.T) {
	s := NewScatter(theme.New("", true, false))
	s.SetSize(60, 12)
	s.SetData(Data{Version: 1, X: []float64{1, 2, 3, 4}, Y: []float64{1, 4, 2, 3}, Class: []uint8{0, 1, 2, 3}})
	s.SetFeasible(1, setOf([]bool{true, true, true, false}))
	got := ansi.Strip(s.View())
	for _, want := range []string{"●", "▲", "■", "·"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("want one %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "◆") {
		t.Errorf("the infeasible point is drawn like a feasible one:\n%s", got)
	}
}

func TestHitFindsWhatIsDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		value := rapid.Float64Range(0.001, 1e6)
		d := Data{Version: 1}
		for range n {
			d.X, d.Y = append(d.X, value.Draw(t, "x")), append(d.Y, value.Draw(t, "y"))
		}
		s := NewScatter(theme.New("", true, false))
		s.SetSize(rapid.IntRange(minWidth, 90).Draw(t, "w"), rapid.IntRange(minHeight, 30).Draw(t, "h"))
		s.SetAxes(Axis{Log: rapid.Bool().Draw(t, "log")}, Axis{})
		s.SetData(d)
		s.View()
		for i := range n {
			x, y, ok := s.CellOf(i)
			if !ok {
				t.Fatalf("point %d (%g, %g) has no cell", i, d.X[i], d.Y[i])
			}
			hit, ok := s.Hit(x, y)
			if !ok {
				t.Fatalf("nothing hit at the cell of point %d", i)
			}
			if hx, hy, _ := s.CellOf(hit); hx != x || hy != y {
				t.Fatalf("hit point %d at %d,%d instead of %d,%d", hit, hx, hy, x, y)
			}
		}
	})
}

func TestCrosshairReadsThePointBelowIt(t *testing.T) {
	s := example(theme.New("", true, false))
	s.SetSize(80, 24)
	s.View()
	col, row, _ := s.CellOf(1)
	x, y, ok := s.At(col, row)
	if !ok || math.Abs(math.Log(x/900)) > 0.1 || math.Abs(y-0.70) > 0.03 {
		t.Errorf("read %.0f, %.3f (%v) at the point 900, 0.70", x, y, ok)
	}
	s.SetCrosshair(col, row, true)
	if got := ansi.Strip(s.View()); !strings.Contains(got, "┊") || !strings.Contains(got, " s, 70.") {
		t.Errorf("no crosshair in\n%s", got)
	}
	s.SetCrosshair(0, 0, false)
	if strings.Contains(s.View(), "┊") {
		t.Error("crosshair stays after it was hidden")
	}
}

func TestViewIsCachedUntilSomethingChanges(t *testing.T) {
	s := example(theme.New("", true, false))
	s.SetSize(60, 18)
	before := s.View()
	if allocs := testing.AllocsPerRun(10, func() { s.View() }); allocs != 0 {
		t.Errorf("an unchanged plot allocates %.0f times", allocs)
	}
	s.SetSelected(1, Whiskers{})
	if s.View() == before {
		t.Error("another selection, the same frame")
	}
	before = s.View()
	s.SetFeasible(2, pareto.NewSet(400))
	if s.View() == before {
		t.Error("everything infeasible, the same frame")
	}
	before = s.View()
	s.SetTheme(theme.New("light", false, false))
	if s.View() == before {
		t.Error("another theme, the same frame")
	}
}

func TestDataGivenWhileTooSmallShowsLater(t *testing.T) {
	s := NewScatter(theme.New("", true, false))
	s.SetSize(5, 3)
	s.View()
	s.SetData(Data{Version: 7, X: []float64{1, 2}, Y: []float64{3, 4}})
	if got := s.View(); !strings.Contains(ansi.Strip(got), "plot") {
		t.Errorf("too small says %q", got)
	}
	s.SetSize(40, 10)
	if got := ansi.Strip(s.View()); strings.Count(got, "●") != 2 {
		t.Errorf("want two points in\n%s", got)
	}
}

func times(n int) []float64 {
	rng := rand.New(rand.NewPCG(5, 6))
	out := make([]float64, n)
	for i := range out {
		out[i] = 0.0613 * (1 + 0.01*rng.NormFloat64() + 0.4*math.Exp(-float64(i)/8))
	}
	if n > 0 {
		out[0] = 4.1
	}
	return out
}

func TestLiveGolden(t *testing.T) {
	for _, th := range themes(t) {
		t.Run(th.Symbols.Name, func(t *testing.T) {
			l := NewLive(th)
			l.SetSize(70, 14)
			l.SetData(1, times(118), 23, estimate.Spread(0.0613, 0.014, estimate.Measured))
			exact(t, l.View(), 70, 14)
			golden.RequireEqual(t, ansi.Strip(l.View()))
		})
	}
}

func TestLiveMarksWhatItClips(t *testing.T) {
	l := NewLive(theme.New("", true, false))
	l.SetSize(60, 12)
	l.SetData(1, times(60), 10, estimate.Estimate{})
	if got := ansi.Strip(l.View()); strings.Count(got, "↑") == 0 {
		t.Errorf("a first iteration of 4.1 s among 61 ms isn't marked:\n%s", got)
	}
	if strings.Contains(l.View(), "═") {
		t.Error("a steady line without a steady mean")
	}
}

func TestLiveBeforeTheFirstIteration(t *testing.T) {
	l := NewLive(theme.New("", true, false))
	l.SetSize(60, 12)
	l.SetData(1, []float64{math.NaN()}, 0, estimate.Estimate{})
	if got := ansi.Strip(l.View()); !strings.Contains(got, "waiting for the first iteration") {
		t.Errorf("got\n%s", got)
	}
}

func TestSparkAndBar(t *testing.T) {
	for _, th := range themes(t) {
		for w := range 30 {
			for _, values := range [][]float64{nil, {0.5}, {math.NaN(), math.Inf(1), -3, 0.2, 1}, times(50)} {
				for _, top := range []float64{0, 1, math.NaN(), -1} {
					exact(t, Spark(th, values, w, top), w, 1)
				}
			}
			for _, f := range []float64{math.NaN(), -1, 0, 0.5, 0.999, 1, 7} {
				exact(t, Bar(th, f, w), w, 1)
			}
		}
	}
	th := theme.New("", true, false)
	if got := ansi.Strip(Spark(th, []float64{0.125, 0.5, 1}, 4, 1)); got != " ▁▄█" {
		t.Errorf("Spark = %q", got)
	}
	if got := ansi.Strip(Bar(th, 0.97, 5)); got != "████▉" {
		t.Errorf("Bar(0.97) = %q", got)
	}
	if got := ansi.Strip(Bar(th, 0.01, 5)); !strings.HasPrefix(got, "▏") {
		t.Errorf("a small share vanishes: %q", got)
	}
}

// Nothing is selected in a new plot.
func TestNothingIsSelectedAtFirst(t *testing.T) {
	for _, th := range themes(t) {
		fresh := func() *Scatter {
			s := NewScatter(th)
			s.SetSize(40, 12)
			s.SetData(Data{Version: 1, X: []float64{1, 2, 3}, Y: []float64{1, 3, 2}, Class: []uint8{0, 1, 2}, Of: "candidate"})
			return s
		}
		none := fresh()
		none.SetSelected(-1, Whiskers{})
		one := fresh()
		one.SetSelected(1, Whiskers{})
		if got := fresh().View(); got != none.View() || got == one.View() {
			t.Errorf("drawn\n%s", ansi.Strip(got))
		}
	}
}
