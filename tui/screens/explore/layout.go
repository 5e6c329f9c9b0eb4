package explore

import "sweetspot/tui/components/panel"

// Region is a part of the screen that can have the keys, by its number on the desk.
type Region int

// The regions, in Tab order.
const (
	Constraints Region = iota
	FirstPlot
	SecondPlot
	Ranking
	regions
)

// layout places the regions and the inspector. A region of no size is not on
// screen.
type layout struct {
	region    [regions]panel.Box
	inspector panel.Box
}

// Sizes at which the screen is laid out anew, in cells.
const (
	wideWidth   = 120
	narrowWidth = 80
	narrowRows  = 18 // of the screen's own; header and footer take two more
	leastWidth  = 40
	leastRows   = 8
)

const (
	constraintsWidth = 37
	tallHeight       = 44 // from here on the plots get the greater part
)

// lay places everything on w × h cells.
func lay(w, h int) layout {
	var l layout
	switch {
	case w < leastWidth || h < leastRows:
		return l
	case w < narrowWidth || h < narrowRows:
		return laySmall(w, h)
	}
	inspector := inspectorRows(h)
	share := 45
	if h >= tallHeight {
		share = 56
	}
	top := max((h-inspector)*share/100, constraintsHeight+2)
	rest := h - top - inspector
	if rest < 5 {
		top -= 5 - rest
		rest = 5
	}
	l.region[Constraints] = panel.Box{W: constraintsWidth, H: top}
	plots := w - constraintsWidth
	if w >= wideWidth {
		l.region[FirstPlot] = panel.Box{X: constraintsWidth, W: plots / 2, H: top}
		l.region[SecondPlot] = panel.Box{X: constraintsWidth + plots/2, W: plots - plots/2, H: top}
	} else {
		l.region[FirstPlot] = panel.Box{X: constraintsWidth, W: plots, H: top}
	}
	l.region[Ranking] = panel.Box{Y: top, W: w, H: rest}
	if inspector > 0 {
		l.inspector = panel.Box{Y: top + rest, W: w, H: inspector}
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

// laySmall gives the table most of the cells: two sliders above it.
func laySmall(w, h int) layout {
	var l layout
	sliders := 4
	if h < 12 {
		sliders = 2
	}
	l.region[Constraints] = panel.Box{W: w, H: sliders, Bare: true}
	l.region[Ranking] = panel.Box{Y: sliders, W: w, H: h - sliders, Bare: true}
	return l
}

func (l *layout) shows(r Region) bool { return l.region[r].W > 0 }

// bare reports whether there is too little room for borders.
func (l *layout) bare() bool { return l.region[Ranking].Bare }

// width is that of a region inside its border.
func (l *layout) width(r Region) int {
	w, _ := l.region[r].Inner()
	return w
}
