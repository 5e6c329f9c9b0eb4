// Package theme turns a semantic palette into pens and symbols. Its colours are
// those of Okabe and Ito, which colour-blind readers can tell apart. Whatever has
// a colour also has a rune, a word or a weight, so nothing is lost without it.
package theme

import (
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
)

// Theme is the set of pens and symbols of the program. A Theme is never
// changed after it is made, so caches may compare themes by address.
type Theme struct {
	Name    string
	Symbols Symbols

	Text, Dim, Faint  Pen // Faint is for what is out of reach: infeasible, disabled
	Title, TitleFocus Pen
	Border, Focus     Pen // panel borders; Focus on the panel that has the keys
	Tab, TabActive    Pen
	Key, Help         Pen // footer: the key and what it does
	Good, Warn, Bad   Pen
	Selected          Pen // row under the cursor; use Pen.Over
	Cursor            Pen // the candidate under the cursor in a plot, a text cursor
	Pinned            Pen
	Frontier          Pen
	Axis, AxisLabel   Pen
	CrossHair         Pen
	Track, TrackOut   Pen // allowed and excluded part of a slider
	Histogram         Pen
	Knob              Pen
	Binds             Pen
	Interval          Pen // ± part of a number
	Warmup            Pen // shaded span of a live chart
	Band              Pen // interval band of a live chart
	series            [][3]Pen
	bases             [7]Pen
}

// Names lists the themes that [New] knows.
func Names() []string { return []string{"okabe-ito", "dark", "light", "mono", "high-contrast"} }

// Valid returns an error in one sentence for a name that [New] doesn't know.
func Valid(name string) error {
	if name == "" || name == "auto" || slices.Contains(Names(), name) {
		return nil
	}
	return fmt.Errorf("theme %q is unknown: use one of %s", name, strings.Join(Names(), ", "))
}

// New returns the named theme. okabe-ito (also "" and unknown names) follows
// dark, which says whether the terminal's background is dark; the themes dark and
// light override it. noColor keeps weights only, as NO_COLOR asks.
func New(name string, dark bool, noColor bool) *Theme {
	p := darkPalette
	switch name {
	case "mono":
		noColor = true
	case "light":
		dark = false
	case "dark":
		dark = true
	}
	switch {
	case name == "high-contrast" && dark:
		p = contrastDark
	case name == "high-contrast":
		p = contrastLight
	case !dark:
		p = lightPalette
	}
	if noColor {
		p = palette{}
	}
	t := build(p)
	t.Name = name
	if name == "" || name == "auto" {
		t.Name = "okabe-ito"
	}
	t.bases = basisPens(noColor, dark)
	t.Symbols = newSymbols("braille", Braille)
	return t
}

// WithSymbols returns a copy of the theme drawn with other symbols.
func (t *Theme) WithSymbols(s Symbols) *Theme {
	c := *t
	c.Symbols = s
	return &c
}

// Series returns the pen of class i, repeating past the last one.
func (t *Theme) Series(i int) Pen { return t.SeriesDensity(i, 1) }

// SeriesDensity returns the pen of class i for a plot cell that holds few (0),
// several (1) or many (2) points.
func (t *Theme) SeriesDensity(i, density int) Pen {
	return t.series[mod(i, len(t.series))][min(max(density, 0), 2)]
}

// SeriesCount is the number of classes told apart by pen and rune.
func (t *Theme) SeriesCount() int { return len(t.series) }

// SeriesRune returns the rune of class i, repeating past the last one.
func (t *Theme) SeriesRune(i int) rune {
	return t.Symbols.Series[mod(i, len(t.Symbols.Series))]
}

func mod(i, n int) int { return ((i % n) + n) % n }

// Basis returns the pen for a number of the given basis: bold for measured,
// italic for published and reconstructed, dim for transferred, dim and underlined
// for specifications.
func (t *Theme) Basis(b estimate.Basis) Pen {
	return t.bases[min(int(b), len(t.bases)-1)]
}

var (
	basisMarks      = [...]rune{'?', '●', '○', '◌', '◐', '◇', '□'}
	basisMarksASCII = [...]rune{'?', '*', 'o', 'r', 'b', 't', 's'}
	basisShort      = [...]string{"?", "meas", "publ", "reco", "batch", "trans", "spec"}
)

// BasisMark returns the rune that stands for a basis.
func (t *Theme) BasisMark(b estimate.Basis) rune {
	if t.Symbols.Raster == ASCII {
		return basisMarksASCII[min(int(b), len(basisMarksASCII)-1)]
	}
	return basisMarks[min(int(b), len(basisMarks)-1)]
}

// BasisWord returns the short word for a basis: at most five letters.
func BasisWord(b estimate.Basis) string { return basisShort[min(int(b), len(basisShort)-1)] }

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
