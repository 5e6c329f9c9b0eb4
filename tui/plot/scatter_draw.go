package plot

import (
	"math"
	"strconv"

	"sweetspot/tui/theme"
)

// layLine rasters the line through the frontier points.
func (s *Scatter) layLine() {
	s.line.reset(s.frame.gw, s.frame.gh)
	w, h := s.frame.gw*dotsAcross, s.frame.gh*dotsDown
	have := false
	var before [2]float64
	for _, i := range s.frontier {
		x, y, ok := s.Values(i)
		if !ok {
			continue
		}
		// In dots from the left and from below; of a zoomed plot also far outside.
		at := [2]float64{s.frame.x.frac(x) * float64(w), s.frame.y.frac(y) * float64(h)}
		if x0, y0, x1, y1, ok := clip(before, at, float64(w), float64(h)); have && ok && (x0 != x1 || y0 != y1) {
			s.line.line(x0, h-1-y0, x1, h-1-y1)
		}
		have, before = true, at
	}
}

// clip cuts a line to w × h dots (Liang–Barsky) and returns the dots of its
// ends; ok is false where nothing of it is inside.
func clip(a, b [2]float64, w, h float64) (x0, y0, x1, y1 int, ok bool) {
	from, to := 0.0, 1.0
	for axis, size := range [2]float64{w, h} {
		d := b[axis] - a[axis]
		if math.IsNaN(d) || math.IsInf(d, 0) {
			return 0, 0, 0, 0, false
		}
		if d == 0 {
			if a[axis] < 0 || a[axis] > size {
				return 0, 0, 0, 0, false
			}
			continue
		}
		in, out := -a[axis]/d, (size-a[axis])/d
		from, to = max(from, min(in, out)), min(to, max(in, out))
	}
	if from > to {
		return 0, 0, 0, 0, false
	}
	dot := func(t float64, axis int, size float64) int {
		return min(max(int(a[axis]+t*(b[axis]-a[axis])), 0), int(size)-1)
	}
	return dot(from, 0, w), dot(from, 1, h), dot(to, 0, w), dot(to, 1, h), true
}

// class returns the pen class of a point.
func (s *Scatter) class(i int) int {
	if s.data.Class == nil {
		return 0
	}
	return int(s.data.Class[i])
}

// drawDots draws the points: each as a rune when they are few, as shaded dots
// when they are many.
func (s *Scatter) drawDots() {
	if s.sparse {
		s.drawRunes()
		return
	}
	f, pens := &s.frame, s.th.SeriesCount()
	for i, c := range s.tallies[0].cells {
		x, y := f.gutter+i%f.gw, i/f.gw
		switch {
		case c.good != 0:
			density := s.shades.of(c.good)
			pen := seriesPen(s.th, s.tallies[0].kind(i, pens), density)
			s.canvas.set(x, y, s.glyph(c.goodBits, asciiShades[density]), pen)
		case c.all != 0:
			s.canvas.set(x, y, s.glyph(c.allBits, '.'), penFaint)
		}
	}
}

// glyph shows the dots of a cell, or a mark where all symbols are ASCII.
func (s *Scatter) glyph(bits uint8, mark rune) rune {
	if s.th.Symbols.Raster == theme.ASCII {
		return mark
	}
	return dotGlyph(s.th.Symbols.Raster, brailleGlyphs[bits])
}

// drawRunes draws every point as the rune of its class, infeasible ones as
// faint dots below them.
func (s *Scatter) drawRunes() {
	small := '·'
	if s.th.Symbols.Raster == theme.ASCII {
		small = '.'
	}
	for i := range s.codes {
		if x, y, ok := s.placed(i); ok && !s.feasible.Has(i) {
			s.canvas.set(x, y, small, penFaint)
		}
	}
	for i := range s.codes {
		if x, y, ok := s.placed(i); ok && s.feasible.Has(i) {
			s.canvas.set(x, y, s.th.SeriesRune(s.class(i)), seriesPen(s.th, s.class(i), 1))
		}
	}
}

// placed returns the cell of a point; ok is false when it has none.
func (s *Scatter) placed(i int) (x, y int, ok bool) {
	if i < 0 || i >= len(s.codes) || s.codes[i] < 0 {
		return 0, 0, false
	}
	cell := int(s.codes[i] / dotsOfCell)
	return s.frame.gutter + cell%s.frame.gw, cell / s.frame.gw, true
}

// drawFrontier draws the line and a class rune at every frontier point.
func (s *Scatter) drawFrontier() {
	for cell, bits := range s.line.bits {
		if bits == 0 {
			continue
		}
		glyph := dotGlyph(s.th.Symbols.Raster, brailleGlyphs[bits])
		s.canvas.set(s.frame.gutter+cell%s.frame.gw, cell/s.frame.gw, glyph, penFrontier)
	}
	for _, i := range s.frontier {
		if x, y, ok := s.placed(i); ok {
			s.canvas.set(x, y, s.th.SeriesRune(s.class(i)), seriesPen(s.th, s.class(i), 2))
		}
	}
}

