package plot

import "sweetspot/tui/theme"

// dotsOfCell is the number of codes that a cell has for its dots.
const dotsOfCell = 8

// dots is a grid of small dots, several a character cell. A dot has a code:
// cell·8 + its bit in the cell, bits counted in reading order.
type dots struct {
	raster theme.Raster
	w, h   int // cells
	bits   []uint8
}

// dotsPer returns how many dots a cell holds across and down.
func dotsPer(r theme.Raster) (across, down int) {
	switch r {
	case theme.Braille:
		return 2, 4
	case theme.Block:
		return 2, 2
	}
	return 1, 1
}

// reset makes the grid w × h empty cells.
func (d *dots) reset(r theme.Raster, w, h int) {
	d.raster, d.w, d.h = r, w, h
	d.bits = grow(d.bits, w*h)
	clear(d.bits)
}

// size returns the size of the grid in dots.
func (d *dots) size() (w, h int) {
	across, down := dotsPer(d.raster)
	return d.w * across, d.h * down
}

// code returns the code of the dot x from the left and y from the top, which
// must be inside.
func (d *dots) code(x, y int) int32 {
	across, down := dotsPer(d.raster)
	return int32(((y/down)*d.w+x/across)*8 + (y%down)*across + x%across)
}

// put sets a dot; outside the grid it does nothing.
func (d *dots) put(x, y int) {
	w, h := d.size()
	if x < 0 || y < 0 || x >= w || y >= h {
		return
	}
	c := d.code(x, y)
	d.bits[c>>3] |= 1 << (c & 7)
}

// line sets the dots from one dot to another (Bresenham). Both ends must be
// inside the grid, which bounds the work.
func (d *dots) line(x0, y0, x1, y1 int) {
	dx, dy := abs(x1-x0), -abs(y1-y0)
	sx, sy := sign(x1-x0), sign(y1-y0)
	for e := dx + dy; ; {
		d.put(x0, y0)
		if x0 == x1 && y0 == y1 {
			return
		}
		twice := 2 * e
		if twice >= dy {
			e += dy
			x0 += sx
		}
		if twice <= dx {
			e += dx
			y0 += sy
		}
	}
}

func abs(x int) int { return max(x, -x) }

func sign(x int) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// glyph is the rune that shows the dots of a cell; ASCII has one mark.
func (d *dots) glyph(bits uint8) rune {
	switch d.raster {
	case theme.Braille:
		return brailleGlyphs[bits]
	case theme.Block:
		return blockGlyphs[bits&15]
	}
	return '.'
}

var blockGlyphs = [16]rune([]rune(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"))

// brailleGlyphs maps bits in reading order to Unicode's braille patterns,
// whose dots are numbered down the left column first.
var brailleGlyphs = func() (table [256]rune) {
	order := [8]rune{0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80}
	for bits := range 256 {
		r := rune(0x2800)
		for i, dot := range order {
			if bits&(1<<i) != 0 {
				r |= dot
			}
		}
		table[bits] = r
	}
	return table
}()
