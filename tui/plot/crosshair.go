package plot

import (
	"math"

	"sweetspot/engine/quantity"
)

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

// Count is the number of points in a cell, and of feasible ones among them.
func (s *Scatter) Count(col, row int) (all, feasible int, ok bool) {
	if !s.ready() || !s.inside(col, row) {
		return 0, 0, false
	}
	c := s.tallies[0].cells[row*s.frame.gw+col-s.frame.gutter]
	return int(c.all), int(c.good), true
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
