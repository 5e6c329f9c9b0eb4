package plot

import (
	"math"
	"strings"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// stackRunes fill the parts of a stacked bar, so that they differ without colour
// too.
var (
	stackRunes      = []rune("█▓▒░")
	stackRunesASCII = []rune("#=+-")
)

// StackRune is what the part of a stacked bar is filled with, for legends.
func StackRune(th *theme.Theme, part int) string {
	runes := stackRunes
	if th.Symbols.Raster == theme.ASCII {
		runes = stackRunesASCII
	}
	return th.Series(part).Render(string(runes[part%len(runes)]))
}

// Stacked draws parts side by side in exactly width cells, top filling all of
// them. A part above 0 has a cell at least, as long as there are any.
func Stacked(th *theme.Theme, parts []float64, top float64, width int) string {
	var b strings.Builder
	used, sum := 0, 0.0
	for i, p := range parts {
		if !(p > 0) || math.IsInf(p, 0) {
			continue
		}
		sum += p
		to := min(max(int(math.Round(share(sum, top)*float64(width))), used+1), width)
		b.WriteString(strings.Repeat(StackRune(th, i), to-used))
		used = to
	}
	return b.String() + text.Spaces(width-used)
}
