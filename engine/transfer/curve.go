package transfer

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Point is the time of an iteration at a batch size.
type Point struct{ Batch, Seconds float64 }

// Curve is the time of an iteration over batch sizes, on one VM.
//
// It is t^p = a·B^q + b·B^p, B the batch size: a fixed part and one that grows
// with the batch. With p = 1, where q is 0, they add up, which is the
// baseline; the larger p, the more of the fixed part (launching kernels, say)
// overlaps with the growing one, and the sharper the bend between them. It takes
// three batch sizes to fit p. q lets the fixed part drift, see overheadDrift.
// Between two measured batch sizes the curve goes through both.
type Curve struct {
	points   []Point // by rising batch size, each once
	p        float64
	a, b     float64 // of the fit through all points
	residual float64 // root mean square of ln(fit / measured) at the points
	noise    float64 // standard deviation of ln(time) of the points themselves
}

// The power p is searched on a grid of powerSteps values from 1 towards maxPower.
// A larger p must pay for itself: powerPenalty times ln(p) is added, in squares,
// to the errors of the fit. A greater penalty keeps the bends soft: with half of it
// the mean error from three batch sizes on PROFET is 2.17 %, with double 2.11 %
// (2.13 %), but the regret of recommended batch sizes on Zeus' trace grows from
// 3.00 to 3.18 %.
const (
	powerSteps   = 40
	maxPower     = 8.0
	powerPenalty = 0.07
)

// overheadDrift is the exponent by which the fixed part grows with the batch
// before the sharpest bends: iterations of Zeus' and PROFET's networks that are
// mostly kernel launches take 5 to 30 % longer at sixteen times the batch. Few of
// them are flat for long: with 0 or double of it the mean errors of make accuracy
// change by less than 0.1 point, the regret on Zeus' trace by 0.2.
const overheadDrift = 0.03

// overheadPower is q, the power of the batch size in the fixed part of t^p; a
// soft bend (p near 1) grows enough by itself.
func overheadPower(p float64) float64 { return overheadDrift * (p - 1) }

// BatchCurve fits the curve to measured times in seconds; several at one batch
// size count as their geometric mean. It is nil without any valid point.
func BatchCurve(measured []Point) *Curve {
	c := &Curve{points: merged(measured), p: 1}
	if len(c.points) == 0 {
		return nil
	}
	best := math.Inf(1)
	powers := powerSteps
	if len(c.points) < 3 {
		powers = 1
	}
	for i := range powers {
		p := math.Pow(maxPower, float64(i)/powerSteps)
		a, b := c.fit(p)
		miss := 0.0
		for _, x := range c.points {
			e := math.Log(timePower(a, b, p, x.Batch))/p - math.Log(x.Seconds)
			miss += e * e
		}
		if loss := miss + powerPenalty*powerPenalty*math.Log(p)*math.Log(p); loss < best-1e-12 {
			best, c.p, c.a, c.b = loss, p, a, b
			c.residual = math.Sqrt(miss / float64(len(c.points)))
		}
	}
	return c
}

// merged sorts the points, drops the invalid ones, and pools repeats.
func merged(measured []Point) []Point {
	points := slices.DeleteFunc(slices.Clone(measured), func(x Point) bool {
		return !(x.Batch > 0) || !(x.Seconds > 0) || math.IsInf(x.Batch, 0) || math.IsInf(x.Seconds, 0)
	})
	slices.SortStableFunc(points, func(x, y Point) int { return cmp.Compare(x.Batch, y.Batch) })
	var out []Point
	for i := 0; i < len(points); {
		sum, n := 0.0, 0
		for ; i+n < len(points) && points[i+n].Batch == points[i].Batch; n++ {
			sum += math.Log(points[i+n].Seconds)
		}
		out = append(out, Point{points[i].Batch, math.Exp(sum / float64(n))})
		i += n
	}
	return out
}

// timePower is t^p at a batch size, given the coefficients of a fit.
func timePower(a, b, p, batch float64) float64 {
	return a*math.Pow(batch, overheadPower(p)) + b*math.Pow(batch, p)
}

