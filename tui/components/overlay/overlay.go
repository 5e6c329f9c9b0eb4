// Package overlay draws a dialog over a screen.
package overlay

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Center draws box in the middle of base, which must be width × height cells.
// A box larger than the base is cut.
func Center(base, box string, width, height int) string {
	lines := text.Lines(box)
	w := 0
	for _, l := range lines {
		w = max(w, text.Width(l))
	}
	x, y, under := max((width-w)/2, 0), max((height-len(lines))/2, 0), text.Lines(base)
	for i, line := range lines[:min(len(lines), len(under)-y)] {
		row := y + i
		line = text.Truncate(line, width-x, "")
		end := x + text.Width(line)
		var b strings.Builder
		b.WriteString(text.Fit(ansi.Cut(under[row], 0, x), x))
		b.WriteString(theme.Close + line + theme.Close)
		b.WriteString(text.Fit(ansi.Cut(under[row], end, width), width-end))
		under[row] = b.String()
	}
	return strings.Join(under, "\n")
}
