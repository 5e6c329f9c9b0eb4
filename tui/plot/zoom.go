package plot

import (
	"math"

	"sweetspot/engine/quantity"
)

// span is a range on an axis, in its own unit; the zero span is the whole axis.
type span struct{ lo, hi float64 }

// mostZoom is the largest magnification of a plot.
const mostZoom = 4096

// within returns the part of a scale that lies in a span, the whole of it where
// they have nothing in common, or so little that its inverse is infinite.
func (s scale) within(v span) scale {
	if !(v.lo < v.hi) || v.hi <= s.lo || v.lo >= s.hi {
		return s
	}
	lo, hi := max(v.lo, s.lo), min(v.hi, s.hi)
	a, b := s.transform(lo), s.transform(hi)
	if !(a < b) || (b-a)*s.k >= 1-1e-9 || math.IsInf(1/(b-a), 0) {
		return s
	}
	return scale{lo: lo, hi: hi, a: a, k: 1 / (b - a), log: s.log, invert: s.invert}
}

// moved is the span between two fractions of a scale, which may lie outside of
// it, held inside of the whole; ok is false where that would be too narrow.
func (s scale) moved(whole scale, from, to float64) (v span, ok bool) {
	if s.invert {
		from, to = 1-to, 1-from
	}
	a, b := s.a+from/s.k, s.a+to/s.k
	low, high := whole.a, whole.a+1/whole.k
	switch {
	case b-a >= (high-low)*(1-1e-9):
		return span{}, true
	case (b-a)*mostZoom < (high-low)*(1-1e-9), b-a <= 1e-9*max(math.Abs(a), math.Abs(b)):
		return span{}, false
	case a < low:
		a, b = low, low+b-a
	case b > high:
		a, b = high-(b-a), high
	}
	return span{max(s.untransform(a), whole.lo), min(s.untransform(b), whole.hi)}, true
}

// ready brings layout and places up to date; it is false while there is nothing
// to point at.
func (s *Scatter) ready() bool {
	if s.th == nil || s.w < minWidth || s.h < minHeight {
		return false
	}
	s.update()
	return !s.nothing
}

// view shows other spans of the axes; it reports whether that changed anything.
func (s *Scatter) show(x, y span) bool {
	if x == s.viewX && y == s.viewY {
		return false
	}
	s.viewX, s.viewY = x, y
	s.mark(stalePlaces)
	return true
}

// window shows what lies between fractions of the graph, counted from the left
// and from below.
func (s *Scatter) window(x0, x1, y0, y1 float64) bool {
	x, okX := s.frame.x.moved(s.wholeX, x0, x1)
	y, okY := s.frame.y.moved(s.wholeY, y0, y1)
	return okX && okY && s.show(x, y)
}

// Zoom draws the plot factor times as large as now around a cell of the graph,
// which keeps its values; a factor below 1 shows more. It reports whether that
// changed anything.
func (s *Scatter) Zoom(factor float64, col, row int) bool {
	if !(factor > 0) || !s.ready() {
		return false
	}
	fx, fy := s.frame.at(col, row)
	x, y, side := fx, fy, 1/factor
	for range 3 {
		vx, okX := s.frame.x.moved(s.wholeX, fx-x*side, fx+(1-x)*side)
		vy, okY := s.frame.y.moved(s.wholeY, fy-y*side, fy+(1-y)*side)
		if !okX || !okY {
			return false
		}
		// Longer labels move the graph: then the cell is elsewhere in it.
		f := layout(s.ax, s.ay, s.wholeX.within(vx), s.wholeY.within(vy), s.w, s.h)
		nx, ny := f.at(col, row)
		if nx == x && ny == y {
			return s.show(vx, vy)
		}
		x, y = nx, ny
	}
	return s.window(fx-x*side, fx+(1-x)*side, fy-y*side, fy+(1-y)*side)
}

// at is the middle of a cell as fractions of the graph, from the left and from
// below, held inside of it.
func (f *frame) at(col, row int) (x, y float64) {
	x = (float64(col-f.gutter) + 0.5) / float64(f.gw)
	y = (float64(f.gh-1-row) + 0.5) / float64(f.gh)
	return min(max(x, 0), 1), min(max(y, 0), 1)
}

