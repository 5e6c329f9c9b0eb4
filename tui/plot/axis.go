package plot

import (
	"math"
	"slices"
)

// Axis describes one axis of a plot. Axes are compared by everything but their
// functions: give an axis another Title when its Label or Ticks change.
type Axis struct {
	Title  string
	Log    bool    // logarithmic where the range is positive, else linear
	Invert bool    // smaller values further from the origin, for metrics where lower is better
	Min    float64 // Min < Max fixes the range; otherwise it follows the data
	Max    float64
	// Label writes a value whose neighbours are step away, 0 where there are none;
	// nil writes plain numbers. Read does so under the crosshair, in a cell step
	// wide; nil is Label.
	Label, Read func(v, step float64) string
	Ticks       func(lo, hi float64, log bool, most int) []float64 // nil takes 1-2-5 steps; see DurationTicks
}

// same reports whether two axes place points alike and have the same title.
func (a Axis) same(b Axis) bool {
	return a.Title == b.Title && a.Log == b.Log && a.Invert == b.Invert && a.Min == b.Min && a.Max == b.Max
}

func (a Axis) label(v, step float64) string {
	if a.Label == nil {
		return Digits(v, step, 4)
	}
	return a.Label(v, step)
}

func (a Axis) read(v, step float64) string {
	if a.Read == nil {
		return a.label(v, step)
	}
	return a.Read(v, step)
}

func (a Axis) ticks(lo, hi float64, log bool, most int) []float64 {
	if a.Ticks != nil {
		return a.Ticks(lo, hi, log, most)
	}
	return niceTicks(lo, hi, log, most)
}

// usable reports whether the axis can show v.
func (a Axis) usable(v float64) bool {
	return finite(v) && (!a.Log || v >= leastLog)
}

// leastLog is the least value of a logarithmic axis: smaller floats have fewer
// digits, so that their logarithm can't be turned back.
const leastLog = 0x1p-1022

// scale maps values to [0,1] along an axis.
type scale struct {
	lo, hi float64 // ends in the axis's own unit
	a, k   float64 // fraction = (t(v) − a)·k
	log    bool
	invert bool
}

// newScale makes the scale of an axis for data between lo and hi; ok is false
// where there is nothing to scale.
func newScale(axis Axis, lo, hi float64) (s scale, ok bool) {
	fixed := axis.Min < axis.Max && axis.usable(axis.Min) && axis.usable(axis.Max)
	if fixed {
		lo, hi = axis.Min, axis.Max
	}
	if !(lo <= hi) || math.IsInf(hi-lo, 0) {
		return s, false
	}
	s = scale{log: axis.Log && lo > 0, invert: axis.Invert}
	a, b := s.transform(lo), s.transform(hi)
	if !fixed {
		a, b = widen(a, b, s.log, lo)
	}
	s.a, s.k = a, 1/(b-a)
	s.lo, s.hi = lo, hi
	if !fixed {
		s.lo, s.hi = max(s.untransform(a), -math.MaxFloat64), min(s.untransform(b), math.MaxFloat64)
	}
	if s.log { // the margin may reach beyond what a float can hold
		s.lo = max(s.lo, leastLog)
	}
	return s, !math.IsInf(s.k, 0) && !math.IsNaN(s.k) && s.k > 0
}

// widen leaves a margin of 4 % at both ends, and makes room around a single
// value; a range of non-negative data doesn't reach below zero.
func widen(a, b float64, log bool, lo float64) (float64, float64) {
	if b-a <= 1e-12*math.Max(math.Abs(a), math.Abs(b)) {
		half := 0.5
		if !log {
			half = math.Max(math.Abs(a)*0.1, 1e-9)
		}
		return a - half, b + half
	}
	pad := (b - a) * 0.04
	low := a - pad
	if !log && lo >= 0 && low < 0 {
		low = 0
	}
	return low, b + pad
}

func (s scale) transform(v float64) float64 {
	if s.log {
		return math.Log10(v)
	}
	return v
}

func (s scale) untransform(t float64) float64 {
	if s.log {
		return math.Pow(10, t)
	}
	return t
}

// frac places v along the axis: inside [0,1] when it is in range, NaN when it
// can't be placed.
func (s scale) frac(v float64) float64 {
	f := (s.transform(v) - s.a) * s.k
	if s.invert {
		return 1 - f
	}
	return f
}

// value is the inverse of frac.
func (s scale) value(f float64) float64 {
	if s.invert {
		f = 1 - f
	}
	return s.untransform(s.a + f/s.k)
}

// niceTicks returns at most most round values (1, 2 or 5 times a power of ten)
// in [lo, hi], ascending.
func niceTicks(lo, hi float64, log bool, most int) []float64 {
	if most < 1 || !(lo < hi) || math.IsInf(hi-lo, 0) {
		return nil
	}
	if log && lo > 0 && hi/lo >= linearBelow {
		if t := decades(lo, hi, most); len(t) >= 2 {
			return t
		}
	}
	step := niceStep((hi - lo) / float64(most))
	for {
		if t := multiples(lo, hi, step, most); t != nil {
			return t
		}
		step = niceStep(step * 1.01)
	}
}

