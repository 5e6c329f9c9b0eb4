package explore

import (
	"sweetspot/tui/components/desk"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/components/slider"
)

// The plots among the regions of the desk: the first ones behind the sliders.
const (
	FirstPlot  = 1
	SecondPlot = 2
)

// Sizes at which the screen is laid out, in cells.
const (
	leastWidth = 40
	leastRows  = 8
	tallHeight = 44 // from here on the plots get the greater part
)

// newLayout places everything on w × h cells; on fewer than the least it is empty.
func newLayout(w, h, sliders int) (l desk.Layout) {
	switch {
	case w < leastWidth || h < leastRows:
		return l
	case w < desk.NarrowWidth || h < desk.NarrowRows:
		return desk.SmallLayout(w, h)
	}
	words := inspectorRows(h)
	share := 45
	if h >= tallHeight {
		share = 56
	}
	top := max((h-words)*share/100, sliders*slider.Height+2)
	rest := h - top - words
	if rest < 5 {
		top -= 5 - rest
		rest = 5
	}
	l.Sliders, l.First = panel.Box{W: w, H: top}.Split(desk.SlidersWidth)
	if w >= desk.WideWidth {
		l.First, l.Second = l.First.Split(l.First.W / 2)
	}
	l.Table = panel.Box{Y: top, W: w, H: rest}
	if words > 0 {
		l.Words = panel.Box{Y: top + rest, W: w, H: words}
	}
	return l
}

func inspectorRows(h int) int {
	switch {
	case h >= 38:
		return 8
	case h >= 34:
		return 7
	case h >= 26:
		return 5
	default:
		return 0
	}
}