// ZoomOn is Zoom with the given values in the middle, as far as the ends of the
// axes allow.
func (s *Scatter) ZoomOn(factor, x, y float64) bool {
	if !(factor > 0) || !s.ready() {
		return false
	}
	fx, fy := s.frame.x.frac(x), s.frame.y.frac(y)
	if math.IsNaN(fx+fy) || math.IsInf(fx+fy, 0) {
		fx, fy = 0.5, 0.5
	}
	half := 0.5 / factor
	return s.window(fx-half, fx+half, fy-half, fy+half)
}

// Pan moves what is shown by fractions of its width and height, to the right
// and up.
func (s *Scatter) Pan(dx, dy float64) bool {
	if s.Magnification() == 1 || math.IsNaN(dx+dy) || !s.ready() {
		return false
	}
	return s.window(dx, 1+dx, dy, 1+dy)
}

// PanCells is Pan by cells, as the mouse drags what is under it: columns to the
// right, rows down.
func (s *Scatter) PanCells(cols, rows int) bool {
	if !s.ready() {
		return false
	}
	return s.Pan(-float64(cols)/float64(s.frame.gw), float64(rows)/float64(s.frame.gh))
}

// Whole shows all points.
func (s *Scatter) Whole() bool { return s.show(span{}, span{}) }

// Magnification is the larger of the two axes' magnifications; 1 is the whole
// plot.
func (s *Scatter) Magnification() float64 {
	if s.viewX == (span{}) && s.viewY == (span{}) {
		return 1
	}
	s.ready() // where there is no room now, what there was before does
	if s.nothing || s.wholeX.k == 0 {
		return 1
	}
	return max(s.wholeX.within(s.viewX).k/s.wholeX.k, s.wholeY.within(s.viewY).k/s.wholeY.k)
}

// ZoomFocus is [Scatter.ZoomOn] the crosshair, or else the selected point, or
// else the middle of what is shown.
func (s *Scatter) ZoomFocus(factor float64) bool {
	x, y, ok := s.focus()
	return ok && s.ZoomOn(factor, x, y)
}

// focus is the point that a key zooms to.
func (s *Scatter) focus() (x, y float64, ok bool) {
	if s.cross.on {
		return s.cross.x, s.cross.y, true
	}
	if x, y, ok = s.Values(s.selected); ok {
		return x, y, true
	}
	if !s.ready() {
		return 0, 0, false
	}
	return s.frame.x.value(0.5), s.frame.y.value(0.5), true
}

// Values returns the coordinates of a point; ok is false where the plot can't
// show it at any zoom.
func (s *Scatter) Values(i int) (x, y float64, ok bool) {
	if i < 0 || i >= len(s.data.X) {
		return 0, 0, false
	}
	x, y = s.data.X[i], s.data.Y[i]
	return x, y, s.ax.usable(x) && s.ay.usable(y)
}

// crosshair is a place in a plot, kept by its values: it stays on them when
// the plot is zoomed or gets another size.
type crosshair struct {
	on   bool
	x, y float64
}

// SetCrosshair shows the values under a cell of the plot and how many points
// are in the cell; on false hides them.
func (s *Scatter) SetCrosshair(col, row int, on bool) { s.setCross(&s.cross, s.crossAt(col, row, on)) }

// SetHover is SetCrosshair for the mouse: while it points somewhere, the other
// crosshair isn't shown.
func (s *Scatter) SetHover(col, row int, on bool) { s.setCross(&s.hover, s.crossAt(col, row, on)) }

// ToggleCrosshair hides the crosshair, or shows it on the selected point.
func (s *Scatter) ToggleCrosshair() {
	now := crosshair{}
	if !s.cross.on {
		now.x, now.y, now.on = s.focus()
	}
	s.setCross(&s.cross, now)
}

// HasCrosshair reports whether there is a crosshair, in view or not.
func (s *Scatter) HasCrosshair() bool { return s.cross.on }

func (s *Scatter) crossAt(col, row int, on bool) (c crosshair) {
	if on {
		c.x, c.y, c.on = s.At(col, row)
	}
	return c
}

func (s *Scatter) setCross(c *crosshair, now crosshair) {
	if now != *c {
		*c = now
		s.mark(staleFrame)
	}
}

// Crosshair returns the cell of the crosshair; ok is false while it isn't shown
// or out of view.
func (s *Scatter) Crosshair() (col, row int, ok bool) {
	if !s.ready() {
		return 0, 0, false
	}
	return s.cellUnder(s.cross)
}

