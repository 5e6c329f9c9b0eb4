package plot

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

func TestRoundNumbers(t *testing.T) {
	if !slices.IsSorted(roundSeconds) {
		t.Errorf("%v rise and fall", roundSeconds)
	}
	for _, log := range []bool{false, true} { // a logarithmic range does not begin at nothing
		if got := niceTicks(0, 10, log, 5); !slices.Equal(got, []float64{0, 5, 10}) {
			t.Errorf("logarithmic %v: %v", log, got)
		}
	}
	for x, want := range map[float64]float64{1: 1, 1.999: 1, 2: 2, 4.99: 2, 5: 5, 9.99: 5, 10: 10, 0.05: 0.05, 0: 0,
		-1: 0} {
		if got := RoundDown(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g rounds down to %g", x, got)
		}
	}
	for x, want := range map[float64]float64{1: 1, 1.01: 2, 2: 2, 2.01: 5, 5: 5, 5.01: 10, 0.04: 0.05, 0: 1, -3: 1} {
		if got := niceStep(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("the step not below %g is %g", x, got)
		}
	}
	for x, want := range map[float64]float64{0.3: 0.2, 1: 1, 4.9: 2, 59: 30, 60: 60, 89_999: 86_400, 1e12: 500 * 86400} {
		if got := RoundDuration(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("the duration not above %g is %g", x, got)
		}
	}
}

// clip keeps of a line what is inside, as stepping along it finds.
func TestClipKeepsWhatIsInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Float64Range(-60, 100)
		a, b := [2]float64{at.Draw(t, "ax"), at.Draw(t, "ay")}, [2]float64{at.Draw(t, "bx"), at.Draw(t, "by")}
		const w, h, steps = 40.0, 24.0, 4000
		x0, y0, x1, y1, ok := clip(a, b, w, h)
		inside := [][2]float64{}
		for k := range steps + 1 {
			f := float64(k) / steps
			if x, y := a[0]+f*(b[0]-a[0]), a[1]+f*(b[1]-a[1]); x >= 0 && x <= w && y >= 0 && y <= h {
				inside = append(inside, [2]float64{x, y})
			}
		}
		if len(inside) > 2 && !ok {
			t.Fatalf("%v to %v: %d points are inside, clipped %v", a, b, len(inside), ok)
		}
		if !ok || len(inside) < 3 {
			return
		}
		for k, got := range [][2]int{{x0, y0}, {x1, y1}} {
			want := inside[k*(len(inside)-1)]
			if math.Abs(float64(got[0])+0.5-want[0]) > 0.6 || math.Abs(float64(got[1])+0.5-want[1]) > 0.6 {
				t.Fatalf("%v to %v: end %d is dot %v, not at %v", a, b, k, got, want)
			}
		}
	})
	nan := math.NaN()
	if _, _, _, _, ok := clip([2]float64{nan, 0}, [2]float64{1, 1}, 4, 4); ok {
		t.Error("a line from nowhere is drawn")
	}
	if _, _, _, _, ok := clip([2]float64{5, 1}, [2]float64{5, 3}, 4, 4); ok {
		t.Error("an upright line beside the graph is drawn")
	}
}

func TestIntervalsAreClippedAtTheAxis(t *testing.T) {
	linear, _ := newScale(Axis{Min: 0, Max: 10}, 0, 10)
	inverted, _ := newScale(Axis{Min: 0, Max: 10, Invert: true}, 0, 10)
	logarithmic, _ := newScale(Axis{Log: true, Min: 1, Max: 100}, 1, 100)
	for _, c := range []struct {
		s        scale
		lo, hi   float64
		from, to int
		ok       bool
	}{
		{linear, 2, 4.5, 4, 9, true}, {linear, -5, 4.5, 0, 9, true}, {linear, 2, 50, 4, 19, true}, {linear, -5, 50, 0, 19,
			true},
		{linear, 4, 4, 0, 0, false}, {linear, 5, 4, 0, 0, false}, {linear, 11, 12, 0, 0, false}, {linear, -3, -1, 0, 0,
			false},
		{linear, math.NaN(), 4, 0, 0, false}, {linear, 2, math.NaN(), 0, 0, false},
		{linear, math.Inf(-1), math.Inf(1), 0, 19, true}, {inverted, 2, 4.5, 11, 16, true},
		{logarithmic, 10, 50, 10, 16, true}, {logarithmic, -1, 10, 0, 10, true}, {logarithmic, 0, 10, 0, 10, true},
		{logarithmic, -2, -1, 0, 0, false}, {logarithmic, -2, 0, 0, 0, false},
	} {
		from, to, ok := c.s.span(c.lo, c.hi, 20)
		if ok != c.ok || ok && (from != c.from || to != c.to) {
			t.Errorf("%g to %g is %d to %d, %v, not %d to %d, %v", c.lo, c.hi, from, to, ok, c.from, c.to, c.ok)
		}
	}
}

