package transfer

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/estimate"
)

// Point is a time measured at a batch size.
type Point struct{ Batch, Seconds float64 }

// Curve is the time of an iteration over batch sizes, on one VM.
//
// It is t^p = a·B^q + b·B^p: a fixed part and one that grows with the batch. With
// p = 1, where q is 0, they follow one another, the plain method; the larger p,
// the more of the fixed part (launching kernels, say) is hidden behind the
// growing one, and the sharper the bend between them. Three batch sizes tell p.
// The fixed part then creeps up with the batch, see creep. Between two measured
// batch sizes the curve goes through both.
type Curve struct {
	points []Point // rising batch sizes, one each
	p      float64
	a, b   float64 // of the fit through all points
	misfit float64 // of the fit at the points, as rms of the logarithm
	noise  float64 // of the points themselves, likewise
}

// How the power p is searched: among searched values up to sharpest, where
// leaving 1 costs as much as an error of bendCost for each factor e.
const (
	searched = 40
	sharpest = 8.0
	bendCost = 0.07
)

// creep is how the fixed part still grows with the batch before a sharp bend, as
// an exponent, at most: iterations of Zeus' and PROFET's networks of which
// launching kernels is most take 5 to 30 % longer with sixteen times the batch. A
// soft bend needs no more of it.
const creep = 0.03

// creeps is that exponent beside the power p, as the power of t^p.
func creeps(p float64) float64 { return creep * (p - 1) }

// BatchCurve fits the curve to what was measured; several times at one batch
// size count as their geometric mean. It is nil without any.
func BatchCurve(measured []Point) *Curve {
	c := &Curve{points: merged(measured), p: 1}
	if len(c.points) == 0 {
		return nil
	}
	best := math.Inf(1)
	powers := searched
	if len(c.points) < 3 {
		powers = 1
	}
	for i := range powers {
		p := math.Pow(sharpest, float64(i)/searched)
		a, b := c.fit(p)
		miss := 0.0
		for _, x := range c.points {
			e := math.Log(mix(a, b, p, x.Batch))/p - math.Log(x.Seconds)
			miss += e * e
		}
		if loss := miss + bendCost*bendCost*math.Log(p)*math.Log(p); loss < best-1e-12 {
			best, c.p, c.a, c.b = loss, p, a, b
			c.misfit = math.Sqrt(miss / float64(len(c.points)))
		}
	}
	return c
}

// merged sorts the points, drops those that are no times, and pools repeats.
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

// mix is t^p at a batch size by the parts of a fit.
func mix(a, b, p, batch float64) float64 {
	return a*math.Pow(batch, creeps(p)) + b*math.Pow(batch, p)
}

// fit is the least-squares t^p = a·B^q + b·B^p with relative errors, neither part
// below zero. A single point says nothing of the parts: half each.
func (c *Curve) fit(p float64) (a, b float64) {
	q := creeps(p)
	line := func(x Point) (at, y float64) { // t^p/B^q = a + b·B^(p-q)
		return math.Pow(x.Batch, p-q), math.Pow(x.Seconds, p) / math.Pow(x.Batch, q)
	}
	if len(c.points) == 1 {
		x, y := line(c.points[0])
		return y / 2, y / 2 / x
	}
	var s1, sx, sxx, sy, sxy float64
	for _, point := range c.points {
		x, y := line(point)
		w := 1 / (y * y)
		s1, sx, sxx, sy, sxy = s1+w, sx+w*x, sxx+w*x*x, sy+w*y, sxy+w*x*y
	}
	det := s1*sxx - sx*sx
	a, b = (sy*sxx-sx*sxy)/det, (s1*sxy-sx*sy)/det
	if det > alike*s1*sxx && a >= 0 && b >= 0 {
		return a, b
	}
	// One part alone, the one that misses less. What each misses is added up
	// anew: as a difference of the sums it would be rounding where times differ
	// by much.
	a, b = sy/s1, sxy/sxx
	var ofA, ofB float64
	for _, point := range c.points {
		x, y := line(point)
		ofA, ofB = ofA+(a/y-1)*(a/y-1), ofB+(b*x/y-1)*(b*x/y-1)
	}
	if ofA <= ofB {
		return a, 0
	}
	return 0, b
}

// alike is below which share of its largest possible value a determinant is
// all rounding.
const alike = 1e-10

// At is the time at a batch size, in the unit of the points.
func (c *Curve) At(batch float64) float64 {
	i, measured := slices.BinarySearchFunc(c.points, batch, func(x Point, b float64) int { return cmp.Compare(x.Batch, b) })
	switch last := len(c.points) - 1; {
	case measured:
		return c.points[i].Seconds
	case last == 0:
		// Between no growth at all and growth in proportion.
		return c.points[0].Seconds * math.Sqrt(batch/c.points[0].Batch)
	case i == 0:
		return c.from(c.points[0], batch)
	case i > last:
		return c.from(c.points[last], batch)
	}
	lo, hi := c.points[i-1], c.points[i]
	return math.Pow(c.between(lo, hi, batch), 1/c.p)
}

