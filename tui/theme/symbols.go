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
	Sweet     rune   // the end of a pruning axis' stretch that costs no accuracy
	Bars      []rune // rising eighths: a histogram or a sparkline
	Parts     []rune // growing eighths of a horizontal bar, the last one full
	Rest      rune   // the empty part of a horizontal bar
	Shade     rune   // background of a marked span
	Band      rune   // interval band
	Track     rune   // allowed part of a slider
	TrackOut  rune   // excluded part of a slider
	KnobLow   rune   // knob of a "at least" slider: what is right of it stays
	KnobHigh  rune   // knob of a "at most" slider
	Mark      rune   // crossover on a track
	Here      string // cursor row, binding constraint
	Up, Down  rune   // sort direction; Up also marks clipped values
	Ellipsis  string
	PlusMinus string
	AtLeast   string
	AtMost    string
	Infinity  string
	Dot       string // separator
	Arrow     string
	Check     string
	Cross     string

	// Borders of a panel, and the axes of a plot.
	H, V, TopLeft, TopRight, BottomLeft, BottomRight, TeeLeft, TeeRight string
	AxisV, AxisH, AxisCorner, TickY, TickX                              rune
	CrossV, CrossH                                                      rune
	WhiskerLeft, WhiskerRight, WhiskerTop, WhiskerBottom                rune
}

var brailleSymbols = Symbols{
	Name: "braille", Raster: Braille,
	Series:   []rune{'●', '▲', '■', '◆', '✕', '+', '▼'},
	Selected: '◉', Pinned: '◈', Sweet: '✦',
	Bars:  []rune("▁▂▃▄▅▆▇█"),
	Parts: []rune("▏▎▍▌▋▊▉█"), Rest: '░',
	Shade: '░', Band: '═',
	Track: '━', TrackOut: '╌', KnobLow: '├', KnobHigh: '┤', Mark: '┆',
	Here: "▸", Up: '↑', Down: '↓', Ellipsis: "…", PlusMinus: "±",
	AtLeast: "≥", AtMost: "≤", Infinity: "∞", Dot: "·", Arrow: "→", Check: "✓", Cross: "✗",
	H: "─", V: "│", TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯", TeeLeft: "├", TeeRight: "┤",
	AxisV: '│', AxisH: '─', AxisCorner: '└', TickY: '┤', TickX: '┬',
	CrossV: '┊', CrossH: '┈',
	WhiskerLeft: '├', WhiskerRight: '┤', WhiskerTop: '┬', WhiskerBottom: '┴',
}

var asciiSymbols = Symbols{
	Name: "ascii", Raster: ASCII,
	Series:   []rune{'o', '^', '#', '*', 'x', '+', 'v'},
	Selected: '@', Pinned: '&', Sweet: '*',
	Bars:  []rune("_.,-:=+#"),
	Parts: []rune("-######="), Rest: '.',
	Shade: ':', Band: '=',
	Track: '=', TrackOut: '-', KnobLow: '[', KnobHigh: ']', Mark: '|',
	Here: ">", Up: '^', Down: 'v', Ellipsis: "~", PlusMinus: "+-",
	AtLeast: ">=", AtMost: "<=", Infinity: "inf", Dot: "-", Arrow: "->", Check: "ok", Cross: "x",
	H: "-", V: "|", TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+", TeeLeft: "+", TeeRight: "+",
	AxisV: '|', AxisH: '-', AxisCorner: '+', TickY: '+', TickX: '+',
	CrossV: ':', CrossH: '.',
	WhiskerLeft: '[', WhiskerRight: ']', WhiskerTop: '-', WhiskerBottom: '-',
}

// SymbolSet returns the named set: braille (also ""), block for fonts without
// braille patterns, or ascii.
func SymbolSet(name string) (Symbols, error) {
	switch name {
	case "", "braille":
		return brailleSymbols, nil
	case "block":
		s := brailleSymbols
		s.Name, s.Raster = "block", Block
		return s, nil
	case "ascii":
		return asciiSymbols, nil
	}
	return Symbols{}, fmt.Errorf("symbols %q are unknown: use braille, block or ascii", name)
}
