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

const (
	// ratioSpread is the unit of deviations: what alike models still differ by
	// in their ratio of times between two VM types, as standard deviation of
	// the logarithm.
	ratioSpread = 0.13
	// rowSpread is what a row and a model each have for themselves, as a
	// variance.
	rowSpread = 0.1
	mostRows  = 240 // the nearest are kept of more
)

// crossing is the regression for a subject in a place.
type crossing struct {
	route
	field  *blend
	centre []float64
	ratio  float64 // ln(time in the target / time in the sources) before any row
	probes int     // batch sizes of the subject measured in the place
	others int     // models that were measured in both
	sound  bool    // there is something to go by: rows, figures or the same GPU
	same   bool    // the same GPU, as many
}

// cross prepares the transfer of a subject to a place; nil where the subject
// was measured nowhere else.
func (t *Table) cross(s Subject, target Place) *crossing {
	r, ok := t.routeTo(s, target)
	if !ok {
		return nil
	}
	x := &crossing{route: r}
	var spread float64
	x.ratio, spread, x.sound = t.specRatio(r, t.precisions[s])
	rows := nearestRows(t.rows(r, s, x.ratio), t.middleRow(r, s))
	models := map[string]bool{}
	for _, row := range rows {
		if row.subject == s {
			x.probes++
		} else {
			models[row.subject.Model] = true
		}
	}
	x.others = len(models)
	x.centre = centreOf(rows)
	for i := range rows {
		shift(rows[i].at, x.centre)
	}
	x.sound = x.sound || len(rows) > 0
	x.same = spread <= hostSpread
	x.field = regressions(rows, spread/ratioSpread, x.others, x.probes > 0)
	return x
}

// middleRow is the row of a subject in the middle of what was measured of it.
func (t *Table) middleRow(r route, s Subject) row {
	p := t.curves[at{s, r.sources[0]}].points
	x, _ := t.rowAt(r, s, p[len(p)/2].Batch*r.target.all()/r.sources[0].all())
	return x
}

// shapes lists how much models that lie near one another may share beyond what
// all do.
var shapes = []float64{0.2, 1, 5}

// manyModels show what they share. Of fewer it is taken to be less, by their
// share of these: it may be chance.
const manyModels = 6

// oneModel is how many times wider a transfer is that rests on a single other
// model: of PROFET's networks each differs from another by about a quarter in
// its ratio of times between two GPUs.
const oneModel = 2

// regressions go through rows that all share a deviation of the given spread.
// probed says that some are of the subject asked about.
func regressions(rows []row, spread float64, models int, probed bool) *blend {
	among := likeness(alikeCrossing).among(rows)
	var all []*field
	for _, shape := range shapes {
		k := sharedCrossing{spread: spread, shape: shape * math.Min(1, float64(max(models, 1))/manyModels), probed: probed}
		if models > 0 {
			k.common = 1 - 1/float64(models*models)
		}
		all = append(all, newField(rows, among, k.of, rowSpread, oneModel))
	}
	b := newBlend(all, alikeCrossing)
	if probed {
		return b // its own rows say what is odd about it
	}
	return b.sure(among)
}

// alikeCrossing is the likeness of two rows: near ones are alike, and on a
// straight trend over the coordinates all are.
func alikeCrossing(x, y *row) float64 {
	line := 0.0
	for i := range x.at {
		line += x.at[i] * y.at[i]
	}
	return near(x, y) + line
}

// What rows of a model that was probed in the place share beyond, as variances
// in units of ratioSpread: its level there, which may be any, so that a probe
// moves all of its batch sizes, and what only batch sizes within some octaves
// have in common. Any of them halved or doubled moves the mean error between
// PROFET's VM types, 6.87 %, to between 6.78 and 7.28 %, and the share of truths
// inside the intervals, 93 %, to between 90 and 96 %.
const (
	ownLevel     = 2.0
	ownShape     = 0.5
	octavesAlike = 2.0
)

// sharedCrossing is what the ratios of two rows share.
type sharedCrossing struct {
	spread float64 // of what all share
	shape  float64 // what those that are alike share beyond, as a variance
	// common is the part of it that models have in common. What one model does
	// may be its own. The more there are, the more of what they do is common.
	common float64
	probed bool
}

// of is the covariance of two rows. Where the model was probed in the place,
// its own level counts: rows of one model are then alike whatever their
// coordinates, the more the nearer their batch sizes.
func (s sharedCrossing) of(x, y *row, alike float64) float64 {
	k := s.shape * alike
	if x.subject.Model == y.subject.Model {
		k += rowSpread * math.Sqrt((1+x.doubt)*(1+y.doubt))
	} else {
		k *= s.common
	}
	if s.probed && x.subject == y.subject {
		d := (x.octave - y.octave) / octavesAlike
		k += ownLevel + ownShape*math.Exp(-d*d/2)
	}
	return s.spread*s.spread + k
}

// byPlace predicts a cell from other places; nil where there is nothing to go
// by.
func (t *Table) byPlace(c Cell) (estimate.Estimate, *crossing) {
	x, prepared := t.crossings[at{c.Subject, c.Place}]
	if !prepared {
		x = t.cross(c.Subject, c.Place)
		t.crossings[at{c.Subject, c.Place}] = x
	}
	if x == nil || !x.sound {
		return estimate.Estimate{}, nil
	}
	for _, from := range x.sources {
		if !t.curves[at{c.Subject, from}].reaches(x.batchAt(from, float64(c.Batch))) {
			return estimate.Estimate{}, nil
		}
	}
	r, known := t.rowAt(x.route, c.Subject, float64(c.Batch))
	if x.centre == nil { // no rows to be near to
		clear(r.at)
	}
	shift(r.at, x.centre)
	mean, sd := x.field.predict(&r)
	away := 0.0
	for _, from := range x.sources {
		curve := t.curves[at{c.Subject, from}]
		away = math.Max(away, math.Hypot(curve.noise, curve.spread(x.batchAt(from, float64(c.Batch)))))
	}
	basis := estimate.Spec
	switch {
	case x.probes > 0:
		basis = estimate.OtherBatch
	case x.others > 0, x.same:
		basis = estimate.Transferred
	}
	return logNormal(known+x.ratio+mean*ratioSpread, math.Hypot(sd*ratioSpread, away), x.field.z90(), basis), x
}

// nearestRows keeps the rows nearest to what is asked.
func nearestRows(rows []row, asked row) []row {
	if len(rows) <= mostRows {
		return rows
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(near(&b, &asked), near(&a, &asked)) })
	return rows[:mostRows]
}

// centreOf is the mean of where rows lie; nil without rows.
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
