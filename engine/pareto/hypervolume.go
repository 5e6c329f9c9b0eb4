package pareto

import "slices"

// Hypervolume2D is the area between the points and a reference that is worse than
// they are: of all (u, v) less than the reference, that which some point is at
// most equal to. Its unit is that of x times that of y, second-dollars of times
// and costs, say; smaller is better in both, larger areas are better frontiers.
//
// Points beyond the reference contribute nothing, nor do those that are dominated
// or hold a NaN, and without others it is 0. It is exact up to rounding. Only
// areas with one reference compare.
func Hypervolume2D(x, y []float64, refX, refY float64) float64 {
	var area float64
	top := refY
	for _, i := range Frontier2D(x, y) { // each adds the strip below the one before
		if x[i] < refX && y[i] < refY {
			area += rectangle(span(x[i], refX), span(y[i], top))
			top = y[i]
		}
	}
	return area
}

// Hypervolume3D is the volume between the points and a reference, as
// Hypervolume2D is the area. Its unit is the product of those of x, y and z.
//
// Beyond finding the frontier it costs, for each of its points, moving the steps
// of a staircase in y and z, some thousands for 200,000 points on a sphere.
func Hypervolume3D(x, y, z []float64, refX, refY, refZ float64) float64 {
	var volume float64
	slice := section{refU: refY, refV: refZ}
	from := refX
	for _, i := range Frontier3D(x, y, z) {
		if !(x[i] < refX && y[i] < refY && z[i] < refZ) {
			continue
		}
		volume += rectangle(span(from, x[i]), slice.area)
		from = x[i]
		slice.add(y[i], z[i])
	}
	return volume + rectangle(span(from, refX), slice.area)
}

// section is a cut through the volume: the area between points and a
// reference, which grows as points are added.
type section struct {
	refU, refV float64
	steps      []step // rising u, falling v
	area       float64
}

func (p *section) add(u, v float64) {
	at := place(p.steps, u)
	top := p.refV
	if at > 0 {
		top = p.steps[at-1].v
	}
	if top <= v {
		return
	}
	// The new area is a strip of rectangles, each down to v from what was there.
	left, end := u, at
	for ; end < len(p.steps) && p.steps[end].v >= v; end++ {
		p.area += rectangle(span(left, p.steps[end].u), span(v, top))
		left, top = p.steps[end].u, p.steps[end].v
	}
	right := p.refU
	if end < len(p.steps) {
		right = p.steps[end].u
	}
	p.area += rectangle(span(left, right), span(v, top))
	p.steps = slices.Replace(p.steps, at, end, step{u, v})
}

// span is how far it is to a larger number, 0 to an equal one though both be
// infinite.
func span(from, to float64) float64 {
	if from < to {
		return to - from
	}
	return 0
}

// rectangle is empty without a side, however long the other.
func rectangle(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}
