package plot

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"charm.land/lipgloss/v2"
	ntcanvas "github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/runes"
	"github.com/NimbleMarkets/ntcharts/v2/linechart/timeserieslinechart"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/theme"
)

// Line is one line of a chart: points in the order they are joined. A point that
// isn't finite, or not positive on a logarithmic axis, ends the line before it.
type Line struct {
	X, Y  []float64
	Class int // chooses pen and rune
}

// Mark is a place on the x axis that is drawn through the whole height.
type Mark struct {
	X    float64
	Here bool // where things stand, rather than where they would be best
}

// Lines is a chart of several lines over one axis, drawn by ntcharts. Lines
// differ by pen, and by a rune that stands on them here and there. Its frame is
// cached; drawing goes once over the points.
type Lines struct {
	chart
	ax, ay  Axis
	series  series
	version uint64
	lines   []Line
	marks   []Mark
}

// NewLines returns an empty chart.
func NewLines(th *theme.Theme) *Lines {
	l := &Lines{}
	l.chart = newChart(th, "nothing to plot", l.render)
	return l
}

// SetAxes changes the axes.
func (l *Lines) SetAxes(x, y Axis) {
	if !l.ax.same(x) || !l.ay.same(y) {
		l.mark(staleBounds)
	}
	l.ax, l.ay = x, y
}

// SetData gives the lines; later ones are drawn over earlier ones. The chart
// reads the points only during View. It does nothing when the version is the one
// shown.
func (l *Lines) SetData(version uint64, lines []Line) {
	if version != l.version || len(lines) != len(l.lines) {
		l.version, l.lines = version, lines
		l.mark(staleBounds)
	}
}

// SetMarks gives the marks on the x axis.
func (l *Lines) SetMarks(marks ...Mark) {
	if !slices.Equal(marks, l.marks) {
		l.marks = append(l.marks[:0], marks...)
		l.mark(staleFrame)
	}
}

func (l *Lines) render() string {
	b := noBounds
	for _, line := range l.lines {
		b = b.extend(l.ax, l.ay, line.X, line.Y)
	}
	if b.x0 > b.x1 {
		return message(l.th, l.empty, l.w, l.h)
	}
	sx, okX := newScale(l.ax, b.x0, b.x1)
	sy, okY := newScale(l.ay, b.y0, b.y1)
	if !okX || !okY {
		return message(l.th, "these values can't be drawn", l.w, l.h)
	}
	l.frame = layout(l.ax, l.ay, sx, sy, l.w, l.h)
	l.begin()
	l.drawMarks()
	l.series.reset(l.frame.gw, l.frame.gh)
	for i := range l.lines {
		l.draw(&l.lines[i])
	}
	l.series.draw(&l.canvas, &l.frame, func(r rune, _ uint8) rune { return dotGlyph(l.th.Symbols.Raster, r) })
	for i := range l.lines {
		l.drawRunes(i)
	}
	return l.canvas.String()
}

func (l *Lines) drawMarks() {
	for _, m := range l.marks {
		x := cellOf(l.frame.x.frac(m.X), l.frame.gw)
		if x < 0 {
			continue
		}
		pen, rune := penCross, l.th.Symbols.CrossV
		if m.Here {
			pen, rune = penCursor, l.th.Symbols.AxisV
		}
		for y := range l.frame.gh {
			l.canvas.set(l.frame.gutter+x, y, rune, pen)
		}
	}
}

// draw gives the points of a line to ntcharts, in stretches that end where a
// point can't be drawn.
func (l *Lines) draw(line *Line) {
	joined := false
	for i, x := range line.X {
		y := line.Y[i]
		fx, fy := l.frame.x.frac(x), l.frame.y.frac(y)
		if !l.ax.usable(x) || !l.ay.usable(y) || !(fx >= 0 && fx <= 1 && fy >= 0 && fy <= 1) {
			joined = false
			continue
		}
		if !joined {
			l.series.start(seriesPen(l.th, line.Class, 1))
		}
		joined = true
		l.series.add(fx, fy)
	}
}

// runeSpacing is how many columns lie between the runes of a line at least.
const runeSpacing = 16

// drawRunes puts the rune of the nth line's class on its highest cell in some
// columns, others than those of the lines before. Where later lines hide it, the
// rune stands in the next column that shows the line.
func (l *Lines) drawRunes(nth int) {
	f, class := &l.frame, l.lines[nth].Class
	pen := seriesPen(l.th, class, 1)
	for x := (3 + 5*nth) % runeSpacing; x < f.gw; x++ {
		for y := range f.gh {
			if l.canvas.pens[y*l.w+f.gutter+x] == pen {
				l.canvas.set(f.gutter+x, y, l.th.SeriesRune(class), pen)
				x += runeSpacing - 1
				break
			}
		}
	}
}

// chart is what all charts have: theme, size, and a cached frame.
type chart struct {
	th     *theme.Theme
	w, h   int
	empty  string
	stale  staleness
	paint  func() string // renders the frame where there is room
	cache  string
	canvas canvas
	frame  frame
}

// staleness says from where on the stages of a frame must be done again.
type staleness uint8

const (
	fresh       staleness = iota
	staleFrame            // selection, pins, crosshair, feasibility
	staleLine             // frontier
	stalePlaces           // size, symbols, part of the axes
	staleBounds           // data
)

// newChart is a chart that says a sentence while there is nothing to draw.
func newChart(th *theme.Theme, empty string, paint func() string) chart {
	return chart{th: th, canvas: canvas{table: penTable(th)}, stale: staleBounds, empty: empty, paint: paint}
}

func (c *chart) mark(level staleness) { c.stale = max(c.stale, level) }

// SetTheme changes pens and symbols.
func (c *chart) SetTheme(th *theme.Theme) {
	if c.th != th {
		c.th, c.canvas.table = th, penTable(th)
		c.mark(stalePlaces)
	}
}

// SetSize changes the size in cells.
func (c *chart) SetSize(w, h int) {
	if c.w != w || c.h != h {
		c.w, c.h = w, h
		c.mark(stalePlaces)
	}
}

// SetEmpty gives the sentence shown while there is nothing to draw.
func (c *chart) SetEmpty(sentence string) {
	if c.empty != sentence {
		c.empty = sentence
		c.mark(staleFrame)
	}
}

// Draw draws the chart in a size.
func (c *chart) Draw(w, h int) string {
	c.SetSize(w, h)
	return c.View()
}

// View returns exactly the lines and cells of the set size. What is stale stays
// so until there is room.
func (c *chart) View() string {
	switch {
	case c.w <= 0 || c.h <= 0:
		return ""
	case c.w < minWidth || c.h < minHeight:
		return message(c.th, fmt.Sprintf("plot needs %d×%d", minWidth, minHeight), c.w, c.h)
	case c.stale != fresh:
		c.cache, c.stale = c.paint(), fresh
	}
	return c.cache
}

// begin empties the canvas and draws the axes of a frame.
func (c *chart) begin() {
	c.canvas.reset(c.w, c.h)
	c.frame.draw(&c.canvas, &c.th.Symbols)
}

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
