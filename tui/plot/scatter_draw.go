package plot

import (
	"math"

	"sweetspot/tui/theme"
)

// layer rasters feasible points, infeasible points and the frontier line. It
// is the only stage of a scrub that looks at every point.
func (s *Scatter) layer() {
	gw, gh, raster := s.frame.gw, s.frame.gh, s.th.Symbols.Raster
	s.good.reset(raster, gw, gh)
	s.poor.reset(raster, gw, gh)
	s.line.reset(raster, gw, gh)
	s.counts = grow(s.counts, gw*gh)
	s.classes = grow(s.classes, gw*gh)
	clear(s.counts)
	clear(s.classes)
	for i, code := range s.codes {
		if code < 0 {
			continue
		}
		cell, bit := code>>3, uint8(1)<<(code&7)
		if s.feasible != nil && !s.feasible[i] {
			s.poor.bits[cell] |= bit
			continue
		}
		s.good.bits[cell] |= bit
		s.counts[cell]++
		if s.data.Class != nil {
			s.classes[cell] = s.data.Class[i]
		}
	}
	s.most = 0
	for _, n := range s.counts {
		s.most = max(s.most, n)
	}
	s.layerFrontier()
}

// layerFrontier rasters the line through the frontier points.
func (s *Scatter) layerFrontier() {
	ascii := s.th.Symbols.Raster == theme.ASCII
	if ascii {
		s.slopes = grow(s.slopes, s.frame.gw*s.frame.gh)
		clear(s.slopes)
	}
	previous := int32(-1)
	for _, i := range s.frontier {
		if i < 0 || i >= len(s.codes) || s.codes[i] < 0 {
			continue
		}
		code := s.codes[i]
		if previous >= 0 && previous != code {
			x0, y0 := s.line.at(previous)
			x1, y1 := s.line.at(code)
			s.line.line(x0, y0, x1, y1)
			if ascii {
				s.slope(x0, y0, x1, y1)
			}
		}
		previous = code
	}
}

// slope marks the cells of an ASCII line with the stroke nearest to its
// direction.
func (s *Scatter) slope(x0, y0, x1, y1 int) {
	stroke := '\\'
	switch dx, dy := abs(x1-x0), abs(y1-y0); {
	case dx > 2*dy:
		stroke = '-'
	case dy > 2*dx:
		stroke = '|'
	case (x1-x0)*(y1-y0) < 0:
		stroke = '/'
	}
	for cell, bits := range s.line.bits {
		if bits != 0 && s.slopes[cell] == 0 {
			s.slopes[cell] = stroke
		}
	}
}

// class returns the pen class of a point.
func (s *Scatter) class(i int) int {
	if s.data.Class == nil {
		return 0
	}
	return int(s.data.Class[i])
}

func (s *Scatter) seriesPen(class, density int) uint8 {
	return penSeries + uint8(class%s.th.SeriesCount())*3 + uint8(density)
}

// drawDots draws the points: each as a rune when they are few, as shaded dots
// when they are many.
func (s *Scatter) drawDots() {
	if s.sparse {
		s.drawRunes()
		return
	}
	f := &s.frame
	ascii := s.th.Symbols.Raster == theme.ASCII
	for cell, bits := range s.good.bits {
		x, y := f.gutter+cell%f.gw, cell/f.gw
		switch {
		case bits != 0:
			density := s.density(s.counts[cell])
			glyph := s.good.glyph(bits)
			if ascii {
				glyph = asciiShades[density]
			}
			s.canvas.set(x, y, glyph, s.seriesPen(int(s.classes[cell]), density))
		case s.poor.bits[cell] != 0:
			s.canvas.set(x, y, s.poor.glyph(s.poor.bits[cell]), penFaint)
		}
	}
}

var asciiShades = [3]rune{':', '%', '@'}

// density grades the count of a cell: 1 from a dot for every place, 2 from a
// third of the fullest cell.
func (s *Scatter) density(n uint32) int {
	switch {
	case n <= 3 || s.most < 12:
		return min(int(n)/2, 1)
	case n*3 >= s.most:
		return 2
	case n*24 >= s.most || n >= 8:
		return 1
	}
	return 0
}

// drawRunes draws every point as the rune of its class, infeasible ones as
// faint dots below them.
func (s *Scatter) drawRunes() {
	small := '·'
	if s.th.Symbols.Raster == theme.ASCII {
		small = '.'
	}
	for cell, bits := range s.poor.bits {
		if bits != 0 && s.good.bits[cell] == 0 {
			s.canvas.set(s.frame.gutter+cell%s.frame.gw, cell/s.frame.gw, small, penFaint)
		}
	}
	for i, code := range s.codes {
		if code >= 0 && (s.feasible == nil || s.feasible[i]) {
			x, y := s.cell(code)
			s.canvas.set(x, y, s.th.SeriesRune(s.class(i)), s.seriesPen(s.class(i), 1))
		}
	}
}

// cell returns the place on the canvas of a dot.
func (s *Scatter) cell(code int32) (x, y int) {
	cell := int(code >> 3)
	return s.frame.gutter + cell%s.frame.gw, cell / s.frame.gw
}

// drawFrontier draws the line and a class rune at every frontier point.
func (s *Scatter) drawFrontier() {
	for cell, bits := range s.line.bits {
		if bits == 0 {
			continue
		}
		glyph := s.line.glyph(bits)
		if s.th.Symbols.Raster == theme.ASCII {
			glyph = s.slopes[cell]
		}
		s.canvas.set(s.frame.gutter+cell%s.frame.gw, cell/s.frame.gw, glyph, penFrontier)
	}
	for _, i := range s.frontier {
		if i < 0 || i >= len(s.codes) || s.codes[i] < 0 {
			continue
		}
		x, y := s.cell(s.codes[i])
		s.canvas.set(x, y, s.th.SeriesRune(s.class(i)), s.seriesPen(s.class(i), 2))
	}
}

