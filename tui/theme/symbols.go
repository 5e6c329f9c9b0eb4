package theme

import (
	"fmt"
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/text"
)

// Raster is how dots are packed into a character cell.
type Raster uint8

// The three rasters: 2×4 braille dots, 2×2 quadrant blocks, one ASCII mark.
const (
	Braille Raster = iota
	Block
	ASCII
)

// Symbols are the characters the screens are drawn with.
type Symbols struct {
	Name   string
	Raster Raster

	Series    []rune // one per class, paired with the theme's series pens
	Selected  rune   // the selected candidate in a plot
	Pinned    rune
	Sweet     rune   // the strongest pruning that costs no accuracy
	Bars      []rune // rising eighths: a histogram or a sparkline
	Parts     []rune // growing eighths of a horizontal bar, the last one full
	Rest      rune   // the empty part of a horizontal bar
	Shade     rune   // background of a marked span
	Band      rune   // interval band
	Track     rune   // allowed part of a slider
	TrackOut  rune   // excluded part of a slider
	KnobLow   rune   // knob of an "at least" slider
	KnobHigh  rune   // knob of an "at most" slider
	Mark      rune   // crossover on a track
	Here      string // cursor row, binding constraint
	Up, Down  rune   // sort direction; Up also marks clipped values
	Ellipsis  string
	PlusMinus string
	AtLeast   string
	AtMost    string
	Dot       string // separator
	Check     string
	Cross     string
	Open      string // opens a choice

	// Borders of a panel, and the axes of a plot.
	H, V, TopLeft, TopRight, BottomLeft, BottomRight     string
	AxisV, AxisH, AxisCorner, TickY, TickX               rune
	CrossV, CrossH                                       rune
	WhiskerLeft, WhiskerRight, WhiskerTop, WhiskerBottom rune
}

// newSymbols are the symbols of a raster: as fonts draw them, or typed in ASCII.
func newSymbols(name string, raster Raster) Symbols {
	s := func(drawn, typed string) string {
		if raster == ASCII {
			return typed
		}
		return drawn
	}
	r := func(drawn, typed rune) rune { return []rune(s(string(drawn), string(typed)))[0] }
	return Symbols{
		Name: name, Raster: raster,
		Series:   []rune(s("●▲■◆✕+▼", "o^#*x+v")),
		Selected: r('◉', '@'), Pinned: r('◈', '&'), Sweet: r('✦', '*'),
		Bars: []rune(s("▁▂▃▄▅▆▇█", "_.,-:=+#")), Parts: []rune(s("▏▎▍▌▋▊▉█", "-######=")), Rest: r('░', '.'),
		Shade: r('░', ':'), Band: r('═', '='),
		Track: r('━', '='), TrackOut: r('╌', '-'), KnobLow: r('├', '['), KnobHigh: r('┤', ']'), Mark: r('┆', '|'),
		Here: s("▸", ">"), Up: r('↑', '^'), Down: r('↓', 'v'), Ellipsis: s("…", "~"), PlusMinus: s("±", "+-"),
		AtLeast: s("≥", ">="), AtMost: s("≤", "<="), Dot: s("·", "-"),
		Check: s("✓", "ok"), Cross: s("✗", "x"), Open: s("▾", "v"),
		H: s("─", "-"), V: s("│", "|"), TopLeft: s("╭", "+"), TopRight: s("╮", "+"),
		BottomLeft: s("╰", "+"), BottomRight: s("╯", "+"),
		AxisV: r('│', '|'), AxisH: r('─', '-'), AxisCorner: r('└', '+'), TickY: r('┤', '+'), TickX: r('┬', '+'),
		CrossV: r('┊', ':'), CrossH: r('┈', '.'),
		WhiskerLeft: r('├', '['), WhiskerRight: r('┤', ']'), WhiskerTop: r('┬', '-'), WhiskerBottom: r('┴', '-'),
	}
}

// SymbolSet returns the named set: braille (also ""), block for fonts without
// braille patterns, or ascii.
func SymbolSet(name string) (Symbols, error) {
	switch name {
	case "", "braille":
		return newSymbols("braille", Braille), nil
	case "block":
		return newSymbols(name, Block), nil
	case "ascii":
		return newSymbols(name, ASCII), nil
	}
	return Symbols{}, fmt.Errorf("symbols %q are unknown: use braille, block or ascii", name)
}

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
