package theme

import "fmt"

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
		Check: s("✓", "ok"), Cross: s("✗", "x"),
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