// between is t^p between two measured batch sizes: as the fit rises from one to
// the other, so does the curve.
func (c *Curve) between(lo, hi Point, batch float64) float64 {
	at := func(batch float64) float64 { return mix(c.a, c.b, c.p, batch) }
	if !(at(hi.Batch)-at(lo.Batch) > alike*at(hi.Batch)) { // flat but for rounding: the points may rise for all that
		at = func(batch float64) float64 { return mix(0, 1, c.p, batch) }
	}
	share := (at(batch) - at(lo.Batch)) / (at(hi.Batch) - at(lo.Batch))
	return (1-share)*math.Pow(lo.Seconds, c.p) + share*math.Pow(hi.Seconds, c.p)
}

// from follows the fit beyond the outermost point, from that point on: what the
// fit misses there it will miss further out.
func (c *Curve) from(end Point, batch float64) float64 {
	return end.Seconds * math.Pow(mix(c.a, c.b, c.p, batch)/mix(c.a, c.b, c.p, end.Batch), 1/c.p)
}

// Elasticity is how the time grows with the batch between the smallest and the
// largest measured: 0 not at all, 1 in proportion, ½ where it is not known.
func (c *Curve) Elasticity() float64 {
	first, last := c.points[0], c.points[len(c.points)-1]
	if first == last {
		return 0.5
	}
	return math.Min(1, math.Max(0, math.Log(last.Seconds/first.Seconds)/math.Log(last.Batch/first.Batch)))
}

// slope is the local elasticity, over an octave to either side.
func (c *Curve) slope(batch float64) float64 {
	return math.Log(c.At(2*batch)/c.At(batch/2)) / math.Log(4)
}

// fixed is the part of the time that hardly grows with the batch, as it is at
// the smallest measured; at least a fiftieth of the shortest time.
func (c *Curve) fixed() float64 {
	least := c.points[0].Seconds
	for _, x := range c.points {
		least = math.Min(least, x.Seconds)
	}
	return math.Max(math.Pow(mix(c.a, 0, c.p, c.points[0].Batch), 1/c.p), least/50)
}

// farthest is how many octaves beyond the batch sizes measured a time is still
// predicted. Published ones span four, and of them the intervals were tested:
// from batch 16 alone, and from 16 and 32, nine of ten of PROFET's times at 256
// lie inside. Nothing tells of what comes further out.
const farthest = 4

// reaches reports whether a batch size is near enough to the measured ones to
// say something of it.
func (c *Curve) reaches(batch float64) bool {
	least, most := c.points[0].Batch, c.points[len(c.points)-1].Batch
	const rounding = 1 + 1e-9
	factor := math.Exp2(farthest) * rounding
	return least/factor <= batch && batch <= most*factor
}

// distance is how far a batch size is from the measured ones, in octaves:
// beyond them the distance to the nearest; between two half the harmonic mean
// of both distances, which is greatest in the middle.
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

// Spreads of published iteration times around their curves, as standard
// deviations of the logarithm: the next run of a cell differs by about 1 % from
// the middle one of those before, and an octave away from what was measured the curve is off by 2 % where the time
// grows in proportion to the batch and by up to 10 % where it hardly grows,
// since nothing then says where it will begin to.
const (
	repeatSpread = 0.012
	octaveSpread = 0.02
	flatSpread   = 4   // times octaveSpread, added where the time does not grow
	bendKnown    = 0.6 // of all that with three batch sizes, which show the bend
)

// spread is the standard deviation of ln(time) around the curve, whose points
// are taken as they are. What it cannot follow at its own points, times that
// fall as the batch grows or grow faster, it will miss between them too.
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
	return math.Hypot(repeatSpread, math.Hypot(octave*d, c.misfit*math.Min(d, 1)))
}

// Predict is the time at a batch size with its interval, from this curve alone.
func (c *Curve) Predict(batch float64) estimate.Estimate {
	return logNormal(math.Log(c.At(batch)), math.Hypot(c.spread(batch), c.noise), estimate.Z90, estimate.OtherBatch)
}

// logNormal is the estimate whose logarithm has this centre and standard
// deviation, its ends z of these away.
func logNormal(centre, sd, z float64, basis estimate.Basis) estimate.Estimate {
	return estimate.Estimate{Value: math.Exp(centre), Low: math.Exp(centre - z*sd), High: math.Exp(centre + z*sd), Basis: basis}
}
