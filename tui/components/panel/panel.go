// Package panel draws the bordered boxes that the screens are made of, to the
// exact cell.
package panel

import (
	"strings"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Panel is a box with a title in its upper border and a note at the right end
// of it.
type Panel struct {
	Title, Note string
	Focused     bool
}

// Inner returns the size of what fits into a panel of the given size.
func Inner(width, height int) (w, h int) { return max(width-2, 0), max(height-2, 0) }

// Render draws the panel around body in exactly width × height cells. Lines of
// body are cut or filled. Without room for a border it shows body alone.
func (p Panel) Render(th *theme.Theme, body string, width, height int) string {
	if width <= 0 || height <= 0 {
		return ""
	}
	lines := text.Lines(body)
	if width < 4 || height < 3 {
		return text.Block(lines, width, height)
	}
	pen, titlePen := th.Border, th.Title
	if p.Focused {
		pen, titlePen = th.Focus, th.TitleFocus
	}
	s := &th.Symbols
	var b strings.Builder
	b.WriteString(p.top(th, pen, titlePen, width))
	side := pen.Render(s.V)
	for i := range height - 2 {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		b.WriteString("\n" + side + text.Fit(line, width-2) + side)
	}
	b.WriteString("\n" + pen.Render(s.BottomLeft+strings.Repeat(s.H, width-2)+s.BottomRight))
	return b.String()
}

// top draws the upper border; the note gives way to the title.
func (p Panel) top(th *theme.Theme, pen, titlePen theme.Pen, width int) string {
	s := &th.Symbols
	room := width - 2
	title, note := "", ""
	if p.Title != "" {
		title = text.Truncate(" "+p.Title+" ", room, s.Ellipsis)
	}
	room -= text.Width(title)
	if p.Note != "" && room > minNote {
		note = text.Truncate(" "+p.Note+" ", room-1, s.Ellipsis+" ")
	}
	fill := strings.Repeat(s.H, max(room-text.Width(note), 0))
	return pen.Render(s.TopLeft) + titlePen.Render(title) + pen.Render(fill) + th.Dim.Render(note) + pen.Render(s.TopRight)
}

// minNote is the room in cells below which a note would say nothing.
const minNote = 8

// Box is the rectangle of cells that a panel covers, its border included. An
// empty one is not on screen.
type Box struct {
	X, Y, W, H int
	Bare       bool // without a border
}

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