// linearBelow is the ratio of the ends of a logarithmic range below which it has
// the ticks of a linear one: 1, 2 and 5 are too few there.
const linearBelow = 3

// multiples lists the multiples of step in [lo, hi]: nil if there are more than
// most, empty if floating point can't tell them apart.
func multiples(lo, hi, step float64, most int) []float64 {
	first := math.Ceil(lo/step - 1e-9)
	last := math.Floor(hi/step + 1e-9)
	if last-first+1 > float64(most) {
		return nil
	}
	if math.Abs(first) > 1<<52 || math.Abs(last) > 1<<52 || math.IsInf(step, 0) { // too narrow to count in
		return []float64{}
	}
	ticks := make([]float64, 0, most)
	for i := first; i <= last; i++ {
		v := i * step
		if v == 0 {
			v = 0 // no negative zero
		}
		ticks = append(ticks, v)
	}
	return ticks
}

// niceStep is the smallest of 1, 2, 5 × 10ⁿ not below x.
func niceStep(x float64) float64 {
	down := RoundDown(x)
	switch {
	case down == 0:
		return 1
	case down >= x*(1-1e-12):
		return down
	}
	return RoundDown(down * 2.6)
}

// RoundDown is the largest of 1, 2, 5 × 10ⁿ not above x, 0 where there is none.
func RoundDown(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return 0
	}
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{5, 2} {
		if m*p <= x*(1+1e-12) {
			return m * p
		}
	}
	return p
}

// decades lists 1-2-5 values of a logarithmic range, thinned to 1-3 or to
// powers of ten, or to every nth power, until they are few enough.
func decades(lo, hi float64, most int) []float64 {
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	for _, marks := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		if ticks := decadeMarks(lo, hi, first, last, 1, marks, most); ticks != nil {
			return ticks
		}
	}
	for stride := 2.0; stride < 700; stride++ {
		if ticks := decadeMarks(lo, hi, first, last, stride, []float64{1}, most); ticks != nil {
			return ticks
		}
	}
	return nil
}

//nolint:revive // two ranges, and what is marked in them
func decadeMarks(lo, hi, first, last, stride float64, marks []float64, most int) []float64 {
	ticks := []float64{}
	for e := first; e <= last; e += stride {
		for _, m := range marks {
			v := m * math.Pow(10, e)
			if v < lo*(1-1e-12) || v > hi*(1+1e-12) {
				continue
			}
			if len(ticks) == most {
				return nil
			}
			ticks = append(ticks, v)
		}
	}
	return ticks
}

// roundSeconds are the durations people read at a glance.
var roundSeconds = []float64{
	1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800,
	3600, 7200, 3 * 3600, 6 * 3600, 12 * 3600,
	86400, 2 * 86400, 5 * 86400, 10 * 86400, 20 * 86400, 50 * 86400, 100 * 86400, 200 * 86400, 500 * 86400,
}

// RoundDuration is the longest duration in seconds that people read at a glance
// and that is not above s; below a second it is 1, 2, 5 × 10ⁿ seconds.
func RoundDuration(s float64) float64 {
	if s < roundSeconds[0] {
		return RoundDown(s)
	}
	k, _ := slices.BinarySearchFunc(roundSeconds, s, func(v, s float64) int {
		if v <= s {
			return -1
		}
		return 1
	})
	return roundSeconds[k-1]
}

// DurationTicks is the tick function of an axis in seconds: steps of 1, 2, 5,
// 10, 15, 30 seconds and minutes, of hours and of days.
func DurationTicks(lo, hi float64, log bool, most int) []float64 {
	if most < 1 || !(lo < hi) || hi < 2 || hi > 500*86400 {
		return niceTicks(lo, hi, log, most)
	}
	if log && lo > 0 && hi/lo >= linearBelow {
		return thin(lo, hi, most)
	}
	for _, step := range roundSeconds {
		if t := multiples(lo, hi, step, most); t != nil {
			if len(t) < 2 {
				break
			}
			return t
		}
	}
	return niceTicks(lo, hi, log, most)
}

// thin picks round durations spread evenly over a logarithmic range.
func thin(lo, hi float64, most int) []float64 {
	all := slices.DeleteFunc(slices.Clone(roundSeconds), func(v float64) bool { return v < lo || v > hi })
	if len(all) < 2 {
		return niceTicks(lo, hi, true, most)
	}
	if len(all) <= most {
		return all
	}
	gap := math.Log(hi/lo) / float64(most)
	out := all[:0]
	last := 0.0
	for _, v := range all {
		if last == 0 || math.Log(v/last) >= gap {
			out = append(out, v)
			last = v
		}
	}
	return out[:min(len(out), most)]
}
