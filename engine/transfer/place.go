package transfer

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/estimate"
)

// Transfer from other places. The plain prediction is the time in places where
// the model was measured, times the ratio of the GPUs' published figures. It is
// corrected by what other models measured in these places and in the one asked
// about, and by the model's own probes there at other batch sizes.

// The coordinates: ln(time), local elasticity and ln(fixed part) in the places
// known, ln(batch), each one apart for 1/weight.
const (
	timeWeight  = 0.4
	slopeWeight = 2.5
	fixedWeight = 0.8
	batchWeight = 0.5
)

const (
	// ratioSpread is the unit of deviations: what alike models still differ by
	// in their ratio of times between two VM types, as standard deviation of
	// the logarithm.
	ratioSpread = 0.13
	mostSources = 4
	mostRows    = 240 // the nearest are kept of more
)

// crossing is the regression for a subject in a place, and the places the
// subject is known from.
type crossing struct {
	field   *field
	sources []Place
	centre  []float64
	spec    float64 // published ratio of times, as a logarithm
	probes  int     // batch sizes of the subject measured in the place
	others  int     // models that were measured in both
	sound   bool    // there is something to go by: rows, figures or the same GPU
	same    bool    // the same GPU, as many
}

// rowAt is the row of a subject at a batch size, seen from the sources: where
// it lies, and ln(time) there on average. False where a source cannot say.
func (t *Table) rowAt(s Subject, sources []Place, target Place, batch float64, extrapolate bool) (r row, known float64, ok bool) {
	n := float64(len(sources))
	r = row{subject: s, place: target, dataset: t.datasets[s], octave: math.Log2(batch)}
	r.at = append(make([]float64, 0, 3*len(sources)+1), batchWeight*math.Log(batch))
	for _, from := range sources {
		c := t.curves[at{s, from}]
		if c == nil {
			return r, 0, false
		}
		b := t.sameShare(batch, from, target)
		if !extrapolate && (b < c.points[0].Batch || b > c.points[len(c.points)-1].Batch) {
			return r, 0, false
		}
		seconds := math.Log(c.At(b))
		known += seconds / n
		level, fixed := seconds, math.Log(c.fixed())
		if t.perEpoch { // in a unit of the model's own
			level, fixed = 0, fixed-seconds
		}
		k := math.Sqrt(n)
		r.at = append(r.at, timeWeight*level/k, slopeWeight*c.slope(b)/k, fixedWeight*fixed/k)
	}
	return r, known, true
}

// sameShare is the batch size that gives each GPU in one place what it gets in
// another: the batch of a training run is split over the GPUs.
func (t *Table) sameShare(batch float64, from, target Place) float64 {
	return batch * from.all() / target.all()
}

// rowsBetween lists what other models say of the times in the target, given
// those in the sources.
func (t *Table) rowsBetween(s Subject, sources []Place, target Place, spec float64) []row {
	var rows []row
	for _, c := range t.cells {
		if c.Place != target {
			continue
		}
		r, known, ok := t.rowAt(c.Subject, sources, target, float64(c.Batch), c.Subject == s)
		if !ok {
			continue
		}
		r.y = (math.Log(t.times[c].Value*t.unit(c.Subject, c.Batch)) - known - spec) / ratioSpread
		rows = append(rows, r)
	}
	return rows
}

// cross prepares the transfer of a subject to a place; nil where the subject
// was measured nowhere else.
func (t *Table) cross(s Subject, target Place) *crossing {
	sources := t.sources(s, target)
	if len(sources) == 0 {
		return nil
	}
	x := &crossing{sources: sources}
	var spread float64
	x.spec, spread = t.specRatio(s, sources, target)
	rows := t.rowsBetween(s, sources, target, x.spec)
	models := map[string]bool{}
	for _, r := range rows {
		if r.subject == s {
			x.probes++
		} else {
			models[r.subject.Model] = true
		}
	}
	x.others = len(models)
	x.centre = centreOf(rows)
	for i := range rows {
		shift(rows[i].at, x.centre)
	}
	own := x.probes > 0
	x.sound = len(rows) > 0 || spread < blindSpread
	x.same = spread <= hostSpread
	general := spread * spread / (ratioSpread * ratioSpread)
	for _, shape := range likeness {
		f := newField(rows, func(a, b *row) float64 { return general + alikeCrossing(a, b, shape, own) }, 0.1)
		if x.field == nil || f.evidence > x.field.evidence {
			x.field = f
		}
	}
	return x
}

