package plot

import (
	"math"
	"strings"

	"github.com/NimbleMarkets/ntcharts/v2/canvas/runes"
	"github.com/NimbleMarkets/ntcharts/v2/sparkline"

	"sweetspot/tui/theme"
)

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
	if top == 0 {
		top = 1
	}
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
