package transfer

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/estimate"
)

// Transfer between platforms. The plain prediction is the time on the platforms
// where the model was measured, times the ratio of the GPUs' published figures.
// It is corrected by what other models measured on these platforms and on the
// target, and by the model's own probes there at other batch sizes.

const (
	// ratioSpread is the unit of the deviations: the standard deviation of
	// ln(ratio of times between two VM types) among similar models. All the
	// variances below are multiples of its square.
	ratioSpread = 0.13
	// ownVariance is the noise of an observation, and once more of a model.
	ownVariance = 0.1
	// maxObservations bounds the cubic cost of a fit; the nearest are kept.
	maxObservations = 240
	// maxModels bounds how many models are looked at, which bounds the time a fit takes;
	// the nearest are kept.
	maxModels = 48
	// familyVariance is what networks of one family have in common whatever their
	// features, as a multiple of what similar ones have. Half or double of it moves the
	// mean errors on PROFET and timm by 0.2 point.
	familyVariance = 0.5
	// sameFamily multiplies the squared distance of networks of one family where the
	// nearest are looked for.
	sameFamily = 0.25
)

// platformTransfer is the regression for a subject on a platform.
type platformTransfer struct {
	route
	deviations *pool
	centre     []float64 // mean of the features
	growth     float64   // what the elasticity of times known at one batch size differs from ½
	ratio      float64   // ln(time on the target / time on the sources) before any observation
	probes     int       // batch sizes of the subject measured on the target
	others     int       // models measured on both
	grounded   bool      // it rests on observations, on published figures or on the same GPU
	sameGPU    bool      // the same GPU, and as many
	byCPUs     bool      // the target has no GPU
	figures    *figures  // of a target on whose GPU nothing was run; nil otherwise
}

// transfer prepares the transfer of a subject to a platform; nil where the
// subject was measured on no other.
func (t *Table) transfer(s Subject, target Platform) *platformTransfer {
	r, ok := t.routeTo(s, target)
	if !ok {
		return nil
	}
	x := &platformTransfer{route: r}
	var spread float64
	x.ratio, spread, x.grounded = t.specRatio(r, t.precisions[s])
	observations, middle := t.observations(r, s, x.ratio), t.middle(r, s)
	x.growth = growth(observations)
	for i := range observations {
		observations[i].y -= x.growth * observations[i].stretch / ratioSpread
	}
	x.centre = centroid(observations)
	for i := range observations {
		complete(observations[i].features, x.centre)
	}
	complete(middle.features, x.centre)
	observations = nearest(observations, middle)
	models := map[string]bool{}
	for _, o := range observations {
		if o.subject == s {
			x.probes++
		} else {
			models[o.subject.Model] = true
		}
	}
	x.others = len(models)
	x.centre = centroid(observations)
	for i := range observations {
		shift(observations[i].features, x.centre)
	}
	x.grounded = x.grounded || len(observations) > 0
	x.sameGPU, x.byCPUs = spread <= hostSpread, t.cpus[target]
	if len(observations) == 0 && x.grounded && !x.sameGPU && !x.byCPUs {
		x.figures = t.figuresFor(r, s)
	}
	if x.deviations = t.priors[spread]; len(observations) > 0 || x.deviations == nil {
		var probed *Subject
		if x.probes > 0 {
			probed = &s
		}
		x.deviations = transferPool(observations, spread/ratioSpread, x.others, probed)
		if len(observations) == 0 {
			t.priors[spread] = x.deviations
		}
	}
	return x
}

// growth is by how much the elasticity differs from ½ of the times that the sources
// have at a single batch size, another one than on the target: the slope of the
// deviations over the logarithm of the batch size. elasticitySpread is its standard
// deviation before any is seen.
func growth(observations []observation) float64 {
	const elasticitySpread = 0.3
	var stretch, y float64
	for _, o := range observations {
		stretch += o.stretch / float64(len(observations))
		y += o.y * ratioSpread / float64(len(observations))
	}
	xy, xx := 0.0, ratioSpread*ratioSpread/(elasticitySpread*elasticitySpread)
	for _, o := range observations {
		xy += (o.stretch - stretch) * (o.y*ratioSpread - y)
		xx += (o.stretch - stretch) * (o.stretch - stretch)
	}
	return min(max(xy/xx, -0.5), 0.5)
}

