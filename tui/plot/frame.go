package plot

import "math"

// frame is the part of a plot around its dots: axes, ticks and labels.
type frame struct {
	x, y   scale
	gutter int // columns left of the graph: labels and axis line
	gw, gh int // cells of the graph
	yTicks []tick
	xTicks []tick
}

type tick struct {
	at    int // cell from the graph's left or top
	label string
	from  int // first cell of an x label, from the graph's left; may be negative
}

// The smallest plot that can be read, in cells.
const (
	minWidth  = 18
	minHeight = 5
)

// layout places axes for a plot of w × h cells.
//
//nolint:revive // two axes, their scales and their lengths
func layout(ax, ay Axis, sx, sy scale, w, h int) frame {
	f := frame{x: sx, y: sy, gh: h - 2}
	f.placeY(ay)
	for _, t := range f.yTicks {
		f.gutter = max(f.gutter, cells(t.label))
	}
	f.gutter = min(f.gutter, w/3) + 1
	f.gw = w - f.gutter
	for most := max(f.gw/5, 2); most >= 1; most-- {
		if f.placeX(ax, most) {
			break
		}
	}
	return f
}

func (f *frame) placeY(ay Axis) {
	used := -1
	values := ay.ticks(f.y.lo, f.y.hi, f.y.log, max(f.gh/2, 2))
	for i, v := range values {
		row := f.gh - 1 - cellOf(f.y.frac(v), f.gh)
		if row < 0 || row >= f.gh || row == used {
			continue
		}
		used = row
		f.yTicks = append(f.yTicks, tick{at: row, label: ay.label(v, stepAt(values, i))})
	}
}

// placeX places at most most x ticks and reports whether no two labels touch.
func (f *frame) placeX(ax Axis, most int) bool {
	f.xTicks = f.xTicks[:0]
	values := ax.ticks(f.x.lo, f.x.hi, f.x.log, most)
	if f.x.invert {
		values = reversed(values)
	}
	free := -f.gutter
	fits := true
	for i, v := range values {
		col := cellOf(f.x.frac(v), f.gw)
		if col < 0 || col >= f.gw {
			continue
		}
		label := ax.label(v, stepAt(values, i))
		n := cells(label)
		from := min(max(col-n/2, -f.gutter), f.gw-n)
		if from < free {
			fits = false
			continue
		}
		free = from + n + 1
		f.xTicks = append(f.xTicks, tick{at: col, label: label, from: from})
	}
	return fits
}

// stepAt is the distance from a tick to the nearest other one, 0 where it is
// alone.
func stepAt(values []float64, i int) float64 {
	step := 0.0
	for _, j := range []int{i - 1, i + 1} {
		if j < 0 || j >= len(values) {
			continue
		}
		if d := math.Abs(values[i] - values[j]); step == 0 || d < step {
			step = d
		}
	}
	return step
}

func reversed(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[len(v)-1-i] = x
	}
	return out
}

// cellOf places a fraction among n cells; −1 when it is outside or NaN. The
// range is closed at both ends.
func cellOf(f float64, n int) int {
	if !(f >= 0 && f <= 1) {
		return -1
	}
	return min(int(f*float64(n)), n-1)
}

// draw puts axes, ticks and labels on the canvas.
func (f *frame) draw(c *canvas, sym *symbols) {
	axis := f.gutter - 1
	for y := range f.gh {
		c.set(axis, y, sym.AxisV, penAxis)
	}
	for _, t := range f.yTicks {
		label := []rune(t.label)
		if len(label) > axis {
			label = label[:axis]
		}
		c.text(axis-len(label), t.at, string(label), penLabel)
		c.set(axis, t.at, sym.TickY, penAxis)
	}
	c.set(axis, f.gh, sym.AxisCorner, penAxis)
	for x := range f.gw {
		c.set(f.gutter+x, f.gh, sym.AxisH, penAxis)
	}
	for _, t := range f.xTicks {
		c.set(f.gutter+t.at, f.gh, sym.TickX, penAxis)
		c.text(f.gutter+t.from, f.gh+1, t.label, penLabel)
	}
}
