package traffic

import "sweetspot/tui/components/panel"

type layout struct{ sliders, load, costs, schemes, late, choice, why panel.Box }

// Sizes at which the screen is laid out anew, in cells.
const (
	wideWidth    = 120
	narrowWidth  = 80
	narrowRows   = 18
	slidersWidth = 37
	topRows      = 2*sliderCount + 2
	tallRows     = 42 // from here on the upper plots grow too
	tableRows    = 8  // five schemes, their header and the border
)

// lay places everything on w × h cells.
func lay(w, h int) layout {
	var l layout
	if w < narrowWidth || h < narrowRows {
		l.sliders = panel.Box{W: w, H: min(4, h), Bare: true}
		l.schemes = panel.Box{Y: l.sliders.H, W: w, H: h - l.sliders.H, Bare: true}
		return l
	}
	top := topRows + max(h-tallRows, 0)/2
	bottom := h - top - tableRows
	if bottom < 5 { // no room below: the plots give way to the schemes
		top, bottom = h-tableRows, 0
	}
	l.sliders = panel.Box{W: slidersWidth, H: top}
	rest := w - slidersWidth
	if w >= wideWidth {
		l.load = panel.Box{X: slidersWidth, W: rest * 3 / 5, H: top}
		l.costs = panel.Box{X: slidersWidth + l.load.W, W: rest - l.load.W, H: top}
	} else {
		l.load = panel.Box{X: slidersWidth, W: rest, H: top}
	}
	l.schemes = panel.Box{Y: top, W: w, H: tableRows}
	if bottom == 0 {
		return l
	}
	y := top + tableRows
	if w >= wideWidth && bottom >= 8 {
		third := w / 3
		l.late = panel.Box{Y: y, W: third, H: bottom}
		l.choice = panel.Box{X: third, Y: y, W: third, H: bottom}
		l.why = panel.Box{X: 2 * third, Y: y, W: w - 2*third, H: bottom}
		return l
	}
	l.why = panel.Box{Y: y, W: w, H: bottom}
	return l
}
