package explore

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/tui/components/pointer"
	"sweetspot/tui/keys"
)

// focusOn moves the keys to a region.
func focusOn(t *testing.T, s *Screen, r int) {
	t.Helper()
	for range 4 {
		if s.Focused() == r {
			return
		}
		s.Focus(1)
	}
	t.Fatalf("region %d can't be reached", r)
}

func TestZoomKeepsTheSelectedPointAndSaysSo(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 120, 38)
	s.Act(keys.ZoomIn) // no plot has the keys
	if strings.Contains(s.View(), "zoom") {
		t.Error("zoomed without a plot that has the keys")
	}
	focusOn(t, s, SecondPlot)
	before := s.View()
	for range 3 {
		s.Act(keys.ZoomIn)
	}
	view := ansi.Strip(s.View())
	if strings.Count(view, "zoom 8×") != 1 {
		t.Errorf("no title says that it is eight times the whole:\n%s", view)
	}
	i, _ := s.Selected()
	if _, _, ok := s.plots.scatter[1].CellOf(i); !ok {
		t.Error("the selected point is out of view")
	}
	if s.plots.scatter[0].Magnification() != 1 {
		t.Error("the other plot is zoomed too")
	}
	s.ToggleLog()
	s.ToggleLog()
	if s.plots.scatter[1].Magnification() == 1 {
		t.Error("other axes end the zoom")
	}
	if !s.leavePlot() || s.View() != before || s.leavePlot() {
		t.Error("leaving the zoom leads elsewhere")
	}
	s.Act(keys.ZoomIn)
	s.Act(keys.PanRight)
	if s.Act(keys.ZoomWhole); s.View() != before {
		t.Error("the whole is another frame")
	}
}

func TestCrosshairMovesAndSelects(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 120, 38)
	focusOn(t, s, FirstPlot)
	front := s.answer.Result.Frontier(objective.Time, objective.Accuracy)
	s.choose(front[len(front)-1])
	start, _ := s.Selected()
	s.Act(keys.Crosshair)
	if view := ansi.Strip(s.View()); !s.Crossing() || !strings.Contains(view, "feasible ") ||
		!strings.Contains(view, "candidate") {
		t.Errorf("no reading in\n%s", view)
	}
	p := s.plots.scatter[0]
	col, row, _ := p.CellOf(front[0])
	x, y, _ := p.Crosshair()
	p.MoveCrosshair(col-x, 0)
	p.MoveCrosshair(0, row-y)
	if now, _ := s.Selected(); now != start {
		t.Error("the crosshair takes the selection along")
	}
	s.Act(keys.Enter)
	now, _ := s.Selected()
	if c, r, _ := p.CellOf(now); c != col || r != row {
		t.Errorf("selected what is at %d,%d, the crosshair is at %d,%d", c, r, col, row)
	}
	if s.Focused() != FirstPlot || !s.leavePlot() || s.Crossing() {
		t.Error("esc doesn't leave the crosshair")
	}
}

func TestMouseZoomsDragsAndReads(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 120, 38)
	in := s.layout.First
	in.X, in.Y = in.X+1, in.Y+1 // inside its border
	in.W -= 2
	p := s.plots.scatter[0]
	i, _ := s.Selected()
	col, row, _ := p.CellOf(i)
	x, y := in.X+col, in.Y+row
	s.hover(x, y)
	if view := ansi.Strip(s.View()); !strings.Contains(view, "feasible ") {
		t.Errorf("no reading in\n%s", view)
	}
	s.hover(in.X+in.W+5, y)
	s.hover(1, 1)
	if strings.Contains(ansi.Strip(s.View()), "┊") {
		t.Error("the crosshair stays where the mouse left")
	}
	for range 4 {
		s.Mouse(pointer.Event{Kind: pointer.Wheel, X: x, Y: y, Steps: -1})
	}
	if m := p.Magnification(); m < 3.9 || m > 4.1 {
		t.Fatalf("four steps of the wheel make %g", m)
	}
	col, row, ok := p.CellOf(i)
	// The middle of the cell stays; the point was up to half a cell away from it.
	if !ok || max(in.X+col-x, x-in.X-col) > 2 || max(in.Y+row-y, y-in.Y-row) > 2 {
		t.Errorf("the point under the mouse went from %d,%d to %d,%d", x, y, in.X+col, in.Y+row)
	}
	x, y = in.X+col, in.Y+row
	s.Mouse(pointer.Event{Kind: pointer.Click, X: x, Y: y})
	s.Mouse(pointer.Event{Kind: pointer.Drag, X: x - 6, Y: y - 3})
	s.Mouse(pointer.Event{Kind: pointer.Drag, X: 0, Y: y - 3}) // over the sliders: they must stay
	s.Mouse(pointer.Event{Kind: pointer.Drag, X: x - 6, Y: y - 3})
	s.Mouse(pointer.Event{Kind: pointer.Release})
	if c, r, ok := p.CellOf(i); ok && (c != col-6 || r != row-3) {
		// The ends of the axes may hold it back, but never push it on.
		if c < col-6 || c > col || r < row-3 || r > row {
			t.Errorf("dragged by −6,−3 the point went from %d,%d to %d,%d", col, row, c, r)
		}
	}
	if now, _ := s.Selected(); now != i {
		t.Error("dragging selects")
	}
	if len(s.Question().Limits) > 0 {
		t.Error("dragging a plot moves a slider")
	}
}

func TestPressOnAZoomedPlotSelects(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 120, 38)
	in := s.layout.First
	in.X, in.Y = in.X+1, in.Y+1 // inside its border
	in.W -= 2
	p := s.plots.scatter[0]
	front := s.answer.Result.Frontier(objective.Time, objective.Accuracy)
	s.Mouse(pointer.Event{Kind: pointer.Wheel, X: in.X + in.W/4, Y: in.Y, Steps: -1})
	for _, i := range front {
		col, row, ok := p.CellOf(i)
		if !ok {
			continue
		}
		s.Mouse(pointer.Event{Kind: pointer.Click, X: in.X + col, Y: in.Y + row})
		s.Mouse(pointer.Event{Kind: pointer.Release})
		now, _ := s.Selected()
		if c, r, _ := p.CellOf(now); c != col || r != row {
			t.Errorf("pressed %d,%d, selected what is at %d,%d", col, row, c, r)
		}
		return
	}
	t.Fatal("no point of the frontier is in view")
}
