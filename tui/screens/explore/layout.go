package explore

// box is a rectangle of cells, borders included.
type box struct{ x, y, w, h int }

func (b box) contains(x, y int) bool { return x >= b.x && x < b.x+b.w && y >= b.y && y < b.y+b.h }

// layout places the regions and the inspector. A region of no size is not on
// screen.
type layout struct {
	region    [regions]box
	inspector box
	bare      bool // too small for borders
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
	l.region[Constraints] = box{0, 0, constraintsWidth, top}
	plots := w - constraintsWidth
	if w >= wideWidth {
		l.region[FirstPlot] = box{constraintsWidth, 0, plots / 2, top}
		l.region[SecondPlot] = box{constraintsWidth + plots/2, 0, plots - plots/2, top}
	} else {
		l.region[FirstPlot] = box{constraintsWidth, 0, plots, top}
	}
	l.region[Ranking] = box{0, top, w, rest}
	if inspector > 0 {
		l.inspector = box{0, top + rest, w, inspector}
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
	l := layout{bare: true}
	sliders := 4
	if h < 12 {
		sliders = 2
	}
	l.region[Constraints] = box{0, 0, w, sliders}
	l.region[Ranking] = box{0, sliders, w, h - sliders}
	return l
}

func (l *layout) shows(r Region) bool { return l.region[r].w > 0 }

// inner is what of a region is inside its border.
func (l *layout) inner(r Region) box {
	b := l.region[r]
	if l.bare || b.w < 4 || b.h < 3 {
		return b
	}
	return box{b.x + 1, b.y + 1, b.w - 2, b.h - 2}
}

// at finds the region at a cell and the place inside it.
func (l *layout) at(x, y int) (r Region, px, py int, ok bool) {
	for r = range regions {
		if in := l.inner(r); in.contains(x, y) {
			return r, x - in.x, y - in.y, true
		}
	}
	return 0, 0, 0, false
}
