package plot

import (
	"math"
	"slices"

	"sweetspot/engine/pareto"
	"sweetspot/tui/theme"
)

type symbols = theme.Symbols

// Data is what a scatter plot shows: columns of equal length, which the plot
// reads and keeps but never changes.
type Data struct {
	Version uint64    // another Version tells the plot that the columns changed
	X, Y    []float64 // points that aren't finite (or positive on a log axis) are left out
	Class   []uint8   // chooses pen and rune; nil is one class
	Of      string    // what a point is, for the count of a cell; "" where counting points says nothing
}

// Whiskers are the ends of the selected point's intervals; an interval that
// isn't finite or has no width isn't drawn.
type Whiskers struct{ XLow, XHigh, YLow, YHigh float64 }

// Scatter is a scatter plot with a frontier and one selected point. Its frame
// is cached: View costs nothing until something is set to another value. Below
// the frame lie its layers: the dot of every point and how many points a dot
// has, which change with zoom and size; which points are feasible, of which only
// changes are counted; the frontier line. Drawing visits cells, not points. The
// plot itself keeps 4 bytes and a bit for each point.
type Scatter struct {
	chart
	ax, ay Axis

	data        Data
	feasible    pareto.Set // as counted
	feasibleVer uint64
	feasibleLen int
	frontier    []int
	pinned      []int
	selected    int
	whiskers    Whiskers
	cross       crosshair
	hover       crosshair
	viewX       span
	viewY       span

	bounds  bounds
	wholeX  scale // of which the frame's is a part
	wholeY  scale
	nothing bool    // to show
	codes   []int32 // dot of every point, −1 when it has none
	xBins   bins
	yBins   bins
	xCodes  []int32
	yCodes  []int32
	tallies [maxWorkers]tally // the first one counts; the others help to
	penOf   [256]uint8        // by class
	differ  []int32           // points about to be flipped
	most    uint32            // points of the fullest cell
	shades  shades
	sparse  bool // few enough points for a rune each
	line    dots
}

// bounds are the extremes of the usable points.
type bounds struct{ x0, x1, y0, y1 float64 }

// noBounds are those of no point: x0 is above x1.
var noBounds = bounds{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}

// extend returns bounds that hold also the points that both axes can show.
func (b bounds) extend(ax, ay Axis, xs, ys []float64) bounds {
	for i, x := range xs {
		if y := ys[i]; ax.usable(x) && ay.usable(y) {
			b.x0, b.x1 = min(b.x0, x), max(b.x1, x)
			b.y0, b.y1 = min(b.y0, y), max(b.y1, y)
		}
	}
	return b
}

// NewScatter returns an empty plot.
func NewScatter(th *theme.Theme) *Scatter {
	s := &Scatter{}
	s.chart = newChart(th, "nothing to plot", s.render)
	return s
}

// SetAxes changes the axes. A zoomed plot keeps its range, unless an axis now
// shows another quantity.
func (s *Scatter) SetAxes(x, y Axis) {
	if s.ax.Title != x.Title || s.ay.Title != y.Title {
		s.viewX, s.viewY, s.cross, s.hover = span{}, span{}, crosshair{}, crosshair{}
	}
	if !s.ax.same(x) || !s.ay.same(y) {
		s.mark(staleBounds)
	}
	s.ax, s.ay = x, y
}

// SetData changes the points; all become feasible, and frontier, pins and
// selection are dropped. It does nothing when the version is the one shown.
func (s *Scatter) SetData(d Data) {
	if d.Version == s.data.Version && len(d.X) == len(s.data.X) && s.data.X != nil {
		return
	}
	n := min(len(d.X), len(d.Y))
	d.X, d.Y = d.X[:n], d.Y[:n]
	if len(d.Class) < n {
		d.Class = nil
	}
	s.data = d
	s.feasible, s.feasibleLen = grow(s.feasible, pareto.Words(n)), 0
	s.feasible.Fill(n)
	s.frontier, s.pinned, s.selected, s.whiskers = s.frontier[:0], s.pinned[:0], -1, Whiskers{}
	s.mark(staleBounds)
}

// SetFrontier gives the points that are joined by the frontier line, in the
// order of the line.
func (s *Scatter) SetFrontier(points []int) { s.setPoints(&s.frontier, points, staleLine) }

// SetPinned gives the points that are kept for comparison.
func (s *Scatter) SetPinned(points []int) { s.setPoints(&s.pinned, points, staleFrame) }

func (s *Scatter) setPoints(of *[]int, points []int, level staleness) {
	if !slices.Equal(points, *of) {
		*of = append((*of)[:0], points...)
		s.mark(level)
	}
}

// SetSelected marks a point with its intervals; −1 marks none.
func (s *Scatter) SetSelected(i int, w Whiskers) {
	if i != s.selected || w != s.whiskers {
		s.selected, s.whiskers = i, w
		s.mark(staleFrame)
	}
}

func (s *Scatter) render() string {
	s.update()
	if s.nothing {
		return message(s.th, s.empty, s.w, s.h)
	}
	s.begin()
	s.drawShades()
	s.drawCrosshair()
	s.drawDots()
	s.drawFrontier()
	s.drawMarks()
	s.drawReading()
	return s.canvas.String()
}

// update does the stages that are stale.
func (s *Scatter) update() {
	if s.stale >= staleBounds {
		s.bounds = s.measure()
	}
	if s.stale >= stalePlaces {
		s.place()
	}
	if s.stale >= staleLine && !s.nothing {
		s.layLine()
	}
	s.stale = min(s.stale, staleFrame)
}

// measure finds the extremes of the points that both axes can show.
func (s *Scatter) measure() bounds {
	var of [maxWorkers]bounds
	parts := split(len(s.data.X), func(part, from, to int) {
		of[part] = noBounds.extend(s.ax, s.ay, s.data.X[from:to], s.data.Y[from:to])
	})
	b := of[0]
	for _, o := range of[1:parts] {
		b = bounds{min(b.x0, o.x0), max(b.x1, o.x1), min(b.y0, o.y0), max(b.y1, o.y1)}
	}
	return b
}

// place computes scales, layout and the dot of every point.
func (s *Scatter) place() {
	var okX, okY bool
	s.wholeX, okX = newScale(s.ax, s.bounds.x0, s.bounds.x1)
	s.wholeY, okY = newScale(s.ay, s.bounds.y0, s.bounds.y1)
	if s.nothing = !okX || !okY || s.bounds.x0 > s.bounds.x1; s.nothing {
		s.codes = grow(s.codes, len(s.data.X))
		for i := range s.codes {
			s.codes[i] = -1
		}
		return
	}
	s.frame = layout(s.ax, s.ay, s.wholeX.within(s.viewX), s.wholeY.within(s.viewY), s.w, s.h)
	s.line.reset(s.frame.gw, s.frame.gh)
	w, h := s.frame.gw*dotsAcross, s.frame.gh*dotsDown
	s.xCodes, s.yCodes = grow(s.xCodes, w+1), grow(s.yCodes, h+1)
	for x := range w {
		s.xCodes[x] = s.line.code(x, 0)
	}
	for y := range h {
		s.yCodes[h-1-y] = s.line.code(0, y)
	}
	s.xBins.set(s.frame.x, w, s.xCodes)
	s.yBins.set(s.frame.y, h, s.yCodes)
	s.count()
	s.sparse = len(s.codes)*cellsPerRune <= s.frame.gw*s.frame.gh
}

// cellsPerRune is the number of cells a point must have on average for points to
// be drawn as the runes of their classes.
const cellsPerRune = 8
