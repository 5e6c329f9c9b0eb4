package plot

import (
	"math"
	"slices"
	"strconv"

	"sweetspot/engine/estimate"
	"sweetspot/tui/theme"
)

// Live is the chart of iteration times while they stream in: time over index,
// the warm-up shaded, the steady mean as a line inside the band of its
// interval. The first iterations can be a hundred times longer than the rest:
// what is above the range is clipped and marked with an arrow.
type Live struct {
	chart
	series  series
	version uint64
	seconds []float64
	warmup  int
	steady  estimate.Estimate
	columns []column
	sample  []float64
}

// column gathers the iterations that share a column of dots.
type column struct {
	low, high, first, last float64
	any                    bool
	above, below, gap      bool // gap: a missing value ends the line before this column
}

// NewLive returns an empty chart.
func NewLive(th *theme.Theme) *Live {
	l := &Live{}
	l.chart = newChart(th, "waiting for the first iteration", l.render)
	return l
}

// SetData gives the iteration times in seconds, how many of them are warm-up,
// and the steady mean, unknown while there is none. The chart reads seconds
// only during View. It does nothing when the version is the one shown.
func (l *Live) SetData(version uint64, seconds []float64, warmup int, steady estimate.Estimate) {
	if version == l.version && len(seconds) == len(l.seconds) && l.seconds != nil {
		return
	}
	l.version, l.seconds, l.warmup, l.steady = version, seconds, warmup, steady
	l.mark(staleBounds)
}

func (l *Live) render() string {
	lo, hi, ok := l.span()
	if !ok {
		return message(l.th, l.empty, l.w, l.h)
	}
	sx := scale{lo: 0, hi: chartEnd(len(l.seconds))}
	sx.k = 1 / sx.hi
	sy, ok := newScale(Axis{}, lo, hi)
	if !ok {
		return message(l.th, "iteration times can't be drawn", l.w, l.h)
	}
	l.frame = layout(Axis{Label: count}, Axis{Label: secondsLabel(sy.hi)}, sx, sy, l.w, l.h)
	l.begin()
	f := &l.frame
	l.drawWarmup(f)
	l.drawSteady(f)
	l.gather(f)
	l.drawLine(f)
	l.drawNames(f)
	return l.canvas.String()
}

// chartEnd is the right end of the index axis: a round number that leaves room
// to grow, so that the chart isn't rescaled at every iteration.
func chartEnd(n int) float64 {
	for p := 10.0; ; p *= 10 {
		for _, m := range []float64{2, 3, 5, 7.5, 10, 15} {
			if end := m * p; float64(n) <= end {
				return end
			}
		}
	}
}

