package transfer

import (
	"cmp"
	"math"
	"slices"
)

// route is a target platform and the source platforms whose times predict it.
type route struct {
	target  Platform
	sources []Platform
	// globalBatch compares times at the same global batch size. Otherwise they
	// are compared at the same batch size per GPU, which sets a GPU's work.
	globalBatch bool
}

// batchAt is the batch size on a source that corresponds to one on the target.
func (r route) batchAt(from Platform, batch float64) float64 {
	if r.globalBatch {
		return batch
	}
	return batch * from.all() / r.target.all()
}

// The features are, per source, ln(time), ln(time per unit of the batch), the
// local elasticity and ln(fixed part), and ln(batch); each is multiplied by its
// inverse length scale. A greater one makes the prediction follow that feature
// more closely and use fewer, more similar models. With all halved the mean error
// on PROFET's VM types never probed, from one other, is 15.7 %, with all doubled
// 15.9 % (here 14.9 %); on Zeus' trace, with doubled ones, it is 8.5 % (9.3 %).
const (
	timeScale       = 0.4
	unitScale       = 0.5
	elasticityScale = 2.5
	fixedScale      = 0.8
	batchScale      = 0.5
)

// maxSources is the most platforms that predict a time together. On PROFET a
// single one does better for a VM type never probed (10.2 against 11.0 %) and for a
// GPU never seen (25.2 against 35.0 %, at a coverage of 89 instead of 94 %); on Zeus'
// trace nothing changes. Why several were preferred is not recorded.
const maxSources = 4

// covers reports whether all sources have times of a subject on both sides of
// the corresponding batch size, or at it.
func (t *Table) covers(r route, s Subject, batch float64) bool {
	for _, from := range r.sources {
		c := t.curves[curveKey{s, from}]
		b := r.batchAt(from, batch)
		if c == nil || b < c.points[0].Batch || b > c.points[len(c.points)-1].Batch {
			return false
		}
	}
	return true
}

// locate gives the features of a subject at a batch size on the target, from the
// sources, each of which must have a curve of it, and the mean of ln(time) there.
func (t *Table) locate(r route, s Subject, batch float64) (x observation, known float64) {
	n := float64(len(r.sources))
	x = observation{subject: s, platform: r.target, dataset: t.datasets[s], octave: math.Log2(batch)}
	x.features = append(make([]float64, 0, 4*len(r.sources)+1), batchScale*math.Log(batch))
	for _, from := range r.sources {
		c, b := t.curves[curveKey{s, from}], r.batchAt(from, batch)
		seconds := math.Log(c.At(b))
		known += seconds / n
		level, unit, fixed := seconds, seconds-math.Log(b), math.Log(c.fixed())
		if t.perEpoch { // epochs of different datasets cannot be compared
			level, unit, fixed = 0, 0, fixed-seconds
		}
		k := math.Sqrt(n)
		x.features = append(x.features,
			timeScale*level/k, unitScale*unit/k, elasticityScale*c.elasticityAt(b)/k, fixedScale*fixed/k)
	}
	return x, known
}

// observations lists what is known of the target: the times of other models that
// the sources know as well, and those of the subject itself.
func (t *Table) observations(r route, s Subject, ratio float64) []observation {
	var out []observation
	for _, c := range t.cellsAt[r.target] {
		if c.Subject != s && !t.covers(r, c.Subject, float64(c.Batch)) {
			continue
		}
		x, known := t.locate(r, c.Subject, float64(c.Batch))
		x.y = (math.Log(t.times[c].Value*t.unit(c.Subject, c.Batch)) - known - ratio) / ratioSpread
		out = append(out, x)
	}
	return out
}

// shared counts the observations of other models.
func (t *Table) shared(r route, s Subject) int {
	n := 0
	for _, c := range t.cellsAt[r.target] {
		if c.Subject != s && t.covers(r, c.Subject, float64(c.Batch)) {
			n++
		}
	}
	return n
}

// routeTo chooses the sources for a target; false where the subject was measured
// nowhere else. Times are compared at the same global batch size where that
// gives more observations than the same batch size per GPU, unless a probe of
// the subject on the target shows what the latter does.
func (t *Table) routeTo(s Subject, target Platform) (route, bool) {
	r, n := t.bestRoute(s, target, false)
	probed := t.curves[curveKey{s, target}] != nil
	if w, more := t.bestRoute(s, target, true); !probed && more > n {
		r = w
	}
	return r, len(r.sources) > 0
}

// bestRoute takes the sources with the most observations first. A platform is
// left out if its addition would leave fewer than two thirds of the first one's
// observations. Without any observations the platforms nearest in GPU and number of
// GPUs are taken.
func (t *Table) bestRoute(s Subject, target Platform, globalBatch bool) (r route, observations int) {
	type candidate struct {
		platform     Platform
		observations int
		spread       float64 // of the ratio of times before any observation
	}
	var all []candidate
	for _, p := range t.platforms[s] {
		if p != target {
			alone := route{target, []Platform{p}, globalBatch}
			_, spread, _ := t.specRatio(alone, t.precisions[s])
			all = append(all, candidate{p, t.shared(alone, s), spread})
		}
	}
	distance := func(c candidate) float64 { return math.Abs(math.Log(c.platform.all() / target.all())) }
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.observations, a.observations), cmp.Compare(a.spread, b.spread),
			cmp.Compare(distance(a), distance(b)))
	})
	r = route{target: target, globalBatch: globalBatch}
	for i, c := range all {
		with := route{target, append(slices.Clone(r.sources), c.platform), globalBatch}
		helps := 3*t.shared(with, s) >= 2*all[0].observations
		if all[0].observations == 0 {
			helps = c.spread <= all[0].spread && distance(c) <= distance(all[0])
		}
		if i == 0 || len(r.sources) < maxSources && helps {
			r = with
		}
	}
	if len(all) > 0 {
		observations = all[0].observations
	}
	return r, observations
}
