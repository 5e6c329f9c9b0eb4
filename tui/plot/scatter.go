package plot

import (
	"fmt"
	"math"
	"slices"

	"sweetspot/tui/theme"
)

type symbols = theme.Symbols

// Data is what a scatter plot shows: columns of equal length, which the plot
// reads and keeps but never changes.
type Data struct {
	Version uint64    // another Version tells the plot that the columns changed
	X, Y    []float64 // points that aren't finite (or positive on a log axis) are left out
	Class   []uint8   // chooses pen and rune; nil is one class
}

// Whiskers are the ends of the selected point's intervals; an interval that
// isn't finite or has no width isn't drawn.
type Whiskers struct{ XLow, XHigh, YLow, YHigh float64 }

// Scatter is a scatter plot with a frontier and one selected point. Its frame
// is cached: View costs nothing until something is set to another value, and
// moving the selection doesn't look at the points again. The zero Scatter needs
// SetTheme and SetSize.
type Scatter struct {
	th     *theme.Theme
	w, h   int
	ax, ay Axis

	data        Data
	feasible    []bool
	feasibleVer uint64
	frontier    []int
	pinned      []int
	selected    int
	whiskers    Whiskers
	crossX      int
	crossY      int
	crossOn     bool

	stale   staleness
	bounds  bounds
	frame   frame
	empty   bool
	codes   []int32 // dot of every point, −1 when it has none
	sparse  bool    // few enough points for a rune each
	good    dots
	poor    dots
	line    dots
	slopes  []rune // ASCII marks of the frontier line
	counts  []uint32
	classes []uint8
	most    uint32 // largest count of a cell
	canvas  canvas
	cache   string
}

// staleness says from where on the stages of a frame must be done again.
type staleness uint8

const (
	fresh       staleness = iota
	staleFrame            // selection, pins, crosshair
	staleLayers           // feasibility, frontier
	stalePlaces           // size, symbols, axes
	staleBounds           // data
)

// bounds are the extremes of the usable points.
type bounds struct{ x0, x1, y0, y1 float64 }

// NewScatter returns an empty plot.
func NewScatter(th *theme.Theme) *Scatter {
	s := &Scatter{selected: -1, stale: staleBounds}
	s.SetTheme(th)
	return s
}

func (s *Scatter) mark(level staleness) { s.stale = max(s.stale, level) }

// SetTheme changes pens and symbols.
func (s *Scatter) SetTheme(th *theme.Theme) {
	if s.th == th {
		return
	}
	if s.th == nil || s.th.Symbols.Raster != th.Symbols.Raster {
		s.mark(stalePlaces)
	}
	s.mark(staleFrame)
	s.th = th
	s.canvas.table = penTable(th)
}

// SetSize changes the size in cells.
func (s *Scatter) SetSize(w, h int) {
	if w != s.w || h != s.h {
		s.w, s.h = w, h
		s.mark(stalePlaces)
	}
}

// Size returns the size in cells.
func (s *Scatter) Size() (w, h int) { return s.w, s.h }

// SetAxes changes the axes.
func (s *Scatter) SetAxes(x, y Axis) {
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
	s.feasible, s.frontier, s.pinned, s.selected, s.whiskers = nil, nil, nil, -1, Whiskers{}
	s.mark(staleBounds)
}

// SetFeasible says which points are feasible; nil is all of them. The plot
// keeps the slice until the next call. It does nothing when version is the one
// shown, unless the slice is another in length.
func (s *Scatter) SetFeasible(version uint64, feasible []bool) {
	if len(feasible) < len(s.data.X) {
		feasible = nil
	}
	if version == s.feasibleVer && len(feasible) == len(s.feasible) {
		return
	}
	s.feasible, s.feasibleVer = feasible, version
	s.mark(staleLayers)
}

// SetFrontier gives the points that are joined by the frontier line, in the
// order of the line.
func (s *Scatter) SetFrontier(points []int) {
	if !slices.Equal(points, s.frontier) {
		s.frontier = append(s.frontier[:0], points...)
		s.mark(staleLayers)
	}
}

// SetPinned gives the points that are kept for comparison.
func (s *Scatter) SetPinned(points []int) {
	if !slices.Equal(points, s.pinned) {
		s.pinned = append(s.pinned[:0], points...)
		s.mark(staleFrame)
	}
}

// SetSelected marks a point with its intervals; −1 marks none.
func (s *Scatter) SetSelected(i int, w Whiskers) {
	if i != s.selected || w != s.whiskers {
		s.selected, s.whiskers = i, w
		s.mark(staleFrame)
	}
}

// SetCrosshair shows the values under a cell of the plot; on false hides them.
func (s *Scatter) SetCrosshair(col, row int, on bool) {
	if on != s.crossOn || on && (col != s.crossX || row != s.crossY) {
		s.crossX, s.crossY, s.crossOn = col, row, on
		s.mark(staleFrame)
	}
}

// View returns exactly the lines and cells of the set size.
func (s *Scatter) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	if s.w < minWidth || s.h < minHeight { // what is stale stays so until there is room
		return message(s.th, fmt.Sprintf("plot needs %d×%d", minWidth, minHeight), s.w, s.h)
	}
	if s.stale == fresh {
		return s.cache
	}
	s.cache = s.render()
	s.stale = fresh
	return s.cache
}

func (s *Scatter) render() string {
	s.update()
	if s.empty {
		return message(s.th, "nothing to plot", s.w, s.h)
	}
	c := &s.canvas
	c.reset(s.w, s.h)
	s.frame.draw(c, &s.th.Symbols)
	s.drawCrosshair()
	s.drawDots()
	s.drawFrontier()
	s.drawMarks()
	return c.String()
}

// update does the stages that are stale.
func (s *Scatter) update() {
	if s.stale >= staleBounds || s.bounds == (bounds{}) {
		s.bounds = s.measure()
	}
	if s.stale >= stalePlaces || s.codes == nil {
		s.place()
	}
	if s.stale >= staleLayers && !s.empty {
		s.layer()
	}
}

// measure finds the extremes of the points that both axes can show.
func (s *Scatter) measure() bounds {
	b := bounds{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	ys := s.data.Y
	for i, x := range s.data.X {
		if y := ys[i]; s.ax.usable(x) && s.ay.usable(y) {
			b.x0, b.x1 = min(b.x0, x), max(b.x1, x)
			b.y0, b.y1 = min(b.y0, y), max(b.y1, y)
		}
	}
	return b
}

// place computes scales, layout and the dot of every point.
func (s *Scatter) place() {
	sx, okX := newScale(s.ax, s.bounds.x0, s.bounds.x1)
	sy, okY := newScale(s.ay, s.bounds.y0, s.bounds.y1)
	s.empty = !okX || !okY || s.bounds.x0 > s.bounds.x1
	s.codes = grow(s.codes, len(s.data.X))
	if s.empty {
		return
	}
	s.frame = layout(s.ax, s.ay, sx, sy, s.w, s.h)
	s.good.reset(s.th.Symbols.Raster, s.frame.gw, s.frame.gh)
	w, h := s.good.size()
	ys := s.data.Y
	for i, x := range s.data.X {
		s.codes[i] = -1
		px, py := cellOf(sx.frac(x), w), cellOf(sy.frac(ys[i]), h)
		if px >= 0 && py >= 0 {
			s.codes[i] = s.good.code(px, h-1-py)
		}
	}
	s.sparse = len(s.codes)*sparseCells <= s.frame.gw*s.frame.gh
}

// sparseCells is the number of cells a point must have, on average, for every
// point to be drawn as the rune of its class.
const sparseCells = 8
