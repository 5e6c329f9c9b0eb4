package explore

import (
	"math"
	"strconv"

	"sweetspot/tui/components/pointer"
	"sweetspot/tui/plot"
)

// Each plot has its own view of its axes and its own crosshair. Keys act on the
// plot that has the focus, the mouse on the one it points at.

// zoomWheel is how much larger a plot gets at a step of the wheel.
const zoomWheel = math.Sqrt2

// grab is what the mouse holds of a zoomed plot between press and release.
type grab struct {
	on, moved bool
	plot      int
	x, y      int // cell of the screen, of the last event
	px, py    int // cell of the plot that was pressed
}

// focused is the plot that has the keys; nil while none has.
func (s *Screen) focused() *plot.Scatter {
	if r := s.Focused(); r == FirstPlot || r == SecondPlot {
		return s.plots.scatter[r-FirstPlot]
	}
	return nil
}

// Crossing reports whether the arrow keys move a crosshair.
func (s *Screen) Crossing() bool {
	p := s.focused()
	return p != nil && p.HasCrosshair()
}

// leavePlot leaves the focused plot's crosshair, or else its zoom; it reports
// whether there was one to leave.
func (s *Screen) leavePlot() bool {
	p := s.focused()
	if p.HasCrosshair() {
		p.ToggleCrosshair()
		return true
	}
	left := p.Whole()
	s.plots.retitle()
	return left
}

// hover shows what is under the mouse where that is a plot.
func (s *Screen) hover(x, y int) {
	region, px, py, ok := s.At(x, y)
	k := region - FirstPlot
	s.plots.hover(k, px, py, ok && (k == 0 || k == 1))
}

// hover moves the mouse's crosshair to a cell of plot k; on false takes it away.
func (p *plots) hover(k, x, y int, on bool) {
	if p.hovered >= 0 && (!on || p.hovered != k) {
		p.scatter[p.hovered].SetHover(0, 0, false)
		p.hovered = -1
	}
	if on {
		p.hovered = k
		p.scatter[k].SetHover(x, y, true)
	}
}

// pressPlot is a press of the mouse, or a drag on a whole plot, which has
// nothing to pan: the point there is selected. What is pressed on a zoomed plot
// shows when the mouse is moved or let go.
func (s *Screen) pressPlot(k int, e pointer.Event, px, py int) {
	if s.plots.scatter[k].Magnification() == 1 {
		s.clickPlot(k, px, py)
		return
	}
	if e.Kind == pointer.Click {
		s.plots.grab = grab{on: true, plot: k, x: e.X, y: e.Y, px: px, py: py}
	}
}

// drag moves the plot that is held; it reports whether one is.
func (s *Screen) drag(x, y int) bool {
	g := &s.plots.grab
	if !g.on {
		return false
	}
	if x != g.x || y != g.y {
		s.plots.hover(g.plot, 0, 0, false)
		s.plots.scatter[g.plot].PanCells(x-g.x, y-g.y)
		g.x, g.y, g.moved = x, y, true
	}
	return true
}

// release lets go of what the mouse holds: where nothing was moved, the point
// that was pressed is selected.
func (s *Screen) release() {
	g := s.plots.grab
	s.plots.grab = grab{}
	if g.on && !g.moved {
		s.clickPlot(g.plot, g.px, g.py)
	}
}

// wheelPlot zooms plot k around a cell: in when the wheel turns up.
func (s *Screen) wheelPlot(k, px, py, steps int) {
	s.plots.scatter[k].Zoom(math.Pow(zoomWheel, float64(-steps)), px, py)
	s.plots.retitle()
}

// whole ends all zooms.
func (p *plots) whole() {
	for _, s := range p.scatter {
		s.Whole()
	}
}

// retitle says of each plot how much larger than the whole it is.
func (p *plots) retitle() {
	for k, s := range p.scatter {
		p.title[k] = p.name[k]
		m := s.Magnification()
		if m = math.Round(m*10) / 10; m >= 10 {
			m = math.Round(m)
		}
		if m > 1 {
			p.title[k] += ", zoom " + strconv.FormatFloat(m, 'f', -1, 64) + "×"
		}
	}
}