// cellUnder is the cell of a crosshair; ok is false where it has none.
func (s *Scatter) cellUnder(c crosshair) (col, row int, ok bool) {
	f := &s.frame
	x, y := cellOf(f.x.frac(c.x), f.gw), cellOf(f.y.frac(c.y), f.gh)
	return f.gutter + x, f.gh - 1 - y, c.on && x >= 0 && y >= 0
}

// drawnCross is the crosshair that is drawn.
func (s *Scatter) drawnCross() crosshair {
	if s.hover.on {
		return s.hover
	}
	return s.cross
}

// MoveCrosshair moves the crosshair by cells, columns to the right and rows
// down. At the edge of a zoomed plot it takes the view along.
func (s *Scatter) MoveCrosshair(cols, rows int) {
	if !s.cross.on || !s.ready() {
		return
	}
	f := &s.frame
	col, row, ok := s.cellUnder(s.cross)
	if !ok { // what it was on is out of view
		col, row = f.gutter+f.gw/2, f.gh/2
	}
	col, row = col+cols, row+rows
	overX := min(col-f.gutter, 0) + max(col-(f.gutter+f.gw-1), 0)
	overY := min(row, 0) + max(row-(f.gh-1), 0)
	if overX != 0 || overY != 0 {
		s.PanCells(-overX, -overY)
		s.ready()
	}
	s.SetCrosshair(min(max(col, f.gutter), f.gutter+f.gw-1), min(max(row, 0), f.gh-1), true)
}

// inside reports whether a cell belongs to the graph.
func (s *Scatter) inside(col, row int) bool {
	f := &s.frame
	return col >= f.gutter && row >= 0 && col < f.gutter+f.gw && row < f.gh
}

// drawCrosshair draws the crossing lines, below all points.
func (s *Scatter) drawCrosshair() {
	col, row, ok := s.cellUnder(s.drawnCross())
	if !ok {
		return
	}
	f, sym := &s.frame, &s.th.Symbols
	for i := range f.gw {
		s.canvas.set(f.gutter+i, row, sym.CrossH, penCross)
	}
	for i := range f.gh {
		s.canvas.set(col, i, sym.CrossV, penCross)
	}
}

// drawReading writes the values under the crosshair over the points, in the
// corner farthest from it.
func (s *Scatter) drawReading() {
	c := s.drawnCross()
	col, row, ok := s.cellUnder(c)
	if !ok {
		return
	}
	f := &s.frame
	at := row*s.canvas.w + col
	s.canvas.pens[at] = penCursor
	lines := s.reading(c, col, row)
	top := 0
	if row < f.gh/2 {
		top = f.gh - len(lines)
	}
	for i, line := range lines {
		x := f.gutter
		if col-f.gutter < f.gw/2 {
			x = s.w - cells(line)
		}
		s.canvas.text(max(x, f.gutter), top+i, line, penLabel)
	}
}

// reading says what is under a cell: the values in its middle, to the width of
// the cell, and the points in it. Short of room it takes two lines, then fewer
// words.
func (s *Scatter) reading(at crosshair, col, row int) []string {
	f := &s.frame
	fx, fy := float64(col-f.gutter)/float64(f.gw), float64(f.gh-1-row)/float64(f.gh)
	stepX := math.Abs(f.x.value(fx+1/float64(f.gw)) - f.x.value(fx))
	stepY := math.Abs(f.y.value(fy+1/float64(f.gh)) - f.y.value(fy))
	values := " " + s.ax.read(at.x, stepX) + ", " + s.ay.read(at.y, stepY) + " "
	if s.data.Of == "" {
		return []string{values}
	}
	c := s.tallies[0].cells[row*f.gw+col-f.gutter]
	all, feasible := quantity.Count(float64(c.all)), quantity.Count(float64(c.good))
	what := s.data.Of
	if c.all != 1 {
		what += "s"
	}
	if c.all == 0 {
		return []string{values + s.th.Symbols.Dot + " 0 "}
	}
	feasible = ", " + feasible
	for _, count := range []string{all + " " + what + feasible + " feasible ", all + feasible + " feasible ",
		all + feasible + " ok "} {
		switch {
		case cells(values)+2+cells(count) <= f.gw:
			return []string{values + s.th.Symbols.Dot + " " + count}
		case cells(count)+1 <= f.gw && f.gh >= 4:
			return []string{values, " " + count}
		}
	}
	return []string{values}
}
