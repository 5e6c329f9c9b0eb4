package plot

import (
	"math"
	"strconv"

	"sweetspot/tui/theme"
)

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
	words := " per cell"
	width := len(steps[0]) + len(steps[1]) + len(steps[2]) + 2*len(steps) + 1
	if width+len(words) > s.frame.gw*2/3 {
		words = ""
	}
	if width > s.frame.gw {
		return
	}
	x, y := s.w-width-len(words), s.frame.gh
	for density, n := range steps {
		s.canvas.set(x, y, ' ', penPlain)
		s.canvas.set(x+1, y, swatch(s.th.Symbols.Raster, density), seriesPen(s.th, 0, density))
		s.canvas.text(x+2, y, n, penLabel)
		x += 2 + len(n)
	}
	s.canvas.text(x, y, words+" ", penLabel)
}

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
