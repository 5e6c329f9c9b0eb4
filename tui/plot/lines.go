package plot

import (
	"slices"

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