// likeness lists how much models that lie near one another may share beyond
// what all do. The one is taken under which the rows are likeliest: a few
// unlike models say little of a new one, many alike ones much.
var likeness = []float64{1, 0.2, 0.04}

// alikeCrossing is what the ratios of two rows share beyond what all share.
// Near rows share the shape, and a straight trend over the coordinates. Where
// the model was probed in the place, its own level counts: rows of one model
// are then alike whatever their coordinates, the more the nearer their batch
// sizes.
func alikeCrossing(x, y *row, shape float64, probed bool) float64 {
	line := 0.0
	for i := range x.at {
		line += x.at[i] * y.at[i]
	}
	k := shape * (near(x, y) + 0.1*line)
	if x.subject.Model == y.subject.Model {
		k += 0.1
	}
	if probed && x.subject == y.subject {
		d := (x.octave - y.octave) / 2
		k += 2 + 0.5*math.Exp(-d*d/2)
	}
	return k
}

// sources are the places a subject is known from, those first that tell most
// about the target. A place is left out if too few models were measured there
// as well as in the target and the places before.
func (t *Table) sources(s Subject, target Place) []Place {
	type candidate struct {
		place Place
		rows  int
	}
	var all []candidate
	for _, k := range t.sortedCurves() {
		if k.Subject == s && k.Place != target {
			all = append(all, candidate{k.Place, t.shared(s, []Place{k.Place}, target)})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(math.Abs(math.Log(a.place.all()/target.all())), math.Abs(math.Log(b.place.all()/target.all()))))
	})
	var out []Place
	for _, c := range all {
		if len(out) == mostSources {
			break
		}
		with := append(slices.Clone(out), c.place)
		if len(out) == 0 || 3*t.shared(s, with, target) >= 2*all[0].rows && all[0].rows > 0 {
			out = with
		}
	}
	return out
}

// shared counts the rows of other models that a set of sources has with the
// target.
func (t *Table) shared(s Subject, sources []Place, target Place) int {
	n := 0
	for _, c := range t.cells {
		if c.Place != target || c.Subject == s {
			continue
		}
		inside := true
		for _, from := range sources {
			k := t.curves[at{c.Subject, from}]
			b := t.sameShare(float64(c.Batch), from, target)
			inside = inside && k != nil && b >= k.points[0].Batch && b <= k.points[len(k.points)-1].Batch
		}
		if inside {
			n++
		}
	}
	return n
}

// byPlace predicts a cell from other places; false where the model was measured
// in none.
func (t *Table) byPlace(c Cell) (estimate.Estimate, *crossing) {
	x, prepared := t.crossings[at{c.Subject, c.Place}]
	if !prepared {
		x = t.cross(c.Subject, c.Place)
		t.crossings[at{c.Subject, c.Place}] = x
	}
	if x == nil || !x.sound {
		return estimate.Estimate{}, nil
	}
	r, known, _ := t.rowAt(c.Subject, x.sources, c.Place, float64(c.Batch), true)
	if x.centre == nil { // no rows to be near to
		clear(r.at)
	}
	shift(r.at, x.centre)
	mean, sd := x.field.predict(&r)
	away := 0.0
	for _, from := range x.sources {
		curve := t.curves[at{c.Subject, from}]
		away = math.Max(away, curve.spread(t.sameShare(float64(c.Batch), from, c.Place)))
	}
	basis := estimate.Spec
	switch {
	case x.probes > 0:
		basis = estimate.OtherBatch
	case x.others > 0, x.same:
		basis = estimate.Transferred
	}
	return logNormal(known+x.spec+mean*ratioSpread, math.Hypot(sd*ratioSpread, away), x.field.z90(), basis), x
}

// nearestRows keeps the rows nearest to what is asked.
func nearestRows(rows []row, asked row) []row {
	if len(rows) <= mostRows {
		return rows
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(near(&b, &asked), near(&a, &asked)) })
	return rows[:mostRows]
}

func centreOf(rows []row) []float64 {
	if len(rows) == 0 {
		return nil
	}
	mean := make([]float64, len(rows[0].at))
	for _, r := range rows {
		for i, v := range r.at {
			mean[i] += v / float64(len(rows))
		}
	}
	return mean
}

func shift(x, centre []float64) {
	for i := range centre {
		x[i] -= centre[i]
	}
}
