package plot

import (
	"fmt"
	"math"
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

// Lines is a chart of several lines over one axis. Lines differ by pen, and by a
// rune that stands on them here and there. Its frame is cached; drawing goes once
// over the points. The zero Lines needs SetTheme and SetSize.
type Lines struct {
	th      *theme.Theme
	w, h    int
	ax, ay  Axis
	version uint64
	lines   []Line
	marks   []Mark
	empty   string

	stale  bool
	cache  string
	canvas canvas
	dots   dots
	frame  frame
}

// NewLines returns an empty chart.
func NewLines(th *theme.Theme) *Lines {
	l := &Lines{stale: true, empty: "nothing to plot"}
	l.SetTheme(th)
	return l
}

// SetTheme changes pens and symbols.
func (l *Lines) SetTheme(th *theme.Theme) {
	if l.th != th {
		l.th, l.stale = th, true
		l.canvas.table = penTable(th)
	}
}

// SetSize changes the size in cells.
func (l *Lines) SetSize(w, h int) {
	if l.w != w || l.h != h {
		l.w, l.h, l.stale = w, h, true
	}
}

// SetAxes changes the axes.
func (l *Lines) SetAxes(x, y Axis) {
	l.stale = l.stale || !l.ax.same(x) || !l.ay.same(y)
	l.ax, l.ay = x, y
}

// SetEmpty gives the sentence shown while there is nothing to draw.
func (l *Lines) SetEmpty(sentence string) {
	l.stale = l.stale || l.empty != sentence
	l.empty = sentence
}

// SetData gives the lines; later ones are drawn over earlier ones. The chart
// reads the points only during View. It does nothing when the version is the one
// shown.
func (l *Lines) SetData(version uint64, lines []Line) {
	if version != l.version || len(lines) != len(l.lines) {
		l.version, l.lines, l.stale = version, lines, true
	}
}

// SetMarks gives the marks on the x axis.
func (l *Lines) SetMarks(marks ...Mark) {
	if !slices.Equal(marks, l.marks) {
		l.marks, l.stale = append(l.marks[:0], marks...), true
	}
}

// View returns exactly the lines and cells of the set size.
func (l *Lines) View() string {
	if l.w <= 0 || l.h <= 0 {
		return ""
	}
	if l.stale {
		l.cache, l.stale = l.render(), false
	}
	return l.cache
}

func (l *Lines) render() string {
	if l.w < minWidth || l.h < minHeight {
		return message(l.th, fmt.Sprintf("chart needs %d×%d", minWidth, minHeight), l.w, l.h)
	}
	b := l.measure()
	if b.x0 > b.x1 {
		return message(l.th, l.empty, l.w, l.h)
	}
	sx, okX := newScale(l.ax, b.x0, b.x1)
	sy, okY := newScale(l.ay, b.y0, b.y1)
	if !okX || !okY {
		return message(l.th, "these values can't be drawn", l.w, l.h)
	}
	l.frame = layout(l.ax, l.ay, sx, sy, l.w, l.h)
	l.canvas.reset(l.w, l.h)
	l.frame.draw(&l.canvas, &l.th.Symbols)
	l.drawMarks()
	for i := range l.lines {
		l.draw(&l.lines[i], i)
	}
	return l.canvas.String()
}

func (l *Lines) measure() bounds {
	b := bounds{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	for _, line := range l.lines {
		for i, x := range line.X {
			if y := line.Y[i]; l.ax.usable(x) && l.ay.usable(y) {
				b.x0, b.x1 = min(b.x0, x), max(b.x1, x)
				b.y0, b.y1 = min(b.y0, y), max(b.y1, y)
			}
		}
	}
	return b
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

// draw draws one line: its dots, and its rune at points that stand apart.
func (l *Lines) draw(line *Line, nth int) {
	f := &l.frame
	l.dots.reset(l.th.Symbols.Raster, f.gw, f.gh)
	w, h := l.dots.size()
	lastX, lastY := -1, -1
	for i, x := range line.X {
		col, row := cellOf(f.x.frac(x), w), cellOf(f.y.frac(line.Y[i]), h)
		if !l.ax.usable(x) || !l.ay.usable(line.Y[i]) || col < 0 || row < 0 {
			lastX = -1
			continue
		}
		row = h - 1 - row
		if lastX < 0 {
			l.dots.put(col, row)
		} else if col != lastX || row != lastY {
			l.dots.line(lastX, lastY, col, row)
		}
		lastX, lastY = col, row
	}
	pen := penSeries + uint8(line.Class%l.th.SeriesCount())*3 + 1
	for cell, bits := range l.dots.bits {
		if bits != 0 {
			l.canvas.set(f.gutter+cell%f.gw, cell/f.gw, l.dots.glyph(bits), pen)
		}
	}
	l.drawRunes(line, nth, pen)
}

// runeEvery is how many columns lie between the runes of a line.
const runeEvery = 16

// drawRunes puts the rune of the line's class on the first dot of some columns,
// others than those of the lines before.
func (l *Lines) drawRunes(line *Line, nth int, pen uint8) {
	f := &l.frame
	for x := (3 + 5*nth) % runeEvery; x < f.gw; x += runeEvery {
		for y := range f.gh {
			if l.dots.bits[y*f.gw+x] != 0 {
				l.canvas.set(f.gutter+x, y, l.th.SeriesRune(line.Class), pen)
				break
			}
		}
	}
}
