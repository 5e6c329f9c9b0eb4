package plot

import (
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"sweetspot/tui/theme"
)

func TestHitFindsWhatIsDrawnAtEveryZoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		s, d := scattered(t, n)
		for range rapid.IntRange(1, 8).Draw(t, "moves") {
			switch rapid.IntRange(0, 3).Draw(t, "move") {
			case 0:
				s.Zoom(rapid.SampledFrom([]float64{0.5, 1.5, 2, 8}).Draw(t, "factor"), rapid.IntRange(-2, 60).Draw(t, "col"),
					rapid.IntRange(-2, 16).Draw(t, "row"))
			case 1:
				i := rapid.IntRange(0, n-1).Draw(t, "i")
				x, y, ok := s.Values(i)
				before := s.Magnification()
				s.ZoomOn(2, x, y)
				if _, _, shown := s.CellOf(i); ok && s.Magnification() > before && !shown {
					t.Fatalf("zoomed on point %d (%g, %g), which isn't shown", i, d.X[i], d.Y[i])
				}
			case 2:
				s.Pan(rapid.Float64Range(-1, 1).Draw(t, "dx"), rapid.Float64Range(-1, 1).Draw(t, "dy"))
			case 3:
				s.MoveCrosshair(rapid.IntRange(-9, 9).Draw(t, "cols"), rapid.IntRange(-9, 9).Draw(t, "rows"))
			}
			exact(t, s.View(), s.w, s.h)
			checkHits(t, s, n)
		}
		if s.Whole(); s.Magnification() != 1 {
			t.Fatal("the whole is zoomed")
		}
	})
}

// checkHits fails unless every point that its axes show has a cell, whose
// values are its own to a cell, and which gives it back.
func checkHits(t *rapid.T, s *Scatter, n int) {
	t.Helper()
	for i := range n {
		x, y, placed := s.Values(i)
		f := &s.frame
		fx, fy := f.x.frac(x), f.y.frac(y)
		within := placed && !s.nothing && min(fx, fy) > 1e-9 && max(fx, fy) < 1-1e-9
		col, row, ok := s.CellOf(i)
		if within != ok && !(placed && (math.Abs(fx*(1-fx)) < 1e-8 || math.Abs(fy*(1-fy)) < 1e-8)) {
			t.Fatalf("point %d (%g, %g) is at %g, %g of the graph and shown is %v", i, x, y, fx, fy, ok)
		}
		if !ok {
			continue
		}
		cx, cy, _ := s.At(col, row)
		if math.Abs(f.x.frac(cx)-fx) > 0.51/float64(f.gw) || math.Abs(f.y.frac(cy)-fy) > 0.51/float64(f.gh) {
			t.Fatalf("point %d (%g, %g) is in the cell of %g, %g", i, x, y, cx, cy)
		}
		hit, ok := s.Hit(col, row)
		if !ok {
			t.Fatalf("nothing hit at the cell of point %d", i)
		}
		if hx, hy, _ := s.CellOf(hit); hx != col || hy != row {
			t.Fatalf("hit point %d at %d,%d instead of %d,%d", hit, hx, hy, col, row)
		}
		if all, _, _ := pointsIn(s, col, row); all < 1 {
			t.Fatal("a cell with a point counts none")
		}
	}
}

func TestZoomKeepsWhatIsUnderThePointer(t *testing.T) {
	for _, axis := range []Axis{{}, {Log: true}, {Invert: true}, {Log: true, Invert: true}} {
		s := example(theme.New("", true, false))
		s.SetAxes(axis, axis)
		s.SetSize(90, 30)
		whole := s.View()
		col, row, _ := s.CellOf(2)
		x, y, _ := s.At(col, row)
		for range 5 {
			if !s.Zoom(2, col, row) {
				t.Fatal("no zoom")
			}
			nx, ny, _ := s.At(col, row)
			if math.Abs(nx/x-1) > 1e-9 || math.Abs(ny/y-1) > 1e-9 {
				t.Errorf("%+v: %g, %g became %g, %g", axis, x, y, nx, ny)
			}
		}
		if m := s.Magnification(); math.Abs(m-32) > 1e-6 {
			t.Errorf("%g times the whole after five zooms by two", m)
		}
		for range 5 {
			s.Zoom(0.5, col, row)
		}
		if s.Magnification() != 1 || s.View() != whole {
			t.Error("zooming out as often leads elsewhere")
		}
		if s.Zoom(0.5, col, row) || s.Pan(0.3, 0) {
			t.Error("there is nothing beyond the whole")
		}
	}
}

