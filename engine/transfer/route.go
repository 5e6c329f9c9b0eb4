package transfer

import (
	"cmp"
	"math"
	"slices"
)

// route is how a place is seen from others.
type route struct {
	target  Place
	sources []Place
	// whole compares times at the same batch size of the whole run. Otherwise
	// they are compared where each GPU gets the same share of the batch, which
	// is what the work of a GPU hangs on.
	whole bool
}

// batchAt is the batch size in a source that answers to one in the target.
func (r route) batchAt(from Place, batch float64) float64 {
	if r.whole {
		return batch
	}
	return batch * from.all() / r.target.all()
}

// The coordinates: ln(time), ln(time of a unit of the batch), local elasticity
// and ln(fixed part) in the places known, ln(batch), each one apart for
// 1/weight.
const (
	timeWeight  = 0.4
	unitWeight  = 0.5
	slopeWeight = 2.5
	fixedWeight = 0.8
	batchWeight = 0.5
)

// mostSources is how many places a time is carried from at once.
const mostSources = 4

// covers reports whether all sources have times of a subject on both sides of
// what answers to the batch size, or at it.
func (t *Table) covers(r route, s Subject, batch float64) bool {
	for _, from := range r.sources {
		c := t.curves[at{s, from}]
		b := r.batchAt(from, batch)
		if c == nil || b < c.points[0].Batch || b > c.points[len(c.points)-1].Batch {
			return false
		}
	}
	return true
}

// rowAt is the row of a subject at a batch size in the target, seen from the
// sources, which must have a curve of it: where it lies, and ln(time) there on
// average.
func (t *Table) rowAt(r route, s Subject, batch float64) (x row, known float64) {
	n := float64(len(r.sources))
	x = row{subject: s, place: r.target, dataset: t.datasets[s], octave: math.Log2(batch)}
	x.at = append(make([]float64, 0, 4*len(r.sources)+1), batchWeight*math.Log(batch))
	for _, from := range r.sources {
		c, b := t.curves[at{s, from}], r.batchAt(from, batch)
		seconds := math.Log(c.At(b))
		known += seconds / n
		level, unit, fixed := seconds, seconds-math.Log(b), math.Log(c.fixed())
		if t.perEpoch { // in a unit of the model's own
			level, unit, fixed = 0, 0, fixed-seconds
		}
		k := math.Sqrt(n)
		x.at = append(x.at, timeWeight*level/k, unitWeight*unit/k, slopeWeight*c.slope(b)/k, fixedWeight*fixed/k)
	}
	return x, known
}

// rows lists what is known of the target: the times of other models that the
// sources know as well, and those of the subject itself.
func (t *Table) rows(r route, s Subject, ratio float64) []row {
	var rows []row
	for _, c := range t.cellsAt[r.target] {
		if c.Subject != s && !t.covers(r, c.Subject, float64(c.Batch)) {
			continue
		}
		x, known := t.rowAt(r, c.Subject, float64(c.Batch))
		x.y = (math.Log(t.times[c].Value*t.unit(c.Subject, c.Batch)) - known - ratio) / ratioSpread
		rows = append(rows, x)
	}
	return rows
}

// shared counts the rows of other models.
func (t *Table) shared(r route, s Subject) int {
	n := 0
	for _, c := range t.cellsAt[r.target] {
		if c.Subject != s && t.covers(r, c.Subject, float64(c.Batch)) {
			n++
		}
	}
	return n
}

// routeTo is how a subject's times are carried to a place; false where it was
// measured nowhere else. Where more models can be compared at the same batch
// size than at the same share of it for each GPU, they are; a probe of the
// subject's own there shows what the share does.
func (t *Table) routeTo(s Subject, target Place) (route, bool) {
	r, rows := t.bestRoute(s, target, false)
	probed := t.curves[at{s, target}] != nil
	if w, more := t.bestRoute(s, target, true); !probed && more > rows {
		r = w
	}
	return r, len(r.sources) > 0
}

// bestRoute takes the sources that tell most about the target first. A place is
// left out if too few models were measured there as well as in the target and
// the places before; without any, those are taken that GPU and number of GPUs
// liken most.
func (t *Table) bestRoute(s Subject, target Place, whole bool) (r route, rows int) {
	type candidate struct {
		place  Place
		rows   int
		spread float64 // of the ratio of times before any row
	}
	var all []candidate
	for _, p := range t.places[s] {
		if p != target {
			alone := route{target, []Place{p}, whole}
			_, spread, _ := t.specRatio(alone, t.precisions[s])
			all = append(all, candidate{p, t.shared(alone, s), spread})
		}
	}
	other := func(c candidate) float64 { return math.Abs(math.Log(c.place.all() / target.all())) }
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(a.spread, b.spread), cmp.Compare(other(a), other(b)))
	})
	r = route{target: target, whole: whole}
	for i, c := range all {
		with := route{target, append(slices.Clone(r.sources), c.place), whole}
		tells := 3*t.shared(with, s) >= 2*all[0].rows
		if all[0].rows == 0 {
			tells = c.spread <= all[0].spread && other(c) <= other(all[0])
		}
		if i == 0 || len(r.sources) < mostSources && tells {
			r = with
		}
	}
	if len(all) > 0 {
		rows = all[0].rows
	}
	return r, rows
}