// drawMarks draws pins, the whiskers of the selected point and the point.
func (s *Scatter) drawMarks() {
	for _, i := range s.pinned {
		if i >= 0 && i < len(s.codes) && s.codes[i] >= 0 {
			x, y := s.cell(s.codes[i])
			s.canvas.set(x, y, s.th.Symbols.Pinned, penPinned)
		}
	}
	if s.selected < 0 || s.selected >= len(s.codes) || s.codes[s.selected] < 0 {
		return
	}
	x, y := s.cell(s.codes[s.selected])
	s.drawWhiskers(x, y)
	s.canvas.set(x, y, s.th.Symbols.Selected, penCursor)
}

func (s *Scatter) drawWhiskers(x, y int) {
	f, sym := &s.frame, &s.th.Symbols
	if from, to, ok := f.x.span(s.whiskers.XLow, s.whiskers.XHigh, f.gw); ok {
		for i := from; i <= to; i++ {
			s.canvas.set(f.gutter+i, y, sym.AxisH, penPinned)
		}
		if f.gutter+from < x {
			s.canvas.set(f.gutter+from, y, sym.WhiskerLeft, penPinned)
		}
		if f.gutter+to > x {
			s.canvas.set(f.gutter+to, y, sym.WhiskerRight, penPinned)
		}
	}
	if from, to, ok := f.y.span(s.whiskers.YLow, s.whiskers.YHigh, f.gh); ok {
		top, bottom := f.gh-1-to, f.gh-1-from
		for i := top; i <= bottom; i++ {
			s.canvas.set(x, i, sym.AxisV, penPinned)
		}
		if top < y {
			s.canvas.set(x, top, sym.WhiskerTop, penPinned)
		}
		if bottom > y {
			s.canvas.set(x, bottom, sym.WhiskerBottom, penPinned)
		}
	}
}

// span places an interval among n cells, clipped at the ends of the axis.
func (s scale) span(lo, hi float64, n int) (from, to int, ok bool) {
	if !(lo < hi) || s.log && hi <= 0 {
		return 0, 0, false
	}
	a, b := s.frac(lo), s.frac(hi)
	if s.log && lo <= 0 {
		a = 0
	}
	if a > b {
		a, b = b, a
	}
	if math.IsNaN(a) || math.IsNaN(b) || b < 0 || a > 1 {
		return 0, 0, false
	}
	return cellOf(max(a, 0), n), cellOf(min(b, 1), n), true
}

// drawCrosshair draws the crossing lines and what they read.
func (s *Scatter) drawCrosshair() {
	x, y, ok := s.At(s.crossX, s.crossY)
	if !s.crossOn || !ok {
		return
	}
	f, sym := &s.frame, &s.th.Symbols
	for i := range f.gw {
		s.canvas.set(f.gutter+i, s.crossY, sym.CrossH, penCross)
	}
	for i := range f.gh {
		s.canvas.set(s.crossX, i, sym.CrossV, penCross)
	}
	read := " " + s.ax.label(x) + ", " + s.ay.label(y) + " "
	at, row := f.gutter, 0
	if s.crossX-f.gutter < f.gw/2 {
		at = s.w - cells(read)
	}
	if s.crossY == 0 {
		row = f.gh - 1
	}
	s.canvas.text(max(at, f.gutter), row, read, penLabel)
}

// At returns the values at the middle of a cell; ok is false outside the
// graph.
func (s *Scatter) At(col, row int) (x, y float64, ok bool) {
	f := &s.frame
	col -= f.gutter
	if s.empty || s.codes == nil || col < 0 || row < 0 || col >= f.gw || row >= f.gh {
		return 0, 0, false
	}
	return f.x.value((float64(col) + 0.5) / float64(f.gw)), f.y.value((float64(f.gh-1-row) + 0.5) / float64(f.gh)), true
}

// reach is how far from a click, in cells across, a point may lie.
const reach = 3

// Hit returns the point nearest to a cell, for the mouse: a frontier point
// before a feasible one before an infeasible one at the same distance.
func (s *Scatter) Hit(col, row int) (index int, ok bool) {
	if s.empty || s.frame.gw == 0 || col < s.frame.gutter || row < 0 || row >= s.frame.gh || col >= s.w {
		return 0, false
	}
	best, index := math.Inf(1), -1
	try := func(i int, penalty float64) {
		if i < 0 || i >= len(s.codes) || s.codes[i] < 0 {
			return
		}
		x, y := s.cell(s.codes[i])
		// A cell is about twice as high as it is wide.
		if d := math.Hypot(float64(x-col), 2*float64(y-row)); d <= reach && d+penalty < best {
			best, index = d+penalty, i
		}
	}
	for _, i := range s.frontier {
		try(i, 0)
	}
	for i := range s.codes {
		penalty := 0.25
		if s.feasible != nil && !s.feasible[i] {
			penalty = 0.5
		}
		try(i, penalty)
	}
	return index, index >= 0
}

// CellOf returns the cell of a point as last drawn; ok is false when it has
// none.
func (s *Scatter) CellOf(i int) (col, row int, ok bool) {
	if s.empty || i < 0 || i >= len(s.codes) || s.codes[i] < 0 {
		return 0, 0, false
	}
	col, row = s.cell(s.codes[i])
	return col, row, true
}
