package fleet

// box is a rectangle of cells, borders included. One of no size is not on screen.
type box struct {
	x, y, w, h int
	bare       bool // without a border
}

func (b box) contains(x, y int) bool { return x >= b.x && x < b.x+b.w && y >= b.y && y < b.y+b.h }

// inner is the size inside the border.
func (b box) inner() (w, h int) {
	if b.bare || b.w < 4 || b.h < 3 {
		return b.w, b.h
	}
	return b.w - 2, b.h - 2
}

// inside is a cell of the screen as one inside the border.
func (b box) inside(x, y int) (px, py int) {
	if b.bare {
		return x - b.x, y - b.y
	}
	return x - b.x - 1, y - b.y - 1
}

type layout struct{ sliders, shares, bills, policies, offers, costs, why box }

// Sizes at which the screen is laid out anew, in cells.
const (
	wideWidth    = 120
	narrowWidth  = 80
	narrowRows   = 18
	slidersWidth = 37
	topRows      = 2*sliderCount + 2
	tallRows     = 42 // from here on the upper plots grow too
	tableRows    = 7  // four policies, their header and the border
)

// lay places everything on w × h cells.
func lay(w, h int) layout {
	var l layout
	if w < narrowWidth || h < narrowRows {
		l.sliders = box{0, 0, w, min(4, h), true}
		l.policies = box{0, l.sliders.h, w, h - l.sliders.h, true}
		return l
	}
	top := topRows + max(h-tallRows, 0)/2
	bottom := h - top - tableRows
	if bottom < 5 { // no room below: the plots give way to the policies
		top, bottom = h-tableRows, 0
	}
	l.sliders = box{0, 0, slidersWidth, top, false}
	rest := w - slidersWidth
	if w >= wideWidth {
		l.shares = box{slidersWidth, 0, rest / 2, top, false}
		l.bills = box{slidersWidth + rest/2, 0, rest - rest/2, top, false}
	} else {
		l.shares = box{slidersWidth, 0, rest, top, false}
	}
	l.policies = box{0, top, w, tableRows, false}
	if bottom == 0 {
		return l
	}
	y := top + tableRows
	if w >= wideWidth && bottom >= 8 {
		third := w / 3
		l.offers = box{0, y, third, bottom, false}
		l.costs = box{third, y, third, bottom, false}
		l.why = box{2 * third, y, w - 2*third, bottom, false}
		return l
	}
	l.why = box{0, y, w, bottom, false}
	return l
}
