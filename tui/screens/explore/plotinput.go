package explore

import (
	"math"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/objective"
	"sweetspot/tui/components/pointer"
	"sweetspot/tui/keys"
	"sweetspot/tui/plot"
)

// onPlot is what keys do to the plot that has them. A key zooms and pans further
// than a step of the wheel.
var onPlot = map[keys.Action]func(*plot.Scatter){
	keys.ZoomIn:    func(p *plot.Scatter) { p.ZoomFocus(2) },
	keys.ZoomOut:   func(p *plot.Scatter) { p.ZoomFocus(0.5) },
	keys.ZoomWhole: func(p *plot.Scatter) { p.Whole() },
	keys.PanLeft:   func(p *plot.Scatter) { p.Pan(-panKey, 0) },
	keys.PanRight:  func(p *plot.Scatter) { p.Pan(panKey, 0) },
	keys.PanUp:     func(p *plot.Scatter) { p.Pan(0, panKey) },
	keys.PanDown:   func(p *plot.Scatter) { p.Pan(0, -panKey) },
	keys.Crosshair: (*plot.Scatter).ToggleCrosshair,
}

// panKey is how much of what is shown a key pans.
const panKey = 0.25

// arrows are how far keys move a crosshair, right and down; left and right also go
// along a frontier.
var arrows = map[keys.Action][2]int{keys.Left: {-1, 0}, keys.Right: {1, 0}, keys.BigLeft: {-5, 0},
	keys.BigRight: {5, 0}, keys.Up: {0, -1}, keys.Down: {0, 1}}

// actOnPlot does what a key means for the plot that has the keys.
func (s *Screen) actOnPlot(action keys.Action) (handled bool) {
	p := s.focused()
	if p == nil {
		return false
	}
	if act, ok := onPlot[action]; ok {
		act(p)
		s.plots.retitle()
		return true
	}
	step, moves := arrows[action]
	switch {
	case moves && p.HasCrosshair():
		p.MoveCrosshair(step[0], step[1])
	case moves && step[0] != 0:
		s.alongFrontier(step[0])
	case action == keys.Back:
		return s.leavePlot()
	case action == keys.Enter && p.HasCrosshair():
		if col, row, ok := p.Crosshair(); ok {
			s.clickPlot(s.Focused()-FirstPlot, col, row)
		}
	default:
		return false
	}
	return true
}

// alongFrontier selects the next candidate of the focused plot's frontier.
func (s *Screen) alongFrontier(steps int) {
	if s.answer == nil {
		return
	}
	front := s.frontierOf(s.Focused())
	if len(front) == 0 {
		return
	}
	at := 0
	if i, ok := s.Selected(); ok {
		if k := slices.Index(front, s.rows.leader(i)); k >= 0 {
			at = min(max(k+steps, 0), len(front)-1)
		}
	}
	s.choose(front[at])
}

// frontierOf is the frontier of a plot, of each choice one candidate.
func (s *Screen) frontierOf(region int) []int {
	r, pair := s.answer.Result, s.plots.pairs[region-FirstPlot]
	if pair == (objective.Pair{}) {
		pair = s.plots.pairs[0] // candidates lie on no frontier over the length
	}
	front := slices.Clone(r.Frontiers[pair])
	for k, i := range front {
		front[k] = s.rows.leader(i)
	}
	return slices.Compact(front)
}

// Mouse selects, zooms, drags and reads in the plots; the rest is the desk's.
func (s *Screen) Mouse(e pointer.Event) tea.Cmd {
	switch e.Kind {
	case pointer.Hover:
		s.hover(e.X, e.Y)
		return nil
	case pointer.Release:
		s.release()
		return nil
	case pointer.Click:
		if c, ok := s.chipLine.At(e.X); ok && e.Y == s.head.decision && s.head.chips > 0 {
			return s.clickChip(c)
		}
	case pointer.Drag:
		if s.drag(e.X, e.Y) {
			return nil
		}
	}
	region, x, y, ok := s.At(e.X, e.Y)
	if k := region - FirstPlot; ok && !s.Reading() && (k == 0 || k == 1) {
		if e.Kind == pointer.Wheel {
			s.wheelPlot(k, x, y, e.Steps)
			return nil
		}
		s.pressPlot(k, e, x, y)
	}
	return s.Desk.Mouse(e)
}

func (s *Screen) clickPlot(k, x, y int) {
	i, ok := s.plots.scatter[k].Hit(x, y)
	if !ok || s.answer == nil {
		return
	}
	if d := s.plots.length; k == 1 && d != nil {
		i = d.of[i]
	}
	s.choose(i)
}

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

// turned is the plot whose view a key changes: the one that has the keys, else the first.
func (s *Screen) turned() int {
	if s.Focused() == SecondPlot {
		return 1
	}
	return 0
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
		p.title[k] = p.name[k] + p.fitted[k]
		m := s.Magnification()
		if m = math.Round(m*10) / 10; m >= 10 {
			m = math.Round(m)
		}
		if m > 1 {
			p.title[k] += ", zoom " + strconv.FormatFloat(m, 'f', -1, 64) + "×"
		}
	}
}
