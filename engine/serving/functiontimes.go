package serving

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// MemoryPoint is the measured time of a request on a warm function of so much memory.
type MemoryPoint struct {
	MemoryGiB, Seconds float64
}

// MemoryWith is a function of which the time at one size is known, its knee, and the share
// of that time that no CPU shortens, in [0,1].
func MemoryWith(seconds, gib, kneeGiB, fixed float64) (Memory, error) {
	switch {
	case !(seconds >= 1e-3 && seconds <= MaxLatencyS):
		return Memory{}, fmt.Errorf("the time of a function is %g s; give 0.001 to %g", seconds, MaxLatencyS)
	case !(kneeGiB >= defaultMinGiB && kneeGiB <= defaultMaxGiB):
		return Memory{}, fmt.Errorf("the knee of a function is %g GiB; give %g to %g", kneeGiB, defaultMinGiB, defaultMaxGiB)
	case !(fixed >= 0 && fixed <= 1):
		return Memory{}, fmt.Errorf("the fixed share of a function's time is %g; give a fraction from 0 to 1", fixed)
	case !(gib > 0):
		return Memory{}, fmt.Errorf("the memory of a function is %g GiB; give a number above 0", gib)
	}
	return Memory{FixedS: fixed * seconds, ScalingS: (1 - fixed) * seconds * min(gib, kneeGiB) / kneeGiB, KneeGiB: kneeGiB,
		MinGiB: defaultMinGiB, MaxGiB: defaultMaxGiB}, nil
}

// FitMemory fits how the time of a function falls with its memory to measured times: least
// squares, the knee at each of the sizes in turn. It needs two sizes; sizes below the
// smallest are not offered.
func FitMemory(points []MemoryPoint) (Memory, error) {
	points = slices.SortedFunc(slices.Values(points), func(a, b MemoryPoint) int {
		return cmp.Compare(a.MemoryGiB, b.MemoryGiB)
	})
	for i, p := range points {
		if !(p.MemoryGiB > 0 && p.MemoryGiB <= defaultMaxGiB && p.Seconds >= 1e-3 && p.Seconds <= MaxLatencyS) {
			return Memory{}, fmt.Errorf("a function of %g GiB that takes %g s is no measurement: give up to %g GiB and 0.001 "+
				"to %g s", p.MemoryGiB, p.Seconds, defaultMaxGiB, MaxLatencyS)
		}
		if i > 0 && p.MemoryGiB == points[i-1].MemoryGiB {
			return Memory{}, fmt.Errorf("a function of %g GiB is measured twice; keep one", p.MemoryGiB)
		}
	}
	if len(points) < 2 {
		return Memory{}, fmt.Errorf("%d size of a function is measured; how its time falls with memory needs two",
			len(points))
	}
	best, least := Memory{}, math.Inf(1)
	for _, knee := range points[1:] {
		m := Memory{KneeGiB: knee.MemoryGiB, MinGiB: points[0].MemoryGiB, MaxGiB: defaultMaxGiB}
		m.FixedS, m.ScalingS = regress(points, m.KneeGiB)
		off := 0.0
		for _, p := range points {
			off += (m.Seconds(p.MemoryGiB) - p.Seconds) * (m.Seconds(p.MemoryGiB) - p.Seconds)
		}
		if off < least*(1-1e-9) {
			best, least = m, off
		}
	}
	return best, nil
}

// regress is the least-squares line of times over knee/min(memory, knee), neither part
// below 0.
func regress(points []MemoryPoint, knee float64) (fixed, scaling float64) {
	x, y := make([]float64, len(points)), make([]float64, len(points))
	for i, p := range points {
		x[i], y[i] = knee/min(p.MemoryGiB, knee), p.Seconds
	}
	fixed, scaling = stat.LinearRegression(x, y, nil, false)
	switch {
	case scaling < 0:
		return stat.Mean(y, nil), 0
	case fixed < 0:
		_, scaling = stat.LinearRegression(x, y, nil, true)
		return 0, scaling
	}
	return fixed, scaling
}