// fit is the least-squares fit of t^p = a·B^q + b·B^p by relative errors, with
// neither part negative. A single point cannot tell the parts apart: half each.
func (c *Curve) fit(p float64) (a, b float64) {
	q := overheadPower(p)
	line := func(x Point) (at, y float64) { // t^p/B^q = a + b·B^(p-q)
		return math.Pow(x.Batch, p-q), math.Pow(x.Seconds, p) / math.Pow(x.Batch, q)
	}
	if len(c.points) == 1 {
		x, y := line(c.points[0])
		return y / 2, y / 2 / x
	}
	xs, ys := make([]float64, len(c.points)), make([]float64, len(c.points))
	for i, point := range c.points {
		xs[i], ys[i] = line(point)
	}
	s := RelativeFit(xs, ys)
	if a, b = s.Line(); s.det() > singular*s.one*s.xx && a >= 0 && b >= 0 {
		return a, b
	}
	// One part alone, the one with the smaller error. The errors are summed again:
	// as a difference of the sums above they would be rounding where the times
	// differ by much.
	a, b = s.Constant(), s.Proportional()
	var ofA, ofB float64
	for i, x := range xs {
		ofA, ofB = ofA+(a/ys[i]-1)*(a/ys[i]-1), ofB+(b*x/ys[i]-1)*(b*x/ys[i]-1)
	}
	if ofA <= ofB {
		return a, 0
	}
	return 0, b
}

// LineSums are the weighted sums of a linear fit by relative errors.
type LineSums struct{ one, x, xx, y, xy float64 }

// RelativeFit sums up the points (x, y), y above 0.
func RelativeFit(x, y []float64) (s LineSums) {
	for i, x := range x {
		w := 1 / (y[i] * y[i])
		s = LineSums{s.one + w, s.x + w*x, s.xx + w*x*x, s.y + w*y[i], s.xy + w*x*y[i]}
	}
	return s
}

func (s LineSums) det() float64 { return s.one*s.xx - s.x*s.x }

// Line is the best line a + b·x; not a number where the points do not tell it.
func (s LineSums) Line() (a, b float64) {
	return (s.y*s.xx - s.x*s.xy) / s.det(), (s.one*s.xy - s.x*s.y) / s.det()
}

// Constant is the best y that does not depend on x, Proportional the best b of b·x.
func (s LineSums) Constant() float64 { return s.y / s.one }

// Proportional is the best b of b·x.
func (s LineSums) Proportional() float64 { return s.xy / s.xx }

// singular is the fraction of its largest possible value below which a
// determinant, or a rise of the fit, is taken to be rounding.
const singular = 1e-10

// At is the time at a batch size, in the unit of the points (seconds).
func (c *Curve) At(batch float64) float64 {
	i, measured := slices.BinarySearchFunc(c.points, batch, func(x Point, b float64) int {
		return cmp.Compare(x.Batch, b)
	})
	switch last := len(c.points) - 1; {
	case measured:
		return c.points[i].Seconds
	case last == 0:
		// Midway between no growth and growth in proportion.
		return c.points[0].Seconds * math.Sqrt(batch/c.points[0].Batch)
	case i == 0:
		return c.beyond(c.points[0], batch)
	case i > last:
		return c.beyond(c.points[last], batch)
	}
	lo, hi := c.points[i-1], c.points[i]
	return math.Pow(c.between(lo, hi, batch), 1/c.p)
}

// between is t^p between two measured batch sizes, interpolated in proportion to
// the rise of the fit.
func (c *Curve) between(lo, hi Point, batch float64) float64 {
	at := func(batch float64) float64 { return timePower(c.a, c.b, c.p, batch) }
	if !(at(hi.Batch)-at(lo.Batch) > singular*at(hi.Batch)) { // the fit is flat, though the points may rise
		at = func(batch float64) float64 { return timePower(0, 1, c.p, batch) }
	}
	share := (at(batch) - at(lo.Batch)) / (at(hi.Batch) - at(lo.Batch))
	return (1-share)*math.Pow(lo.Seconds, c.p) + share*math.Pow(hi.Seconds, c.p)
}

