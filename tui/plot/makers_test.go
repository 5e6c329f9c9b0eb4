package plot

import (
	"testing"

	ntcanvas "github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"
	"github.com/NimbleMarkets/ntcharts/v2/linechart"

	"sweetspot/engine/estimate"
	"sweetspot/engine/pareto"
	"sweetspot/tui/theme"
)

// BenchmarkMakers draws the same scatter plot of 57×20 cells with this package's
// raster and with ntcharts, whose graph is once written by its own View and once
// by [canvas.overlay]: a slider's step that makes a hundredth of the points
// feasible or infeasible. The package comment states what came of it.
func BenchmarkMakers(b *testing.B) {
	const w, h = 57, 20
	for _, size := range []struct {
		name string
		n    int
	}{{"1k", 1000}, {"100k", 100_000}, {"1M", 1_000_000}} {
		s := cloud(size.n)
		s.SetSize(w, h)
		s.View()
		feasible := steps(size.n)
		b.Run("raster/"+size.name, func(b *testing.B) {
			version := uint64(100)
			for b.Loop() {
				version++
				s.SetFeasible(version, feasible[version%2])
				s.View()
			}
		})
		ntcharts := func(feasible pareto.Set) *linechart.Model {
			bounds := s.bounds
			chart := linechart.New(w, h, bounds.x0, bounds.x1, bounds.y0, bounds.y1)
			chart.DrawXYAxisAndLabel()
			for _, shown := range []bool{false, true} {
				grid := graph.NewBrailleGrid(chart.GraphWidth(), chart.GraphHeight(), bounds.x0, bounds.x1, bounds.y0, bounds.y1)
				for i, x := range s.data.X {
					if feasible.Has(i) == shown {
						grid.Set(grid.GridPoint(ntcanvas.Float64Point{X: x, Y: s.data.Y[i]}))
					}
				}
				at := ntcanvas.Point{X: chart.Origin().X + 1}
				graph.DrawBraillePatterns(&chart.Canvas, at, grid.BraillePatterns(), penStyle(penSeries))
			}
			return &chart
		}
		b.Run("ntcharts/"+size.name, func(b *testing.B) {
			for k := 0; b.Loop(); k++ {
				ntcharts(feasible[k%2]).View()
			}
		})
		b.Run("overlay/"+size.name, func(b *testing.B) {
			c := canvas{table: penTable(s.th)}
			for k := 0; b.Loop(); k++ {
				chart := ntcharts(feasible[k%2])
				c.reset(w, h)
				c.overlay(&chart.Canvas, 0, 0, func(r rune, _ uint8) rune { return r })
				_ = c.String()
			}
		})
	}
}

// BenchmarkLines draws two lines of 41 points again.
func BenchmarkLines(b *testing.B) {
	l := exampleLines(theme.New("", true, false), 57, 20)
	for b.Loop() {
		l.mark(staleBounds)
		l.View()
	}
}

// BenchmarkLive draws a hundred thousand iteration times again.
func BenchmarkLive(b *testing.B) {
	l := NewLive(theme.New("", true, false))
	l.SetSize(80, 20)
	seconds := times(100_000)
	version := uint64(0)
	for b.Loop() {
		version++
		l.SetData(version, seconds, 23, estimate.Spread(0.0613, 0.014, estimate.Measured))
		l.View()
	}
}
