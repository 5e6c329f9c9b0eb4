// Package plot draws scatter plots, line charts, bars and sparklines into exact
// rectangles of cells. It owns the finite checks, clipping, scales, ticks,
// minimum sizes and caches, and is the only importer of ntcharts.
//
// ntcharts draws the lines of [Lines] and [Live], the bars of [Bars] and the
// columns of [Spark]. Three things around them are drawn here:
//   - Axes: ntcharts labels every nth cell instead of round values, drops labels
//     that collide, and has no logarithmic scale.
//   - Pens and symbols: a chart's cells are copied to a canvas of this package,
//     which writes one escape sequence for every run of equal cells. The View of
//     ntcharts writes one for every cell, and tells series apart by colour alone.
//   - Values that are missing or out of range: ntcharts joins lines across them,
//     and never returns from a line to NaN.
//
// [Scatter] has a raster of its own. Its plots are redrawn at every step of a
// slider, which has 4, 8 and 25 ms for 1 thousand, 100 thousand and 1 million
// candidates, and Explore has two of them. One plot of 57×20 cells, both makers
// measured in one run (BenchmarkMakers, two busy cores of an AMD EPYC, medians of
// three, milliseconds a frame):
//
//	points                            1k    100k      1M
//	this raster                     0.02    0.05     1.5
//	ntcharts, copied to a canvas    0.78    2.0     26
//	ntcharts with its own View      1.8     4.2     33
//
// The cost of ntcharts is its cells, 656 bytes each. Two lines over 57×20 cells
// take 0.36 ms instead of 0.02 ms with a raster, a hundred thousand iteration times
// over 80×20 cells 1.4 instead of 1.9 ms: little for the few charts of a screen.
// No screen has a heat map: that of ntcharts shows values by colour alone.
package plot