// Whiskers stand left, right, above and below of the point, and nowhere on it.
func TestWhiskersEndWhereTheIntervalDoes(t *testing.T) {
	th := theme.New("", true, false)
	s := NewScatter(th)
	s.SetSize(60, 20)
	s.SetAxes(Axis{Title: "x", Min: 0, Max: 10}, Axis{Title: "y", Min: 0, Max: 10})
	s.SetData(Data{Version: 1, X: []float64{5, 1}, Y: []float64{5, 1}})
	for _, c := range []struct {
		w    Whiskers
		want string
	}{{Whiskers{2, 8, 3, 7}, "├┤┬┴"}, {Whiskers{2, 5, 5, 7}, "├┬"}, {Whiskers{5, 8, 3, 5}, "┤┴"}, {Whiskers{}, ""}} {
		s.SetSelected(0, c.w)
		view := []rune(ansi.Strip(s.View()))
		for _, end := range "├┤┬┴" {
			n := 0
			for i, r := range view {
				if pen := s.canvas.pens; r == end && i/61 < s.frame.gh && pen[i/61*60+i%61] == penPinned {
					n++
				}
			}
			if want := strings.Count(c.want, string(end)); n != want {
				t.Errorf("%+v: %d ends %c, not %d:\n%s", c.w, n, end, want, string(view))
			}
		}
	}
}

// What another version or length brings is drawn; the same one is not looked at again.
func TestDataIsTakenOncePerVersion(t *testing.T) {
	s := NewScatter(theme.New("", true, false))
	s.SetSize(40, 12)
	xs, ys := []float64{1, 2, 3}, []float64{1, 2, 3}
	s.SetData(Data{Version: 1, X: xs, Y: ys})
	s.SetSelected(1, Whiskers{})
	s.SetPinned([]int{0})
	if s.SetData(Data{Version: 1, X: xs, Y: ys}); s.selected != 1 || len(s.pinned) != 1 {
		t.Error("the same points are taken for others")
	}
	if s.SetData(Data{Version: 2, X: xs, Y: ys}); s.selected != -1 || len(s.pinned) != 0 {
		t.Error("marks of other points stay")
	}
	s.SetSelected(1, Whiskers{})
	if s.SetData(Data{Version: 2, X: xs[:2], Y: ys}); s.selected != -1 || len(s.data.Y) != 2 {
		t.Error("fewer points of the same version are not taken")
	}
	if s.w != 40 || s.h != 12 {
		t.Errorf("it has %d×%d", s.w, s.h)
	}
}