// middle is where a subject lies at the middle of its measured batch sizes.
func (t *Table) middle(r route, s Subject) observation {
	p := t.curves[curveKey{s, r.sources[0]}].points
	x, _ := t.locate(r, s, p[len(p)/2].Batch*r.target.all()/r.sources[0].all())
	return x
}

// similarityVariances are the variances that similar models may have in common
// beyond what all have. Each makes a component of the mixture; the observations
// decide between them.
var similarityVariances = []float64{0.2, 1, 5}

// manyModels is how many models show what they have in common. With fewer,
// which may agree by chance, the variance is reduced in proportion.
const manyModels = 6

// oneModelScale widens a transfer that rests on a single other model: PROFET's
// networks differ by about a quarter in their ratio of times between two GPUs. No
// question of make accuracy has that case.
const oneModelScale = 2

// transferPool fits observations that all share a deviation of the given
// spread. probed is the subject asked about where some are of it.
func transferPool(observations []observation, spread float64, models int, probed *Subject) *pool {
	gram := kernel(trend).matrix(observations)
	regressions := make([]*regression, len(similarityVariances))
	for i, v := range similarityVariances {
		k := transferCovariance{
			spread: spread, probed: probed != nil,
			similar: v * math.Min(1, float64(max(models, 1))/manyModels),
		}
		if models > 0 {
			k.common = 1 - 1/float64(models*models)
		}
		regressions[i] = newRegression(observations, gram, k.of, ownVariance)
	}
	fit := newMixture(regressions, models)
	if probed == nil { // the subject's own observations say what is odd about it
		fit = fit.robust(gram)
	}
	methods := []method{fit}
	if len(observations) > 0 {
		methods = append(methods, constant{observations})
	}
	unchecked := 1.0
	if models == 1 {
		unchecked = oneModelScale
	}
	return newPool(observations, trend, trialsOf(observations, probed), unchecked, methods...)
}

// trend is the sum of a squared exponential and a linear kernel: near
// observations are similar, and all lie on a common linear trend.
func trend(x, y *observation) float64 {
	linear := 0.0
	for i := range x.features {
		linear += x.features[i] * y.features[i]
	}
	return squaredExponential(x, y) + linear
}

// What observations of a model that was probed on the target have in common
// beyond that, as variances in units of ratioSpread²: its level there, so that
// a probe moves all of its batch sizes, and what nearby batch sizes share, with
// a length scale in octaves.
const (
	probeLevel  = 2.0
	probeBatch  = 0.5
	batchLength = 2.0
)

// transferCovariance is the covariance of two ratios.
type transferCovariance struct {
	spread  float64 // standard deviation of what all have in common
	similar float64 // variance of what similar ones have in common beyond
	// common is the part of it that different models share, in [0,1]: of a single
	// model all that it does may be its own.
	common float64
	probed bool
}

// of is the covariance of two observations. Where the subject was probed on the
// target its own observations are correlated whatever their features, the more
// the nearer their batch sizes.
func (c transferCovariance) of(x, y *observation, similarity float64) float64 {
	k := c.similar * similarity
	if x.subject.Model == y.subject.Model {
		k += c.similar * familyVariance
		k += ownVariance * math.Sqrt((1+x.excess)*(1+y.excess))
	} else {
		if x.family == y.family {
			k += c.similar * familyVariance
		}
		k *= c.common
	}
	if c.probed && x.subject == y.subject {
		d := (x.octave - y.octave) / batchLength
		k += probeLevel + probeBatch*math.Exp(-d*d/2)
	}
	return c.spread*c.spread + k
}