// count labels an index.
func count(v, _ float64) string {
	if v >= 10000 && math.Mod(v, 1000) == 0 {
		return strconv.FormatFloat(v/1000, 'f', -1, 64) + "k"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// secondsLabel labels seconds in the unit that suits a range up to top.
func secondsLabel(top float64) func(v, step float64) string {
	unit, k := "ms", 1e3
	switch {
	case top >= 10:
		unit, k = "s", 1
	case top < 1e-3:
		unit, k = "µs", 1e6
	}
	return func(v, step float64) string { return Digits(v*k, step*k, 4) + " " + unit }
}

// samples bounds the number of values that the range is judged by.
const samples = 4096

// span chooses a range that shows the bulk: from the smallest (but not below
// half the median) to a little above the 95th percentile, with the steady
// interval inside.
func (l *Live) span() (lo, hi float64, ok bool) {
	l.sample = l.sample[:0]
	stride := len(l.seconds)/samples + 1
	for i := 0; i < len(l.seconds); i += stride {
		if v := l.seconds[i]; finite(v) {
			l.sample = append(l.sample, v)
		}
	}
	if len(l.sample) == 0 {
		return 0, 0, false
	}
	slices.Sort(l.sample)
	n := len(l.sample)
	lo, hi = max(l.sample[0], l.sample[(n-1)/2]/2), l.sample[(n-1)*95/100]
	if n < 20 { // too few for a percentile to leave out a long first one
		hi = l.sample[max(n-2, min(n-1, 1))]
	}
	if l.steady.Known() && finite(l.steady.Low) && finite(l.steady.High) {
		lo, hi = min(lo, l.steady.Low), max(hi, l.steady.High)
	}
	// At least a tenth of the value: noise of a percent must not look wild.
	if least := 0.1 * math.Abs(hi); hi-lo < least {
		lo, hi = max(lo-least/2, 0), hi+least/2
	}
	return lo, hi + (hi-lo)*0.15, true
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// gather sorts the iterations into columns of dots.
func (l *Live) gather(f *frame) {
	l.columns = grow(l.columns, f.gw*dotsAcross)
	clear(l.columns)
	gap := false
	for i, v := range l.seconds {
		if !finite(v) {
			gap = true
			continue
		}
		x := cellOf(float64(i)*f.x.k, len(l.columns))
		if x < 0 {
			continue
		}
		c := &l.columns[x]
		if !c.any {
			*c = column{low: math.Inf(1), high: math.Inf(-1), first: v, any: true, gap: gap}
		}
		gap = false
		c.low, c.high, c.last = min(c.low, v), max(c.high, v), v
		c.above = c.above || v > f.y.hi
		c.below = c.below || v < f.y.lo
	}
}

// drawLine joins the columns, then marks what was clipped.
func (l *Live) drawLine(f *frame) {
	l.series.reset(f.gw, f.gh)
	l.series.start(penSeries + 1)
	for x, c := range l.columns {
		if !c.any {
			continue
		}
		if c.gap {
			l.series.start(penSeries + 1)
		}
		for _, v := range [4]float64{c.first, c.low, c.high, c.last} {
			l.series.add(float64(x)/float64(len(l.columns)-1), min(max(f.y.frac(v), 0), 1))
		}
	}
	l.series.draw(&l.canvas, f, func(r rune, _ uint8) rune {
		if l.th.Symbols.Raster == theme.ASCII { // strokes would be lost in the shading
			return l.th.SeriesRune(3)
		}
		return dotGlyph(l.th.Symbols.Raster, r)
	})
	for x, c := range l.columns {
		if c.above {
			l.canvas.set(f.gutter+x/dotsAcross, 0, l.th.Symbols.Up, penWarn)
		}
		if c.below {
			l.canvas.set(f.gutter+x/dotsAcross, f.gh-1, l.th.Symbols.Down, penWarn)
		}
	}
}

// drawWarmup shades the columns of the warm-up.
func (l *Live) drawWarmup(f *frame) {
	n := len(l.seconds)
	warm := min(max(l.warmup, 0), n)
	edge := f.column(float64(warm))
	if warm == 0 {
		edge = 0
	}
	for x := range edge {
		for y := range f.gh {
			l.canvas.set(f.gutter+x, y, l.th.Symbols.Shade, penShade)
		}
	}
}

// drawNames names the two spans where the line leaves room for a word.
func (l *Live) drawNames(f *frame) {
	if l.warmup <= 0 {
		return
	}
	edge := f.column(float64(min(l.warmup, len(l.seconds))))
	l.name(f, "warm-up", 0, edge)
	if l.steady.Known() {
		l.name(f, "steady", edge+1, f.gw)
	}
}

// name writes a word in the upper half of a span of columns, if it fits
// without hiding anything drawn.
func (l *Live) name(f *frame, word string, from, to int) {
	word = " " + word + " "
	for x := from; x+len(word) <= to; x++ {
		for y := range f.gh / 2 {
			if l.free(f, x, y, len(word)) {
				l.canvas.text(f.gutter+x, y, word, penLabel)
				return
			}
		}
	}
}

// free reports whether n cells hold no dots and no marks.
func (l *Live) free(f *frame, x, y, n int) bool {
	for i := x; i < x+n; i++ {
		if r := l.canvas.runes[y*l.canvas.w+f.gutter+i]; r != ' ' && r != l.th.Symbols.Shade {
			return false
		}
	}
	return true
}

// column places an index along the chart.
func (f *frame) column(i float64) int { return max(cellOf(min(i*f.x.k, 1), f.gw), 0) }

// drawSteady draws the interval of the steady mean from the end of the
// warm-up to the right end, the mean on top of it.
func (l *Live) drawSteady(f *frame) {
	if !l.steady.Known() || !finite(l.steady.Value) {
		return
	}
	from := f.column(float64(max(l.warmup, 0)))
	row := func(v float64) int { return f.gh - 1 - max(cellOf(min(max(f.y.frac(v), 0), 1), f.gh), 0) }
	mean := row(l.steady.Value)
	top, bottom := mean, mean
	if finite(l.steady.Low) && finite(l.steady.High) {
		top, bottom = min(mean, row(l.steady.High)), max(mean, row(l.steady.Low))
	}
	for x := from; x < f.gw; x++ {
		for y := top; y <= bottom; y++ {
			l.canvas.set(f.gutter+x, y, l.th.Symbols.CrossH, penBand)
		}
		l.canvas.set(f.gutter+x, mean, l.th.Symbols.Band, penBand)
	}
}