// The longest words that fit stand under the crosshair, on two lines where one is too short.
func TestTheReadingUsesItsRoom(t *testing.T) {
	s := NewScatter(theme.New("", true, false))
	plain := func(v, _ float64) string { return strings.Repeat("v", 4) }
	s.SetAxes(Axis{Title: "x", Min: 0, Max: 1, Label: plain}, Axis{Title: "y", Min: 0, Max: 1, Label: plain})
	xs := slices.Repeat([]float64{0.5}, 12)
	s.SetData(Data{Version: 1, X: xs, Y: xs, Of: "candidate"})
	all := [][]string{
		{" vvvv, vvvv · 12 candidates, 12 feasible "}, {" vvvv, vvvv ", " 12 candidates, 12 feasible "},
		{" vvvv, vvvv · 12, 12 feasible "}, {" vvvv, vvvv ", " 12, 12 feasible "}, {" vvvv, vvvv · 12, 12 ok "},
		{" vvvv, vvvv ", " 12, 12 ok "}, {" vvvv, vvvv "},
	}
	for w := minWidth; w < 70; w++ {
		for h := minHeight; h < 10; h++ {
			s.SetSize(w, h)
			s.View()
			x, y, _ := s.CellOf(0)
			at := crosshair{true, 0.5, 0.5}
			want := all[len(all)-1]
			for _, lines := range all[:len(all)-1] {
				longest := max(text.Width(lines[0]), text.Width(lines[len(lines)-1]))
				if longest <= s.frame.gw && (len(lines) == 1 || s.frame.gh >= 4) {
					want = lines
					break
				}
			}
			if got := s.reading(at, x, y); !slices.Equal(got, want) {
				t.Fatalf("in %d×%d cells of a graph: %q, not %q", s.frame.gw, s.frame.gh, got, want)
			}
		}
	}
	s.data.Of = ""
	if got := s.reading(crosshair{true, 0.5, 0.5}, s.frame.gutter, 0); !slices.Equal(got, []string{" vvvv, vvvv "}) {
		t.Errorf("where counting says nothing: %q", got)
	}
}

// At an edge of a zoomed plot the crosshair takes the view along, a cell at a time.
func TestTheCrosshairTakesTheViewAlong(t *testing.T) {
	for _, c := range []struct{ cols, rows int }{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {5, 0}} {
		s := NewScatter(theme.New("", true, false))
		s.SetSize(60, 24)
		s.SetAxes(Axis{Title: "x", Min: 0, Max: 100}, Axis{Title: "y", Min: 0, Max: 100})
		s.SetData(Data{Version: 1, X: []float64{0, 50, 100}, Y: []float64{0, 50, 100}})
		s.ZoomOn(4, 50, 50)
		s.SetCrosshair(s.frame.gutter+s.frame.gw/2, s.frame.gh/2, true)
		inside := 0
		for range 200 {
			view := [2]span{s.viewX, s.viewY}
			before, _, _ := s.Crosshair()
			_, row, _ := s.Crosshair()
			s.MoveCrosshair(c.cols, c.rows)
			col, now, ok := s.Crosshair()
			if !ok {
				t.Fatalf("%+v: the crosshair is out of view", c)
			}
			if moved := col != before || now != row; moved {
				inside++
				if view != [2]span{s.viewX, s.viewY} && c.cols*c.cols+c.rows*c.rows == 1 {
					t.Fatalf("%+v: the view moves with a crosshair inside", c)
				}
			}
		}
		end := map[bool]float64{true: 100, false: 0}
		x, y := s.cross.x, s.cross.y
		if c.cols != 0 && math.Abs(x-end[c.cols > 0]) > 1 || c.rows != 0 && math.Abs(y-end[c.rows < 0]) > 2 {
			t.Errorf("%+v ends at %g, %g after %d cells", c, x, y, inside)
		}
	}
}

func TestZoomOfNothing(t *testing.T) {
	s := NewScatter(theme.New("", true, false))
	s.SetSize(60, 24)
	if s.ZoomFocus(2) || s.Zoom(2, 5, 5) || s.Pan(1, 1) || s.PanCells(1, 1) || s.Magnification() != 1 {
		t.Error("nothing is zoomed")
	}
	if _, _, ok := s.Crosshair(); ok {
		t.Error("nothing has a crosshair")
	}
	s.SetAxes(Axis{Title: "x", Min: 0, Max: 100}, Axis{Title: "y", Min: 0, Max: 100})
	s.SetData(Data{Version: 1, X: []float64{20}, Y: []float64{30}})
	s.SetSize(60, 24)
	if !s.ZoomFocus(2) || math.Abs(s.frame.x.value(0.5)-50) > 1e-9 && s.ready() && math.Abs(s.frame.x.value(0.5)-50) > 1 {
		t.Errorf("without a selection the middle is zoomed, here %g", s.frame.x.value(0.5))
	}
	s.Whole()
	s.SetSelected(0, Whiskers{})
	s.ZoomFocus(4)
	s.ready()
	if x, y := s.frame.x.value(0.5), s.frame.y.value(0.5); math.Abs(x-20) > 1 || math.Abs(y-30) > 1 {
		t.Errorf("the selected point is at %g, %g of the middle", x, y)
	}
	s.Whole()
	s.ready()
	x, y, _ := s.CellOf(0)
	s.SetCrosshair(x+20, y-8, true)
	want := [2]float64{s.cross.x, s.cross.y}
	s.ZoomFocus(4)
	s.ready()
	if x, y := s.frame.x.value(0.5), s.frame.y.value(0.5); math.Abs(x-want[0]) > 1 || math.Abs(y-want[1]) > 1 {
		t.Errorf("the crosshair is at %v, the middle at %g, %g", want, x, y)
	}
	if s.Zoom(0, 5, 5) || s.ZoomOn(-1, 5, 5) || s.ZoomOn(math.NaN(), 5, 5) {
		t.Error("a factor of nothing zooms")
	}
	s.SetSize(4, 2)
	if s.Magnification() < 2 {
		t.Error("without room the zoom is forgotten")
	}
}

