package panel

// Box is the rectangle of cells that a panel covers, its border included. An
// empty one is not on screen.
type Box struct {
	X, Y, W, H int
	Bare       bool // without a border
}

// Contains reports whether a cell is in the box.
func (b Box) Contains(x, y int) bool { return x >= b.X && x < b.X+b.W && y >= b.Y && y < b.Y+b.H }

// Inner is the size inside the border.
func (b Box) Inner() (w, h int) {
	if b.Bare || b.W < 4 || b.H < 3 {
		return b.W, b.H
	}
	return b.W - 2, b.H - 2
}

// Inside turns a cell of the screen into one inside the border.
func (b Box) Inside(x, y int) (px, py int) {
	if b.Bare {
		return x - b.X, y - b.Y
	}
	return x - b.X - 1, y - b.Y - 1
}

// Split parts the box at a width: left and right.
func (b Box) Split(w int) (left, right Box) {
	left, right = b, b
	left.W = w
	right.X, right.W = b.X+w, b.W-w
	return left, right
}