// drawMarks draws pins, the whiskers of the selected point and the point.
func (s *Scatter) drawMarks() {
	for _, i := range s.pinned {
		if x, y, ok := s.placed(i); ok {
			s.canvas.set(x, y, s.th.Symbols.Pinned, penPinned)
		}
	}
	if x, y, ok := s.placed(s.selected); ok {
		s.drawWhiskers(x, y)
		s.canvas.set(x, y, s.th.Symbols.Selected, penCursor)
	}
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

// At returns the values at the middle of a cell; ok is false outside the
// graph.
func (s *Scatter) At(col, row int) (x, y float64, ok bool) {
	if !s.ready() || !s.inside(col, row) {
		return 0, 0, false
	}
	fx, fy := s.frame.at(col, row)
	return s.frame.x.value(fx), s.frame.y.value(fy), true
}

// reach is how far from a click a point may lie, in cell widths.
const reach = 3

// Hit returns the point nearest to a cell, for the mouse: a frontier point
// before a feasible one before an infeasible one at the same distance.
func (s *Scatter) Hit(col, row int) (index int, ok bool) {
	if !s.ready() || !s.inside(col, row) {
		return 0, false
	}
	best := math.Inf(1)
	index = -1
	try := func(i int, behind float64) {
		x, y, placed := s.placed(i)
		// A cell is about twice as high as it is wide.
		dx, dy := float64(x-col), float64(2*(y-row))
		if d := dx*dx + dy*dy; placed && d <= reach*reach && math.Sqrt(d)+behind < best {
			best, index = math.Sqrt(d)+behind, i
		}
	}
	for _, i := range s.frontier {
		try(i, 0)
	}
	for i := range s.data.X {
		if s.feasible.Has(i) {
			try(i, 0.25)
		} else {
			try(i, 0.5)
		}
	}
	return index, index >= 0
}

// CellOf returns the cell of a point; ok is false when it has none.
func (s *Scatter) CellOf(i int) (col, row int, ok bool) {
	if !s.ready() {
		return 0, 0, false
	}
	return s.placed(i)
}

// shades are the numbers of points at which a cell is drawn stronger. They follow
// the fullest cell, feasible or not, so that the scale stays the same while
// feasibility changes.
type shades struct{ middle, strong uint32 }

// shadesFor grades a plot whose fullest cell holds most points: strong from a
// third of that, middle from a tenth of strong, both rounded down to 1, 2 or 5
// times a power of ten, but not below 5 and 2.
func shadesFor(most uint32) shades {
	strong := max(RoundDown(float64(most/3)), 5)
	return shades{uint32(max(RoundDown(strong/10), 2)), uint32(strong)}
}

// of is the density of a cell with n points, as the pens are numbered.
func (s shades) of(n uint32) int {
	switch {
	case n >= s.strong:
		return 2
	case n >= s.middle:
		return 1
	}
	return 0
}

var asciiShades = [3]rune{':', '%', '@'}

// swatch is how a cell full of dots looks at a density.
func swatch(r theme.Raster, density int) rune {
	switch r {
	case theme.Braille:
		return '⣿'
	case theme.Block:
		return '█'
	}
	return asciiShades[density]
}

// drawShades draws the legend of the shading at the right end of the lower axis:
// what a cell with at least so many points looks like.
func (s *Scatter) drawShades() {
	if s.sparse || s.most < s.shades.middle || s.data.Of == "" { // nothing is shaded
		return
	}
	steps := [3]string{"1", short(s.shades.middle) + "+", short(s.shades.strong) + "+"}
	words := " darker: more " + s.data.Of + "s "
	numbers, room := len(steps[0])+len(steps[1])+len(steps[2])+2*len(steps), s.frame.gw*2/3
	switch {
	case numbers+len(words) <= room:
	case numbers+len(shorter) <= room:
		words = shorter
	case 2*len(steps)+len(shorter) <= room:
		words, numbers, steps = shorter, 2*len(steps), [3]string{}
	default:
		return
	}
	x, y := s.w-numbers-len(words), s.frame.gh
	for density, n := range steps {
		s.canvas.set(x, y, ' ', penPlain)
		s.canvas.set(x+1, y, swatch(s.th.Symbols.Raster, density), seriesPen(s.th, 0, density))
		s.canvas.text(x+2, y, n, penLabel)
		x += 2 + len(n)
	}
	s.canvas.text(x, y, words, penLabel)
}

// shorter says the same as the words of the shades where there is little room.
const shorter = " darker: more "

// short writes 1, 2 or 5 times a power of ten in few cells: 500, 2k, 1M.
func short(n uint32) string {
	switch {
	case n >= 1e6:
		return strconv.Itoa(int(math.Round(float64(n)/1e6))) + "M"
	case n >= 1e3:
		return strconv.Itoa(int(math.Round(float64(n)/1e3))) + "k"
	}
	return strconv.Itoa(int(n))
}
