package plot

import (
	ntcanvas "github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"

	"sweetspot/tui/theme"
)

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