// beyond follows the fit from the outermost point outwards, scaled to go through
// that point.
func (c *Curve) beyond(end Point, batch float64) float64 {
	return end.Seconds * math.Pow(timePower(c.a, c.b, c.p, batch)/timePower(c.a, c.b, c.p, end.Batch), 1/c.p)
}

// Elasticity is d ln(time) / d ln(batch) between the smallest and the largest
// batch size measured, in [0,1]: 0 is no growth, 1 growth in proportion. With
// one batch size it is unknown and taken as ½.
func (c *Curve) Elasticity() float64 {
	first, last := c.points[0], c.points[len(c.points)-1]
	if first == last {
		return 0.5
	}
	return math.Min(1, math.Max(0, math.Log(last.Seconds/first.Seconds)/math.Log(last.Batch/first.Batch)))
}

// elasticityAt is the local elasticity, over an octave to either side.
func (c *Curve) elasticityAt(batch float64) float64 {
	return math.Log(c.At(2*batch)/c.At(batch/2)) / math.Log(4)
}

// minFixed is the least fixed part, as a fraction of the shortest time. Its
// logarithm is a feature, and a fit may find no fixed part at all.
// Between 1/500 and 1/10 PROFET's mean errors change by 0.1 point.
const minFixed = 1.0 / 50

// fixed is the fixed part of the time at the smallest batch size measured, in
// seconds.
func (c *Curve) fixed() float64 {
	shortest := c.points[0].Seconds
	for _, x := range c.points {
		shortest = math.Min(shortest, x.Seconds)
	}
	return math.Max(math.Pow(timePower(c.a, 0, c.p, c.points[0].Batch), 1/c.p), minFixed*shortest)
}

// maxExtrapolation is how many octaves beyond the measured batch sizes a time is
// still predicted. Published batch sizes span four, over which the intervals were
// tested: from batch 16 alone, and from 16 and 32, nine of ten of PROFET's times
// at 256 lie inside. Nothing is known of what comes further out.
const maxExtrapolation = 4

// reaches reports whether a batch size is within maxExtrapolation of the measured
// ones.
func (c *Curve) reaches(batch float64) bool {
	least, most := c.points[0].Batch, c.points[len(c.points)-1].Batch
	const rounding = 1 + 1e-9
	factor := math.Exp2(maxExtrapolation) * rounding
	return least/factor <= batch && batch <= most*factor
}

// spans reports whether a batch size lies between two that were measured, or is one.
func (c *Curve) spans(batch float64) bool {
	return c.points[0].Batch <= batch && batch <= c.points[len(c.points)-1].Batch
}

// distance is that of a batch size from the measured ones in octaves: beyond them
// the distance to the nearest; between two of them half the harmonic mean of
// both distances, which is greatest midway.
func (c *Curve) distance(batch float64) float64 {
	lo, hi := math.Inf(1), math.Inf(1)
	for _, x := range c.points {
		if d := math.Log2(batch / x.Batch); d >= 0 {
			lo = math.Min(lo, d)
		} else {
			hi = math.Min(hi, -d)
		}
	}
	if lo == 0 || hi == 0 {
		return 0
	}
	return 1 / (1/lo + 1/hi)
}

// Standard deviations of ln(time) of published iteration times around their
// curves. The next run of a cell differs by about 1 % from the median of those
// before. An octave away from what was measured the curve is off by 2 % where the
// time grows in proportion to the batch, and by up to 10 % where it hardly grows,
// since the bend may lie anywhere. Greater values widen the intervals: half of
// octaveSpread takes the coverage from two batch sizes on PROFET from 93.2 to
// 90.8 %, double of it to 96.4 %.
const (
	repeatSpread = 0.012
	octaveSpread = 0.02
	flatSpread   = 4   // times octaveSpread, added where the time does not grow
	bendKnown    = 0.6 // factor on octaveSpread with three batch sizes, which show the bend
)

