package theme

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/text"
)

// Pen is one way of writing text: the SGR sequence that switches it on. The
// zero Pen writes plain text. Pens are strings and cheap to copy and compare,
// because plots emit one for every run of equal cells.
type Pen struct{ open string }

// Close is the sequence that ends any pen.
const Close = "\x1b[m"

// Open returns the sequence that starts the pen, "" for plain text.
func (p Pen) Open() string { return p.open }

// Render writes s with the pen. A reset inside s ends it; use [Pen.Over] for
// text that has pens of its own.
func (p Pen) Render(s string) string {
	if p.open == "" || s == "" {
		return s
	}
	return p.open + s + Close
}

// Over writes s with the pen and reopens it after every reset in s: for a
// selected row whose cells have colours of their own.
func (p Pen) Over(s string) string {
	if p.open == "" || s == "" {
		return s
	}
	s = strings.ReplaceAll(s, "\x1b[0m", Close)
	return p.open + strings.ReplaceAll(s, Close, Close+p.open) + Close
}

// ink is what a pen is made from.
type ink struct {
	fg, bg                                   color.Color
	bold, faint, italic, underline, reversed bool
}

// pen turns ink into its sequence.
func (i ink) pen() Pen {
	var s ansi.Style
	if i.bold {
		s = s.Bold()
	}
	if i.faint {
		s = s.Faint()
	}
	if i.italic {
		s = s.Italic(true)
	}
	if i.underline {
		s = s.Underline(true)
	}
	if i.reversed {
		s = s.Reverse(true)
	}
	if i.fg != nil {
		s = s.ForegroundColor(i.fg)
	}
	if i.bg != nil {
		s = s.BackgroundColor(i.bg)
	}
	if len(s) == 0 {
		return Pen{}
	}
	return Pen{s.String()}
}

// rgb reads a colour of the form #RRGGBB; "" is no colour.
func rgb(hex string) color.Color {
	if hex == "" {
		return nil
	}
	return lipgloss.Color(hex)
}

// blend mixes a share of b into a.
func blend(a, b color.Color, share float64) color.Color {
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	mix := func(x, y uint32) uint8 { return uint8((float64(x)*(1-share) + float64(y)*share) / 257) }
	return color.RGBA{mix(ar, br), mix(ag, bg), mix(ab, bb), 255}
}

// Wrap writes plain words with the pen in lines of at most width cells, each
// behind a margin and with a cell free at its end.
func (p Pen) Wrap(words, margin string, width int) []string {
	lines := text.Wrap(words, max(width-len(margin)-1, 1))
	for i, l := range lines {
		lines[i] = margin + p.Render(l)
	}
	return lines
}
