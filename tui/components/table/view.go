package table

import (
	"fmt"
	"math"
	"strings"

	"sweetspot/tui/plot"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// View draws the table in exactly its size, reading the cells of visible rows
// only.
func (t *Table) View(th *theme.Theme) string {
	if t.w <= 0 || t.h <= 0 {
		return ""
	}
	lines := make([]string, 0, t.h)
	lines = append(lines, t.header(th))
	for row := t.top; row < min(t.top+t.visible(), t.rows.Len()); row++ {
		lines = append(lines, t.line(th, row))
	}
	if t.rows.Len() == 0 {
		lines = append(lines, th.Dim.Wrap(t.empty, text.Spaces(gutter), t.w-gutter+1)...)
	}
	return text.Block(lines, t.w, t.h)
}

func (t *Table) header(th *theme.Theme) string {
	var b strings.Builder
	b.WriteString(text.Spaces(gutter))
	for i, c := range t.place() {
		if i > 0 {
			b.WriteString(text.Spaces(gap))
		}
		title, pen := c.Title, th.Dim
		if c.ID == t.sortBy && c.Sort {
			arrow := th.Symbols.Up
			if t.desc {
				arrow = th.Symbols.Down
			}
			// The arrow stays in sight where the title must be cut.
			title, pen = text.Truncate(title, c.Width-1, "")+string(arrow), th.TitleFocus
		}
		b.WriteString(pen.Render(align(title, c.Width, c.Right)))
	}
	return b.String()
}

func align(s string, width int, right bool) string {
	if right {
		return text.FitRight(s, width)
	}
	return text.Fit(s, width)
}

func (t *Table) line(th *theme.Theme, row int) string {
	style := t.rows.Style(row)
	var b strings.Builder
	here := row == t.cursor
	b.WriteString(mark(th, style.Mark, here))
	for i, c := range t.place() {
		if i > 0 {
			b.WriteString(text.Spaces(gap))
		}
		b.WriteString(align(t.rows.Cell(row, c.ID, c.Width), c.Width, c.Right))
	}
	line := text.Fit(b.String(), t.w)
	switch {
	case here && t.focused:
		return th.Selected.Over(line)
	case style.Faint:
		return th.Faint.Over(line)
	}
	return line
}

// mark is the gutter: the cursor, then a pin.
func mark(th *theme.Theme, pin rune, here bool) string {
	first, second := " ", " "
	if here {
		first = th.Knob.Render(th.Symbols.Here)
	}
	if pin != 0 {
		second = th.Pinned.Render(string(pin))
	}
	return first + second
}

// Share draws a probability or another share as a bar with its percentage in
// exactly width cells: ████▉ 97%. NaN is unknown.
func Share(th *theme.Theme, fraction float64, width int) string {
	if math.IsNaN(fraction) {
		return text.FitRight("–", width)
	}
	fraction = min(max(fraction, 0), 1)
	number := fmt.Sprintf("%4.0f%%", fraction*100)
	switch {
	case fraction > 0 && fraction < 0.005:
		number = "  <1%"
	case fraction < 1 && fraction >= 0.995:
		number = " >99%"
	}
	if width <= len(number) {
		return text.FitRight(strings.TrimSpace(number), width)
	}
	return plot.Bar(th, fraction, width-len(number)) + number
}