func TestCellsKeepTheirPlace(t *testing.T) {
	c := canvas{table: penTable(theme.New("", true, false))}
	c.reset(6, 1)
	c.text(-1, 0, "a数b→", penPlain)
	if got := ansi.Strip(c.String()); got != "?b→   " {
		t.Errorf("written as %q", got)
	}
	if message(theme.New("", true, false), "x", 0, 3) != "" || message(theme.New("", true, false), "x", 3, -1) != "" {
		t.Error("a message without room")
	}
	if got := ansi.Strip(message(theme.New("", true, false), "ab cd", 4, 5)); got != "    \n ab \n cd \n    \n    " {
		t.Errorf("a message is\n%q", got)
	}
}

// Lines stand where their marks do, at both ends of the axis too.
func TestMarksReachToTheEnds(t *testing.T) {
	l := NewLines(theme.New("", true, false))
	l.SetSize(60, 12)
	l.SetAxes(Axis{Title: "x", Min: 0, Max: 10}, Axis{Title: "y", Min: 0, Max: 1})
	l.SetData(1, []Line{{X: []float64{0, 10}, Y: []float64{0.5, 0.5}}})
	for x, column := range map[float64]bool{0: true, 10: true, 5: true, -0.1: false, 10.1: false} {
		l.SetMarks(Mark{X: x})
		n := strings.Count(ansi.Strip(l.View()), "┊")
		if column != (n >= l.frame.gh-1) || !column && n > 0 {
			t.Errorf("a mark at %g takes %d cells of %d", x, n, l.frame.gh)
		}
	}
	l.SetMarks(Mark{X: 5, Here: true})
	if got := ansi.Strip(l.View()); strings.Contains(got, "┊") || strings.Count(got, "│") < 2*(l.frame.gh-2) {
		t.Errorf("where things stand is not marked:\n%s", got)
	}
	before := l.View()
	if l.SetData(1, []Line{{X: []float64{0, 10}, Y: []float64{0.9, 0.1}}}); l.View() != before {
		t.Error("the same version is drawn again")
	}
	if l.SetData(2, []Line{{X: []float64{0, 10}, Y: []float64{0.9, 0.1}}}); l.View() == before {
		t.Error("another version is not drawn")
	}
	// A line that leaves the range ends there, and begins again behind.
	l.SetMarks()
	l.SetData(3, []Line{{X: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
		Y: []float64{0.5, 0.5, 0.5, 0.5, 7, 7, 7, 0.5, 0.5, 0.5, 0.5}}})
	lines := text.Lines(ansi.Strip(l.View()))
	line := []rune(lines[l.frame.gh-1-cellOf(l.frame.y.frac(0.5), l.frame.gh)])
	gap := func(x float64) rune { return line[l.frame.gutter+cellOf(l.frame.x.frac(x), l.frame.gw)] }
	if gap(1.5) == ' ' || gap(8.5) == ' ' || gap(5) != ' ' || gap(3.6) != ' ' || gap(6.4) != ' ' {
		t.Errorf("the line is %q", string(line))
	}
}
