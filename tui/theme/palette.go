package theme

// palette holds the colours that pens are mixed from, as #RRGGBB; "" leaves
// the terminal's own.
type palette struct {
	back                                   string // assumed background, for blending
	text, dim, faint, line, focus, title   string
	key, good, warn, bad, cursor, frontier string
	track, histogram, band, shade          string
	rowBack                                string // background of the selected row; "" reverses instead
	series                                 []string
}

// The Okabe–Ito colours, black left out.
const (
	orange     = "#E69F00"
	sky        = "#56B4E9"
	green      = "#009E73"
	yellow     = "#F0E442"
	blue       = "#0072B2"
	vermillion = "#D55E00"
	purple     = "#CC79A7"
)

var darkPalette = palette{
	back: "#101010",
	text: "", dim: "#9A9A9A", faint: "#5E5E5E", line: "#5A5A5A", focus: sky, title: "#DDDDDD",
	key: sky, good: "#2FC79A", warn: orange, bad: "#FF7A33", cursor: yellow, frontier: "#E8E8E8",
	track: sky, histogram: "#7C8794", band: "#2FC79A", shade: "#4A4A4A",
	rowBack: "#263445",
	series:  []string{sky, orange, "#1FB88A", purple, vermillion, yellow, "#3D94D0"},
}

// On white, the light Okabe–Ito colours are darkened until they are legible.
var lightPalette = palette{
	back: "#FFFFFF",
	text: "", dim: "#5F5F5F", faint: "#A0A0A0", line: "#A8A8A8", focus: blue, title: "#222222",
	key: blue, good: "#00785A", warn: "#9A6300", bad: "#B34700", cursor: "#B34700", frontier: "#222222",
	track: blue, histogram: "#8A8A8A", band: "#00785A", shade: "#D5D5D5",
	rowBack: "#DCEBF7",
	series:  []string{blue, "#B34700", "#00785A", "#A3527C", "#9A6300", "#2B7FB0", "#444444"},
}

var contrastDark = palette{
	back: "#000000",
	text: "#FFFFFF", dim: "#E0E0E0", faint: "#A0A0A0", line: "#FFFFFF", focus: yellow, title: "#FFFFFF",
	key: yellow, good: "#00FFB2", warn: "#FFC400", bad: "#FF8A4D", cursor: yellow, frontier: "#FFFFFF",
	track: yellow, histogram: "#FFFFFF", band: "#00FFB2", shade: "#909090",
	series: []string{"#7FD0FF", "#FFC400", "#00FFB2", "#FFA6D5", "#FF8A4D", yellow, "#FFFFFF"},
}

var contrastLight = palette{
	back: "#FFFFFF",
	text: "#000000", dim: "#202020", faint: "#606060", line: "#000000", focus: "#003E8A", title: "#000000",
	key: "#003E8A", good: "#00523C", warn: "#6B4300", bad: "#8A2A00", cursor: "#8A2A00", frontier: "#000000",
	track: "#003E8A", histogram: "#000000", band: "#00523C", shade: "#909090",
	series: []string{"#003E8A", "#8A2A00", "#00523C", "#7A2456", "#6B4300", "#00587A", "#000000"},
}

// build mixes the pens of a palette; the empty palette gives weights alone.
func build(p palette) *Theme {
	c := func(hex string) ink { return ink{fg: rgb(hex)} }
	mono := len(p.series) == 0
	t := &Theme{
		Text:       c(p.text).pen(),
		Dim:        ink{fg: rgb(p.dim), faint: mono}.pen(),
		Faint:      ink{fg: rgb(p.faint), faint: mono}.pen(),
		Title:      ink{fg: rgb(p.title), bold: true}.pen(),
		TitleFocus: ink{fg: rgb(p.focus), bold: true, underline: mono}.pen(),
		Border:     ink{fg: rgb(p.line), faint: mono}.pen(),
		Focus:      ink{fg: rgb(p.focus), bold: mono}.pen(),
		Tab:        ink{fg: rgb(p.dim)}.pen(),
		TabActive:  ink{fg: rgb(p.focus), bold: true, underline: true}.pen(),
		Key:        ink{fg: rgb(p.key), bold: true}.pen(),
		Help:       ink{fg: rgb(p.dim)}.pen(),
		Good:       ink{fg: rgb(p.good)}.pen(),
		Warn:       ink{fg: rgb(p.warn), bold: mono}.pen(),
		Bad:        ink{fg: rgb(p.bad), bold: true}.pen(),
		Selected:   ink{bg: rgb(p.rowBack), bold: true, reversed: p.rowBack == ""}.pen(),
		Cursor:     ink{fg: rgb(p.cursor), bold: true, reversed: true}.pen(),
		Pinned:     ink{fg: rgb(p.cursor), bold: true}.pen(),
		Frontier:   ink{fg: rgb(p.frontier)}.pen(),
		Axis:       ink{fg: rgb(p.line), faint: mono}.pen(),
		AxisLabel:  ink{fg: rgb(p.dim)}.pen(),
		CrossHair:  ink{fg: rgb(p.faint), faint: mono}.pen(),
		Track:      ink{fg: rgb(p.track), bold: mono}.pen(),
		TrackOut:   ink{fg: rgb(p.faint), faint: mono}.pen(),
		Histogram:  ink{fg: rgb(p.histogram)}.pen(),
		Knob:       ink{fg: rgb(p.cursor), bold: true}.pen(),
		Binds:      ink{fg: rgb(p.warn), bold: true}.pen(),
		Interval:   ink{fg: rgb(p.dim), faint: mono}.pen(),
		Warmup:     ink{fg: rgb(p.shade), faint: mono}.pen(),
		Band:       ink{fg: rgb(p.band)}.pen(),
	}
	t.series = seriesPens(p)
	return t
}

// seriesPens returns per class a thin, a normal and a dense pen.
func seriesPens(p palette) [][3]Pen {
	if len(p.series) == 0 {
		one := [3]Pen{{}, {}, ink{bold: true}.pen()}
		return [][3]Pen{one, one, one, one, one, one, one}
	}
	pens := make([][3]Pen, len(p.series))
	for i, hex := range p.series {
		full := rgb(hex)
		pens[i] = [3]Pen{
			ink{fg: blend(full, rgb(p.back), 0.28)}.pen(),
			ink{fg: full}.pen(),
			ink{fg: full, bold: true}.pen(),
		}
	}
	return pens
}

// basisPens lists the pens by basis, unknown first.
func basisPens(noColor, dark bool) [7]Pen {
	dim := darkPalette.dim
	if !dark {
		dim = lightPalette.dim
	}
	if noColor {
		dim = ""
	}
	return [7]Pen{
		ink{faint: true}.pen(),
		ink{bold: true}.pen(),
		ink{italic: true}.pen(),
		ink{italic: true, fg: rgb(dim), faint: noColor}.pen(),
		ink{fg: rgb(dim)}.pen(),
		ink{fg: rgb(dim), faint: true}.pen(),
		ink{fg: rgb(dim), underline: true}.pen(),
	}
}
