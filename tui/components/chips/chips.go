// Package chips draws what a question is about and what narrows it as chips in a line,
// which the mouse opens and takes away.
package chips

import (
	"fmt"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Chip is one of them.
type Chip struct {
	ID     string
	Label  string
	Narrow bool // it narrows, and can be taken away; else it opens a choice
}

// Line is where the chips stand as last drawn.
type Line struct{ placed []placed }

type placed struct {
	Chip
	from, to int // cells
}

// gap is between two chips.
const gap = 3

// View draws chips, and a note behind them where there is room, in exactly width cells.
// Those that have no room are counted.
func (l *Line) View(th *theme.Theme, chips []Chip, note string, width int) string {
	l.placed = l.placed[:0]
	out, at := " ", 1
	for k, c := range chips {
		label := text.Clean(c.Label)
		drawn := label + " " + th.Symbols.Open
		if c.Narrow {
			drawn = label + " " + th.Symbols.Cross
		}
		more := fmt.Sprintf("+%d", len(chips)-k)
		room := width - at
		if k < len(chips)-1 {
			room -= gap + text.Width(more)
		}
		if text.Width(drawn) > room {
			if k == 0 {
				return text.Fit(out+text.Truncate(drawn, width-at, th.Symbols.Ellipsis), width)
			}
			return text.Fit(out+th.Warn.Render(more), width)
		}
		l.placed = append(l.placed, placed{c, at, at + text.Width(drawn)})
		pen := th.Dim
		if c.Narrow {
			pen = th.Key
		}
		out += pen.Render(drawn) + text.Spaces(gap)
		at += text.Width(drawn) + gap
	}
	if text.Width(note) > width-at {
		note = ""
	}
	return text.Ends(out, th.Dim.Render(note), width)
}

// At is the chip at a cell of the line.
func (l *Line) At(x int) (c Chip, ok bool) {
	for _, p := range l.placed {
		if x >= p.from && x < p.to {
			return p.Chip, true
		}
	}
	return c, false
}
