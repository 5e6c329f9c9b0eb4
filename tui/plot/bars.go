package plot

import (
	"cmp"
	"math"
	"strings"

	"github.com/NimbleMarkets/ntcharts/v2/barchart"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/runes"
	"github.com/NimbleMarkets/ntcharts/v2/sparkline"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// StackedBar is one bar of [Bars]: what it is and what it amounts to, which
// stand above it, and its parts. Parts that aren't above 0 take no room.
type StackedBar struct {
	Name, Value string
	Parts       []float64
}

// stackRunes fill the parts of a stacked bar, so that they differ without colour
// too.
var (
	stackRunes      = []rune("█▓▒░")
	stackRunesASCII = []rune("#=+-")
)

func stackRune(th *theme.Theme, part int) rune {
	if th.Symbols.Raster == theme.ASCII {
		return stackRunesASCII[part%len(stackRunesASCII)]
	}
	return stackRunes[part%len(stackRunes)]
}

// Legend names the parts of stacked bars, in their order, beside what fills them.
func Legend(th *theme.Theme, names ...string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = th.Series(i).Render(string(stackRune(th, i))) + name
	}
	return strings.Join(words, " ")
}

// Bars draws bars below one another, on one scale from 0, in w cells and at most
// h lines, with a blank line between two where there is room.
func Bars(th *theme.Theme, bars []StackedBar, w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	rows := stacks(th, bars, w)
	var lines []string
	for i, b := range bars {
		lines = append(lines, text.Ends(b.Name, b.Value, w), rows[i])
		if h >= 3*len(bars)-1 {
			lines = append(lines, "")
		}
	}
	return strings.Join(lines[:min(len(lines), h)], "\n")
}

// stacks draws one line of exactly w cells a bar. ntcharts tells parts apart by
// colour alone: runes that do so without colour take the place of its blocks.
func stacks(th *theme.Theme, bars []StackedBar, w int) []string {
	top := 0.0
	for _, b := range bars {
		top = math.Max(top, b.sum())
	}
	chart := barchart.New(w, len(bars), barchart.WithHorizontalBars(), barchart.WithNoAxis(), barchart.WithBarGap(0),
		barchart.WithNoAutoMaxValue(), barchart.WithMaxValue(float64(w)))
	for _, b := range bars {
		chart.Push(b.cells(th, top, w))
	}
	chart.Draw()
	c := canvas{table: penTable(th)}
	c.reset(w, len(bars))
	c.overlay(&chart.Canvas, 0, 0, func(_ rune, pen uint8) rune { return stackRune(th, int(pen-penSeries)/3) })
	return text.Lines(c.String())
}

// sum is the length of the bar.
func (b StackedBar) sum() (sum float64) {
	for _, p := range b.Parts {
		if p > 0 && finite(p) {
			sum += p
		}
	}
	return sum
}

// cells gives the parts whole cells of w, which top fills: at least one to each
// part above 0, as long as there are any.
func (b StackedBar) cells(th *theme.Theme, top float64, w int) (data barchart.BarData) {
	left := 0 // parts that still need a cell
	for _, p := range b.Parts {
		if p > 0 && finite(p) {
			left++
		}
	}
	used, sum := 0, 0.0
	for i, p := range b.Parts {
		if !(p > 0) || !finite(p) {
			continue
		}
		sum += p
		left--
		to := min(int(math.Round(share(sum, top)*float64(w))), w-left)
		to = min(max(to, used+1), w)
		data.Values = append(data.Values, barchart.BarValue{Value: float64(to - used), Style: penStyle(seriesPen(th, i, 1))})
		used = to
	}
	return data
}

// Spark draws the newest values as a sparkline of exactly width cells on one
// line, on a scale from 0 to top; top ≤ 0 takes the largest value. Values that
// aren't finite leave a blank.
func Spark(th *theme.Theme, values []float64, width int, top float64) string {
	if width <= 0 {
		return ""
	}
	if len(values) > width {
		values = values[len(values)-width:]
	}
	if !(top > 0) || math.IsInf(top, 0) {
		top = 0
		for _, v := range values {
			if finite(v) {
				top = max(top, v)
			}
		}
	}
	top = cmp.Or(top, 1)
	chart := sparkline.New(width, 1, sparkline.WithNoAutoMaxValue(), sparkline.WithMaxValue(1))
	for _, v := range values {
		chart.Push(share(v, top))
	}
	chart.Draw()
	line := canvas{}
	line.reset(width, 1)
	line.overlay(&chart.Canvas, 0, 0, func(r rune, _ uint8) rune { return th.Symbols.Bars[r-runes.LowerBlockOne] })
	return th.Series(0).Render(string(line.runes))
}

// share is v as a fraction of top, clipped to [0,1]; 0 where v isn't finite.
func share(v, top float64) float64 {
	if !finite(v) {
		return 0
	}
	return min(max(v/top, 0), 1)
}

// Bar draws a horizontal bar of exactly width cells, filled to a fraction.
func Bar(th *theme.Theme, fraction float64, width int) string {
	if width <= 0 {
		return ""
	}
	f := share(fraction, 1)
	parts := th.Symbols.Parts
	eighths := int(math.Round(f * float64(width*8)))
	if f > 0 {
		eighths = max(eighths, 1)
	}
	full, part := eighths/8, eighths%8
	bar := strings.Repeat(string(parts[len(parts)-1]), full)
	if part > 0 {
		bar += string(parts[part-1])
		full++
	}
	return th.Good.Render(bar) + th.TrackOut.Render(strings.Repeat(string(th.Symbols.Rest), width-full))
}
