package transfer

import (
	"math"

	"sweetspot/engine/estimate"
)

// Correction of a curve by other curves: how wrong is a curve through the same
// batch sizes at the same batch size on other models? The coordinates are how
// the time grows over the measured batch sizes, one apart for alikeElasticity,
// and how long it is, one apart for alikeTime factors e.
const (
	alikeElasticity = 0.15
	alikeTime       = 2.0
	// A batch size within this many octaves stands for another.
	sameBatch = 0.5
)

// What two curves' deviations share, as a covariance in the units of their
// spread, where a deviation's own part is 1. Predictions hang little on these:
// with any of them halved or doubled the mean error over another batch size is
// between 3.07 and 3.38 % on PROFET, with these 3.11 %, where the intervals hold
// 92 to 94 % of the truths, and 4.14 % on Zeus' trace always.
const (
	sharedByLike  = 0.64 // by curves that lie near one another, in one place with the same data
	sharedByModel = 0.3  // beyond, by near curves of one model
	sharedBySelf  = 0.2  // beyond, by curves of one model and variant, near or not
	elsewhereFrom = 5.0  // so many times less is shared from place to place
	otherDataset  = 2.0  // and so many times less with other data
)

// byCurve predicts a cell from other batch sizes of the same model in the same
// place.
func (t *Table) byCurve(c Cell) (estimate.Estimate, *field) {
	own := t.curves[at{c.Subject, c.Place}]
	f, known := t.fields[c]
	if !known {
		rows := t.analogues(c, own)
		f = newField(rows, likeness(near).among(rows), alikeCurves, 1, 1)
		t.fields[c] = f
	}
	x := t.curveRow(c, own, float64(c.Batch))
	mean, sd := f.predict(&x, 1, likeness(near).to(&x, f.rows))
	spread := own.spread(float64(c.Batch))
	centre := math.Log(own.At(float64(c.Batch))) + mean*spread
	return logNormal(centre, math.Hypot(sd*spread, own.noise), f.z90, estimate.OtherBatch), f
}

// alikeCurves is what two curves' deviations share: most on the same VM with
// the same data, something for the same model wherever it runs.
func alikeCurves(x, y *row, near float64) float64 {
	k, own := sharedByLike*near, sharedByModel*near
	if x.place != y.place {
		k, own = k/elsewhereFrom, own/elsewhereFrom
	}
	if x.dataset != y.dataset {
		k /= otherDataset
	}
	if x.subject.Model == y.subject.Model {
		k += own
	}
	if x.subject == y.subject {
		k += sharedBySelf
	}
	return k
}

// analogues asks the question of a cell, with the same batch sizes known, of
// all other curves that can answer it.
func (t *Table) analogues(c Cell, own *Curve) []row {
	var rows []row
	for _, k := range t.sortedCurves() {
		if k == (at{c.Subject, c.Place}) {
			continue
		}
		other := t.curves[k]
		asked, truth, ok := other.alike(own, float64(c.Batch))
		if !ok {
			continue
		}
		r := t.curveRow(Cell{k.Subject, k.Place, c.Batch}, asked, truth.Batch)
		r.y = math.Log(truth.Seconds/asked.At(truth.Batch)) / asked.spread(truth.Batch)
		rows = append(rows, r)
	}
	return nearestRows(rows, t.curveRow(c, own, float64(c.Batch)))
}

func (t *Table) curveRow(c Cell, known *Curve, batch float64) row {
	level := 0.0
	if !t.perEpoch { // else in a unit of the model's own
		level = math.Log(known.At(batch)) / alikeTime
	}
	return row{
		at:      []float64{known.Elasticity() / alikeElasticity, level},
		subject: c.Subject, place: c.Place, dataset: t.datasets[c.Subject],
	}
}

// alike is this curve as it would be known from the batch sizes of another, and
// the point that tells how wrong that is at a batch size; false where it was
// not measured near all of them.
func (c *Curve) alike(other *Curve, batch float64) (known *Curve, truth Point, ok bool) {
	truth, ok = c.nearest(batch)
	if !ok {
		return nil, truth, false
	}
	points := make([]Point, len(other.points))
	for i, x := range other.points {
		points[i], ok = c.nearest(x.Batch)
		if !ok || points[i].Batch == truth.Batch || (i > 0 && points[i].Batch == points[i-1].Batch) {
			return nil, truth, false
		}
	}
	return BatchCurve(points), truth, true
}

// nearest is the measured point that stands for a batch size.
func (c *Curve) nearest(batch float64) (Point, bool) {
	best, distance := Point{}, math.Inf(1)
	for _, x := range c.points {
		if d := math.Abs(math.Log2(x.Batch / batch)); d < distance {
			best, distance = x, d
		}
	}
	return best, distance <= sameBatch
}
