package plot

import (
	"strconv"
	"time"

	"charm.land/lipgloss/v2"
	ntcanvas "github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/runes"
	"github.com/NimbleMarkets/ntcharts/v2/linechart/timeserieslinechart"
	"github.com/charmbracelet/x/ansi"
)

// penStyle is the style under which a chart of ntcharts draws, so that its cells
// tell which pen they are for. The theme's pens replace it in [canvas.overlay].
func penStyle(pen uint8) lipgloss.Style {
	return lipgloss.NewStyle().Foreground(ansi.IndexedColor(pen))
}

// overlay copies what a chart of ntcharts has drawn to the canvas, from a cell
// on, with the theme's pens and symbols. The chart's own View would write an
// escape sequence for every cell, blank ones too.
func (c *canvas) overlay(from *ntcanvas.Model, x, y int, glyph func(r rune, pen uint8) rune) {
	for row := range from.Height() {
		for col := range from.Width() {
			cell := from.Cell(ntcanvas.Point{X: col, Y: row})
			if cell.Rune == runes.Null || cell.Rune == ' ' {
				continue
			}
			pen, _ := cell.Style.GetForeground().(ansi.IndexedColor)
			c.set(x+col, y+row, glyph(cell.Rune, uint8(pen)), uint8(pen))
		}
	}
}

// series is a time series chart of ntcharts. It draws lines through points that
// are given as fractions of the graph, so that scales, clipping and gaps are
// settled before ntcharts sees a value.
type series struct {
	model timeserieslinechart.Model
	sets  []string
}

// instant stands for a fraction of the x axis: ntcharts counts time in
// milliseconds.
func instant(fraction float64) time.Time { return time.UnixMilli(int64(fraction * 1e6)) }

// reset empties the chart and makes it width × height cells. The chart's cells
// are kept, as they take 656 bytes each.
func (s *series) reset(width, height int) {
	if s.sets = s.sets[:0]; s.model.Width() == width && s.model.Height() == height {
		s.model.ClearAllData()
		return
	}
	s.model = timeserieslinechart.New(width, height, timeserieslinechart.WithXYSteps(0, 0),
		timeserieslinechart.WithTimeRange(instant(0), instant(1)), timeserieslinechart.WithYRange(0, 1))
}

// start begins a line, or another stretch of one after a gap.
func (s *series) start(pen uint8) {
	s.sets = append(s.sets, strconv.Itoa(len(s.sets)))
	s.model.SetDataSetStyle(s.sets[len(s.sets)-1], penStyle(pen))
}

// add joins a point to the line. Both fractions are in [0,1].
func (s *series) add(x, y float64) {
	s.model.PushDataSet(s.sets[len(s.sets)-1], timeserieslinechart.TimePoint{Time: instant(x), Value: y})
}

// draw puts the lines on the graph of a frame, later ones over earlier ones.
// glyph replaces braille patterns.
func (s *series) draw(c *canvas, f *frame, glyph func(rune, uint8) rune) {
	s.model.DrawBrailleDataSets(s.sets)
	c.overlay(&s.model.Canvas, f.gutter, 0, glyph)
}