// byPlatform predicts a cell from other platforms; nil where nothing supports a
// prediction.
func (t *Table) byPlatform(c Cell) (estimate.Estimate, *platformTransfer) {
	key := curveKey{c.Subject, c.Platform}
	x, prepared := t.transfers[key]
	if !prepared {
		x = t.transfer(c.Subject, c.Platform)
		t.transfers[key] = x
	}
	if x == nil || !x.grounded {
		return estimate.Estimate{}, nil
	}
	r, ratio := x.route, x.ratio
	if x.centre == nil {
		r.sources = t.there(r, c.Subject, float64(c.Batch))
		ratio, _, _ = t.specRatio(r, t.precisions[c.Subject])
		narrowed := *x // told of in words
		if x.figures != nil && len(r.sources) < len(x.sources) {
			narrowed.figures = t.figuresFor(r, c.Subject)
		}
		narrowed.route, x = r, &narrowed
	}
	for _, from := range r.sources {
		if !t.curves[curveKey{c.Subject, from}].reaches(r.batchAt(from, float64(c.Batch))) {
			return estimate.Estimate{}, nil
		}
	}
	if x.figures != nil {
		return t.byFigures(x, c), x
	}
	o, known := t.locate(r, c.Subject, float64(c.Batch))
	complete(o.features, x.centre)
	if x.centre == nil { // no observations to be near to
		clear(o.features)
	}
	shift(o.features, x.centre)
	deviation := x.deviations.predict(&o)
	sourceSD := t.sourceSD(x, c)
	basis := estimate.Spec
	switch {
	case x.probes > 0:
		basis = estimate.OtherBatch
	case x.others > 0, x.sameGPU:
		basis = estimate.Transferred
	}
	centre := known + ratio + x.growth*o.stretch + deviation.mean*ratioSpread
	return logNormal(centre, math.Hypot(deviation.sd*ratioSpread, sourceSD), x.deviations.z90, basis), x
}

// byFigures predicts a cell on a GPU that nothing was run on.
func (t *Table) byFigures(x *platformTransfer, c Cell) estimate.Estimate {
	y, exchange := make([]float64, len(x.sources)), 0.0
	for i, from := range x.sources {
		ratio, sd := x.scaling(from)
		y[i] = math.Log(t.curves[curveKey{c.Subject, from}].At(x.batchAt(from, float64(c.Batch)))) + ratio
		exchange = math.Max(exchange, sd)
	}
	none := noneStays
	if x.target.all() > 1 { // the exchange of gradients stays
		none = 0
	}
	p := x.figures.predict(y, none)
	sd := math.Hypot(math.Hypot(p.sd, exchange), t.sourceSD(x, c))
	return logNormal(p.mean, sd, estimate.Z90, estimate.Spec)
}

// sourceSD is the standard deviation of ln(time) that a cell has on the sources.
func (t *Table) sourceSD(x *platformTransfer, c Cell) (greatest float64) {
	for _, from := range x.sources {
		curve := t.curves[curveKey{c.Subject, from}]
		sd := math.Hypot(curve.noise, curve.spread(x.batchAt(from, float64(c.Batch))))
		// What single points are off by is in the deviations of other models too.
		if x.deviations.models >= minModelsForOutliers {
			sd = curve.beyondPoints(x.batchAt(from, float64(c.Batch)))
		}
		greatest = math.Max(greatest, sd)
	}
	return greatest
}

// nearest keeps the observations nearest to the point asked about, of not too many
// models.
func nearest(observations []observation, asked observation) []observation {
	type near struct {
		distance float64
		at       int
	}
	all := make([]near, len(observations))
	for i := range observations {
		all[i] = near{distance(&observations[i], &asked), i}
	}
	slices.SortFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.at, b.at))
	})
	var kept []observation
	models := map[string]bool{}
	for _, n := range all {
		o := observations[n.at]
		if models[o.subject.Model] = true; len(models) > maxModels || len(kept) == maxObservations {
			break
		}
		kept = append(kept, o)
	}
	return kept
}

// distance is the square of that between two points, less where they are of one family.
func distance(x, y *observation) float64 {
	d := 0.0
	for i := range x.features {
		d += (x.features[i] - y.features[i]) * (x.features[i] - y.features[i])
	}
	if x.family == y.family {
		d *= sameFamily
	}
	return d
}

// centroid is the mean of the features that are known; nil without observations.
func centroid(observations []observation) []float64 {
	if len(observations) == 0 {
		return nil
	}
	mean, n := make([]float64, len(observations[0].features)), make([]float64, len(observations[0].features))
	for _, o := range observations {
		for i, v := range o.features {
			if !math.IsNaN(v) {
				mean[i], n[i] = mean[i]+v, n[i]+1
			}
		}
	}
	for i := range mean {
		mean[i] /= math.Max(n[i], 1)
	}
	return mean
}

// complete takes features that are unknown to be those of the centre.
func complete(x, centre []float64) {
	for i, v := range x {
		if math.IsNaN(v) {
			x[i] = 0
			if centre != nil {
				x[i] = centre[i]
			}
		}
	}
}

func shift(x, centre []float64) {
	for i := range centre {
		x[i] -= centre[i]
	}
}