func TestZoomStopsSomewhere(t *testing.T) {
	s := example(theme.New("", true, false))
	s.SetSize(60, 18)
	x, y, _ := s.Values(2)
	n := 0
	for ; s.ZoomOn(2, x, y); n++ {
		if n > 100 {
			t.Fatal("zooms for ever")
		}
		if _, _, ok := s.CellOf(2); !ok {
			t.Fatalf("lost the point after %d zooms", n)
		}
		labels := map[string]bool{}
		for _, tick := range append(s.frame.xTicks, s.frame.yTicks...) {
			if labels[tick.label] {
				t.Errorf("zoom %d: two ticks read %q", n, tick.label)
			}
			labels[tick.label] = true
		}
	}
	if n != 12 {
		t.Errorf("%d zooms by two, and then none, is not %d times", n, mostZoom)
	}
	exact(t, s.View(), 60, 18)
}

func TestPanStopsAtTheEndsOfTheAxes(t *testing.T) {
	s := example(theme.New("", true, false))
	s.SetSize(60, 18)
	s.Zoom(4, 30, 8)
	s.View()
	width := s.frame.x.hi / s.frame.x.lo
	for range 50 {
		s.Pan(-0.3, 0.3)
	}
	if s.Pan(-0.3, 0.3) {
		t.Error("pans beyond the ends")
	}
	s.View()
	if lo, hi := s.frame.x.lo, s.frame.y.hi; math.Abs(lo/s.wholeX.lo-1) > 1e-9 || math.Abs(hi/s.wholeY.hi-1) > 1e-9 {
		t.Errorf("came to %g and %g, the ends are %g and %g", lo, hi, s.wholeX.lo, s.wholeY.hi)
	}
	if now := s.frame.x.hi / s.frame.x.lo; math.Abs(now/width-1) > 1e-9 {
		t.Errorf("a width of %g became %g", width, now)
	}
}

func TestZoomOutlivesOtherAxesOfTheSame(t *testing.T) {
	s := example(theme.New("", true, false))
	s.SetSize(60, 18)
	s.ZoomOn(4, 1500, 0.75)
	s.View()
	x := s.frame.x
	s.SetAxes(Axis{Title: "time"}, Axis{Title: "top-5"})
	s.View()
	if lo, hi := s.frame.x.lo, s.frame.x.hi; math.Abs(lo/x.lo-1) > 1e-9 || math.Abs(hi/x.hi-1) > 1e-9 {
		t.Errorf("linear shows %g to %g, logarithmic showed %g to %g", lo, hi, x.lo, x.hi)
	}
	d := s.data
	d.Version++
	s.SetData(d)
	if s.Magnification() == 1 {
		t.Error("other data of the same axes end the zoom")
	}
	s.SetAxes(Axis{Title: "cost"}, Axis{Title: "top-5"})
	if s.Magnification() != 1 {
		t.Error("a zoom in seconds is kept for dollars")
	}
}

func TestCrosshairStaysOnItsValues(t *testing.T) {
	s := example(theme.New("", true, false))
	s.SetSize(80, 24)
	s.setCross(&s.cross, crosshair{true, 1500, 0.75})
	col, row, ok := s.Crosshair()
	if want, wantRow, _ := s.CellOf(2); !ok || col != want || row != wantRow {
		t.Fatalf("the crosshair is at %d,%d, its point at %d,%d", col, row, want, wantRow)
	}
	s.MoveCrosshair(1, 0)
	if now, _, _ := s.Crosshair(); now != col+1 {
		t.Errorf("one to the right of %d is %d", col, now)
	}
	s.MoveCrosshair(-1, 0)
	s.SetSize(50, 14)
	s.ZoomOn(3, 1500, 0.75)
	col, row, ok = s.Crosshair()
	if want, wantRow, _ := s.CellOf(2); !ok || abs(col-want) > 1 || abs(row-wantRow) > 1 {
		t.Errorf("the crosshair is at %d,%d, its point at %d,%d", col, row, want, wantRow)
	}
	lo := s.frame.x.lo
	for range 80 {
		s.MoveCrosshair(-1, 0)
	}
	if s.View(); s.frame.x.lo >= lo {
		t.Error("the crosshair stops at the edge of what is shown")
	}
}

// The line between frontier points goes on where one of them is out of view.
func TestFrontierLineCrossesTheView(t *testing.T) {
	s := NewScatter(theme.New("", true, false))
	s.SetSize(60, 18)
	s.SetData(Data{Version: 1, X: []float64{0, 10}, Y: []float64{0, 10}})
	s.SetFrontier([]int{0, 1})
	s.ZoomOn(8, 5, 5)
	if got := ansi.Strip(s.View()); !strings.ContainsFunc(got, func(r rune) bool { return r > 0x2800 && r <= 0x28ff }) {
		t.Errorf("no line in\n%s", got)
	}
}