import (
	"math"
	"unicode/utf8"

	ntcanvas "github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// The pens of a canvas, as indices into its table. Series pens follow, three
// densities a class.
const (
	penPlain uint8 = iota
	penAxis
	penLabel
	penFaint
	penFrontier
	penCursor
	penPinned
	penCross
	penWarn
	penBand
	penShade
	penSeries
)

// penTable lists the opening sequences of a theme by pen index.
func penTable(th *theme.Theme) []string {
	pens := []theme.Pen{{}, th.Axis, th.AxisLabel, th.Faint, th.Frontier, th.Cursor, th.Pinned, th.CrossHair,
		th.Warn, th.Band, th.Warmup}
	for class := range th.SeriesCount() {
		for density := range 3 {
			pens = append(pens, th.SeriesDensity(class, density))
		}
	}
	table := make([]string, len(pens))
	for i, p := range pens {
		table[i] = p.Open()
	}
	return table
}

// seriesPen is the pen of a class for cells of a density, as the theme numbers
// them.
func seriesPen(th *theme.Theme, class, density int) uint8 {
	return penSeries + uint8(class%th.SeriesCount())*3 + uint8(density)
}

// canvas is a rectangle of runes with one pen each. Its memory is kept from
// frame to frame.
type canvas struct {
	w, h  int
	runes []rune
	pens  []uint8
	table []string
	buf   []byte
}

// reset makes the canvas w × h blanks.
func (c *canvas) reset(w, h int) {
	c.w, c.h = w, h
	c.runes = grow(c.runes, w*h)
	c.pens = grow(c.pens, w*h)
	for i := range c.runes {
		c.runes[i] = ' '
	}
	clear(c.pens)
}

// grow returns s with length n, keeping its memory when that is enough.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// set puts a rune at a cell; outside the canvas it does nothing.
func (c *canvas) set(x, y int, r rune, pen uint8) {
	if x < 0 || y < 0 || x >= c.w || y >= c.h {
		return
	}
	c.runes[y*c.w+x], c.pens[y*c.w+x] = r, pen
}

// text writes s from a cell on. Runes that aren't one cell wide become '?', so
// that a label never shifts what is beside it.
func (c *canvas) text(x, y int, s string, pen uint8) {
	for _, r := range s {
		if r > '~' && text.Width(string(r)) != 1 {
			r = '?'
		}
		c.set(x, y, r, pen)
		x++
	}
}

// cells is the number of cells that text will take for s.
func cells(s string) int { return utf8.RuneCountInString(s) }

// String renders the canvas, one escape sequence for every run of equal pens.
func (c *canvas) String() string {
	buf := c.buf[:0]
	for y := range c.h {
		if y > 0 {
			buf = append(buf, '\n')
		}
		current := uint8(0)
		row := c.runes[y*c.w : (y+1)*c.w]
		pens := c.pens[y*c.w : (y+1)*c.w]
		for x, r := range row {
			// A blank looks the same with any pen but the cursor's, which is reversed.
			if p := pens[x]; p != current && (r != ' ' || p == penCursor || current == penCursor) {
				buf = c.change(buf, current, p)
				current = p
			}
			buf = utf8.AppendRune(buf, r)
		}
		buf = c.change(buf, current, penPlain)
	}
	c.buf = buf
	return string(buf)
}

// change appends what leads from one pen to another.
func (c *canvas) change(buf []byte, from, to uint8) []byte {
	if c.table[from] != "" {
		buf = append(buf, theme.Close...)
	}
	return append(buf, c.table[to]...)
}

// message fills width × height with a sentence in the middle.
func message(th *theme.Theme, s string, width, height int) string {
	if width <= 0 || height <= 0 {
		return ""
	}
	lines := make([]string, height)
	wrapped := text.Wrap(s, width)
	top := max((height-len(wrapped))/2, 0)
	for i, l := range wrapped {
		if top+i < height {
			lines[top+i] = th.Dim.Render(text.Center(l, width))
		}
	}
	return text.Block(lines, width, height)
}

// A character cell has as many dots as a braille pattern, whatever it is drawn
// with.
const (
	dotsAcross = 2
	dotsDown   = 4
	dotsOfCell = dotsAcross * dotsDown
)

// dots is a grid of small dots. A dot has a code: cell·8 + its bit in the cell,
// bits counted in reading order.
type dots struct {
	w, h int // cells
	bits []uint8
}

// reset makes the grid w × h empty cells.
func (d *dots) reset(w, h int) {
	d.w, d.h = w, h
	d.bits = grow(d.bits, w*h)
	clear(d.bits)
}

// code returns the code of the dot x from the left and y from the top, which
// must be inside.
func (d *dots) code(x, y int) int32 {
	return int32(((y/dotsDown)*d.w+x/dotsAcross)*dotsOfCell + (y%dotsDown)*dotsAcross + x%dotsAcross)
}

// line sets the dots from one dot to another, both inside the grid.
func (d *dots) line(x0, y0, x1, y1 int) {
	for _, p := range graph.GetLinePoints(ntcanvas.Point{X: x0, Y: y0}, ntcanvas.Point{X: x1, Y: y1}) {
		c := d.code(p.X, p.Y)
		d.bits[c/dotsOfCell] |= 1 << (c % dotsOfCell)
	}
}

// brailleGlyphs maps bits in reading order to Unicode's braille patterns,
// whose dots are numbered down the left column first.
var brailleGlyphs = func() (table [256]rune) {
	order := [dotsOfCell]rune{0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80}
	for bits := range table {
		table[bits] = 0x2800
		for i, dot := range order {
			if bits&(1<<i) != 0 {
				table[bits] |= dot
			}
		}
	}
	return table
}()

// The glyphs of a cell whose quadrants hold dots: upper left 1, upper right 2,
// lower left 4, lower right 8.
var (
	blockGlyphs = [16]rune([]rune(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"))
	asciiGlyphs = [16]rune([]rune(` ''-,|//,\|\_\/#`))
)

// dotGlyph draws a braille pattern with the symbols of a raster: as it is, as
// quadrants, or as the stroke nearest to its direction.
func dotGlyph(raster theme.Raster, braille rune) rune {
	if raster == theme.Braille {
		return braille
	}
	quadrants := 0
	for i, dots := range [4]rune{0x03, 0x18, 0x44, 0xA0} {
		if braille&dots != 0 {
			quadrants |= 1 << i
		}
	}
	if raster == theme.ASCII {
		return asciiGlyphs[quadrants]
	}
	return blockGlyphs[quadrants]
}

// frame is the part of a plot around its dots: axes, ticks and labels.
type frame struct {
	x, y   scale
	gutter int // columns left of the graph: labels and axis line
	gw, gh int // cells of the graph
	yTicks []tick
	xTicks []tick
}

type tick struct {
	at    int // cell from the graph's left or top
	label string
	from  int // first cell of an x label, from the graph's left; may be negative
}

// The smallest plot that can be read, in cells.
const (
	minWidth  = 18
	minHeight = 5
)

// layout places axes for a plot of w × h cells.
//
//nolint:revive // two axes, their scales and their lengths
func layout(ax, ay Axis, sx, sy scale, w, h int) frame {
	f := frame{x: sx, y: sy, gh: h - 2}
	f.placeY(ay)
	for _, t := range f.yTicks {
		f.gutter = max(f.gutter, cells(t.label))
	}
	f.gutter = min(f.gutter, w/3) + 1
	f.gw = w - f.gutter
	for most := max(f.gw/5, 2); most >= 1; most-- {
		if f.placeX(ax, most) {
			break
		}
	}
	return f
}

func (f *frame) placeY(ay Axis) {
	used := -1
	values := ay.ticks(f.y.lo, f.y.hi, f.y.log, max(f.gh/2, 2))
	for i, v := range values {
		row := f.gh - 1 - cellOf(f.y.frac(v), f.gh)
		if row < 0 || row >= f.gh || row == used {
			continue
		}
		used = row
		f.yTicks = append(f.yTicks, tick{at: row, label: ay.label(v, stepAt(values, i))})
	}
}

// placeX places at most most x ticks and reports whether no two labels touch.
func (f *frame) placeX(ax Axis, most int) bool {
	f.xTicks = f.xTicks[:0]
	values := ax.ticks(f.x.lo, f.x.hi, f.x.log, most)
	if f.x.invert {
		values = reversed(values)
	}
	free := -f.gutter
	fits := true
	for i, v := range values {
		col := cellOf(f.x.frac(v), f.gw)
		if col < 0 || col >= f.gw {
			continue
		}
		label := ax.label(v, stepAt(values, i))
		n := cells(label)
		from := min(max(col-n/2, -f.gutter), f.gw-n)
		if from < free {
			fits = false
			continue
		}
		free = from + n + 1
		f.xTicks = append(f.xTicks, tick{at: col, label: label, from: from})
	}
	return fits
}

// stepAt is the distance from a tick to the nearest other one, 0 where it is
// alone.
func stepAt(values []float64, i int) float64 {
	step := 0.0
	for _, j := range []int{i - 1, i + 1} {
		if j < 0 || j >= len(values) {
			continue
		}
		if d := math.Abs(values[i] - values[j]); step == 0 || d < step {
			step = d
		}
	}
	return step
}

func reversed(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[len(v)-1-i] = x
	}
	return out
}

// cellOf places a fraction among n cells; −1 when it is outside or NaN. The
// range is closed at both ends.
func cellOf(f float64, n int) int {
	if !(f >= 0 && f <= 1) {
		return -1
	}
	return min(int(f*float64(n)), n-1)
}

// draw puts axes, ticks and labels on the canvas.
func (f *frame) draw(c *canvas, sym *symbols) {
	axis := f.gutter - 1
	for y := range f.gh {
		c.set(axis, y, sym.AxisV, penAxis)
	}
	for _, t := range f.yTicks {
		label := []rune(t.label)
		if len(label) > axis {
			label = label[:axis]
		}
		c.text(axis-len(label), t.at, string(label), penLabel)
		c.set(axis, t.at, sym.TickY, penAxis)
	}
	c.set(axis, f.gh, sym.AxisCorner, penAxis)
	for x := range f.gw {
		c.set(f.gutter+x, f.gh, sym.AxisH, penAxis)
	}
	for _, t := range f.xTicks {
		c.set(f.gutter+t.at, f.gh, sym.TickX, penAxis)
		c.text(f.gutter+t.from, f.gh+1, t.label, penLabel)
	}
}