// spread is the standard deviation of ln(time) around the curve, whose points are
// taken as exact. Errors that the fit has at its own points, where times fall as
// the batch grows or grow faster than it, it has between them too.
func (c *Curve) spread(batch float64) float64 {
	d := c.distance(batch)
	if len(c.points) == 1 {
		// The ends, no growth and growth in proportion, are 90 % apart.
		return math.Hypot(repeatSpread, d*math.Ln2/2/estimate.Z90)
	}
	flat := 1 - c.Elasticity()
	octave := octaveSpread * (1 + flatSpread*flat*flat)
	if len(c.points) > 2 {
		octave *= bendKnown
	}
	return math.Hypot(repeatSpread, math.Hypot(octave*d, c.residual*math.Min(d, 1)))
}

// beyondPoints is the part of the spread that its distance from the points has.
func (c *Curve) beyondPoints(batch float64) float64 {
	s := c.spread(batch)
	return math.Sqrt(math.Max(s*s-repeatSpread*repeatSpread, 0))
}

// Predict is the time at a batch size in seconds with its 90 % interval, from this
// curve alone.
func (c *Curve) Predict(batch float64) estimate.Estimate {
	return logNormal(math.Log(c.At(batch)), math.Hypot(c.spread(batch), c.noise), estimate.Z90, estimate.OtherBatch)
}

// widest is the factor from which the half of an interval says nothing: measurements
// that contradict each other by so much are no ground for a prediction.
const widest = 1e6

// logNormal is the estimate whose logarithm has this centre and standard
// deviation; its interval is z of these to either side. It is unknown where that is
// wider than any use.
func logNormal(centre, sd, z float64, basis estimate.Basis) estimate.Estimate {
	if !(z*sd < math.Log(widest)) {
		return estimate.Estimate{}
	}
	return estimate.Estimate{
		Value: math.Exp(centre), Low: math.Exp(centre - z*sd), High: math.Exp(centre + z*sd), Basis: basis,
	}
}

// Standard deviations of ln(peak memory) around its line: allocators round up and
// libraries choose their workspace by batch size, so that a peak is a few per
// cent off the line, and more for each octave away from those measured. Greater
// ones make more candidates "may not fit". They are judgements, not measured.
const (
	memorySpread       = 0.03
	memoryOctaveSpread = 0.02
)

// Memory is the peak memory of a GPU over its batch size, as a line: a fixed part
// and one in proportion to the batch.
type Memory Curve // in bytes instead of seconds

// MemoryLine fits the line to peaks in bytes, at batch sizes per GPU. It is nil
// for fewer than two batch sizes, which cannot tell the two parts apart.
func MemoryLine(peaks []Point) *Memory {
	c := &Curve{points: merged(peaks), p: 1}
	if len(c.points) < 2 {
		return nil
	}
	c.a, c.b = c.fit(c.p)
	return (*Memory)(c)
}

// Peaks lists the peak memory in bytes by batch size per GPU of all runs of each
// variant, as [MemoryLine] takes them; the platform matters little.
func Peaks(set *profile.Set, mode profile.Mode) map[Subject][]Point {
	out := map[Subject][]Point{}
	for i := range set.Runs {
		r := &set.Runs[i]
		if r.Mode != mode || r.PeakMemoryBytes == nil || r.Status == profile.OutOfMemory {
			continue
		}
		batch := float64(r.BatchSize)
		if mode == profile.Train {
			batch /= float64(max(r.GPUCount, 1) * max(r.Count, 1))
		}
		s := SubjectOf(r.Model, r.Variant)
		out[s] = append(out[s], Point{batch, *r.PeakMemoryBytes})
	}
	return out
}

// At is the peak in bytes at a batch size per GPU.
func (m *Memory) At(batch float64) estimate.Estimate {
	sd := math.Hypot(memorySpread, memoryOctaveSpread*(*Curve)(m).distance(batch))
	return logNormal(math.Log(m.a+m.b*batch), sd, estimate.Z90, estimate.OtherBatch)
}
