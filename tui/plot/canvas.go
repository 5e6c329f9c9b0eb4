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
	"unicode/utf8"

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
