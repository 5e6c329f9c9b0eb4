package tokens

import "math"

// Point is the time of something at a concurrency, batch size or length.
type Point struct{ At, Seconds float64 }

// Units of what a shape holds, in which 1 is a difference that matters.
const (
	placeUnit = 0.25 // a quarter of the way between two probes
	slopeUnit = 0.25 // of the slope in log-log, 0 where flat and 1 where proportional
	logUnit   = 1.5  // of logarithms: a factor of 4.5
)

// Logs are logarithms of what describes a case, in units of a shape.
func Logs(x ...float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Log(v) / logUnit
	}
	return out
}

// Line is the plain rule from probes at two ends: a fixed part and one in proportion.
// Its shape is where between them it is asked, and how much steeper the whole is.
func Line(low, high Point, at float64) (seconds float64, shape []float64) {
	slope := (high.Seconds - low.Seconds) / (high.At - low.At)
	return low.Seconds + slope*(at-low.At), between(low, high, at)
}

// Squares is the plain rule over lengths: a part in proportion to the length and one to
// its square, as attention takes.
func Squares(low, high Point, at float64) (seconds float64, shape []float64) {
	perUnit := low.Seconds / low.At
	square := (high.Seconds/high.At - perUnit) / (high.At - low.At)
	linear := perUnit - square*low.At
	return linear*at + square*at*at, between(low, high, at)
}

// Parabola is the plain rule from three probes: the parabola through them in log-log.
func Parabola(low, middle, high Point, at float64) (seconds float64, shape []float64) {
	x := math.Log(at)
	x0, x1, x2 := math.Log(low.At), math.Log(middle.At), math.Log(high.At)
	y0, y1, y2 := math.Log(low.Seconds), math.Log(middle.Seconds), math.Log(high.Seconds)
	first, second := (y1-y0)/(x1-x0), (y2-y1)/(x2-x1)
	bend := (second - first) / (x2 - x0)
	y := y0 + first*(x-x0) + bend*(x-x0)*(x-x1)
	return math.Exp(y), append(between(low, high, at), (x1-x0)/(x2-x0)/placeUnit, first/slopeUnit, second/slopeUnit)
}

func between(low, high Point, at float64) []float64 {
	x0, x1 := math.Log(low.At), math.Log(high.At)
	rise := math.Log(high.Seconds / low.Seconds)
	place := (math.Log(at) - x0) / (x1 - x0)
	return append(Logs(low.At, high.At, low.Seconds), place/placeUnit, rise/(x1-x0)/slopeUnit)
}

// Ratio is the plain rule for other hardware, from a probe on both: the ratio of the two
// stays the same. Its shape is how much more was asked than was probed, by the hardware
// where both are known.
func Ratio(here, there, hereAsked float64) (seconds float64, shape []float64) {
	return hereAsked * there / here, []float64{math.Log(hereAsked/here) / slopeUnit}
}

// Middle is the place of the probe nearest to the middle of the first and last of
// rising points, by their logarithms, among those between. There are at least three.
func Middle(points []Point) int {
	middle := (math.Log(points[0].At) + math.Log(points[len(points)-1].At)) / 2
	best := 1
	for i := 2; i < len(points)-1; i++ {
		if math.Abs(math.Log(points[i].At)-middle) < math.Abs(math.Log(points[best].At)-middle) {
			best = i
		}
	}
	return best
}
