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
	Dark    bool
	NoColor bool
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
	t.Name, t.Dark, t.NoColor = name, dark, noColor
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
