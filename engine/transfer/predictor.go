package transfer

import (
	"fmt"
	"math"
	"sync"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Predictor predicts times that were not measured from all that were.
type Predictor struct {
	Iterations *Table // seconds of an iteration
	Epochs     *Table // seconds of an epoch, of runs without an iteration time

	lock   sync.Mutex
	beside []*Predictor
}

// New reads the runs of one mode. It keeps no reference to the runs of the set,
// which may change afterwards.
func New(set *profile.Set, mode profile.Mode) *Predictor {
	return &Predictor{Iterations: newTable(set, mode, false), Epochs: newTable(set, mode, true)}
}

// Several are n predictors, this one first, that answer the same and do not wait for each
// other. They are the same ones every time, and keep their answers.
func (p *Predictor) Several(n int) []*Predictor {
	p.lock.Lock()
	defer p.lock.Unlock()
	for len(p.beside) < n-1 {
		p.beside = append(p.beside, &Predictor{Iterations: p.Iterations.beside(), Epochs: p.Epochs.beside()})
	}
	return append([]*Predictor{p}, p.beside[:n-1]...)
}

// Iteration is the time in seconds of a steady iteration of a variant at a global
// batch size on a number of GPUs of one VM, and why: the measurements it rests
// on. It is unknown, and why empty, where nothing supports a prediction. Where
// nothing was run on any GPU it is predicted from the network's work. In inference it is
// the time of a batch on one GPU. Where only the times of whole epochs are known it
// is the epoch's time over its number of iterations, which includes whatever else an
// epoch is spent on.
func (p *Predictor) Iteration(
	model string, v profile.Variant, vm profile.VMType, gpus, batch int) (e estimate.Estimate, why string) {
	if e, why := p.Iterations.ask(model, v, vm, gpus, batch); e.Known() {
		return e, why
	}
	size := p.Epochs.sizes[SubjectOf(model, v)]
	if size > 0 && batch >= 1 {
		e, why = p.Epochs.ask(model, v, vm, gpus, batch)
	}
	if !e.Known() {
		e, why, _ = p.byWork(model, v, vm, gpus, batch)
		return e, why
	}
	e = e.Times(1 / math.Ceil(size/float64(batch)))
	e.Basis = estimate.Weakest(e.Basis, estimate.OtherBatch) // no iteration was timed
	return e, "of whole epochs: " + why
}

func (t *Table) ask(model string, v profile.Variant, vm profile.VMType, gpus, batch int) (estimate.Estimate, string) {
	c := Cell{SubjectOf(model, v), t.platform(vm.Key(), gpus, 1), batch}
	t.lock.Lock()
	defer t.lock.Unlock()
	if _, known := t.gpus[c.VM]; !known {
		t.gpus[c.VM] = vm.GPU
	}
	// All VM types with a GPU on which nothing was measured are alike, and are asked for
	// as one. The table's own have no region.
	if gpu := t.gpus[c.VM]; gpu != "" && !t.measured[c.VM] {
		c.VM = profile.VMKey{Region: "any", InstanceType: gpu}
		t.gpus[c.VM] = gpu
	}
	return t.predict(c)
}

// Predict is the time of a cell in seconds, and in words what it rests on: the
// measurement itself, else other batch sizes on the same platform, else other
// platforms. It is unknown where nothing supports a prediction, as for a batch
// larger than an epoch or far from all that were measured.
func (t *Table) Predict(c Cell) (estimate.Estimate, string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.predict(c)
}

func (t *Table) predict(c Cell) (estimate.Estimate, string) {
	if e, measured := t.times[c]; measured {
		return e, "measured there"
	}
	if n := t.units[c.Subject]; c.Batch < 1 || n > 0 && float64(c.Batch) > n {
		return estimate.Estimate{}, ""
	}
	a, known := t.answers[c]
	if !known {
		a = t.answer(c)
		a.e = a.e.Times(1 / t.unit(c.Subject, c.Batch))
		t.answers[c] = a
	}
	return a.e, a.why
}

// answer tries the methods in falling order of trust. With a single batch size
// measured on the platform, the method with the narrower interval is taken.
func (t *Table) answer(c Cell) answer {
	var best answer
	own := t.curves[curveKey{c.Subject, c.Platform}]
	if own != nil && own.reaches(float64(c.Batch)) {
		if e, correction := t.byCurve(c); e.Known() {
			best = answer{e, curveWords(own, correction)}
		}
		if best.e.Known() && len(own.points) > 1 {
			return best
		}
	}
	e, x := t.byPlatform(c)
	if x != nil && e.Known() && (!best.e.Known() || e.LogSigma() < 0.999*best.e.LogSigma()) {
		best = answer{e, x.words()}
	}
	if x == nil || x.probes+x.others == 0 { // nothing shows what more of the GPU do there
		if e, why := t.bySizes(c); e.Known() {
			best = answer{e, why}
		}
	}
	return best
}

func curveWords(c *Curve, correction *pool) string {
	words := fmt.Sprintf("from %s measured there", quantity.Several(len(c.points), "batch size"))
	if correction.models > 0 {
		words += fmt.Sprintf(", corrected by %s", quantity.Several(correction.models, "model"))
	}
	return words
}

func (x *platformTransfer) words() string {
	from := x.sources[0].VM.InstanceType
	if n := len(x.sources); n > 1 {
		from = quantity.Several(n, "VM type")
	}
	switch {
	case x.probes > 0 && x.others > 0:
		return fmt.Sprintf("from %s there, its shape from %s and %s",
			quantity.Several(x.probes, "batch size"), from, quantity.Several(x.others, "model"))
	case x.probes > 0:
		return fmt.Sprintf("from %s there, its shape from %s", quantity.Several(x.probes, "batch size"), from)
	case x.others > 0:
		return fmt.Sprintf("from %s, as %s did between them", from, quantity.Several(x.others, "other model"))
	case x.sameGPU:
		return fmt.Sprintf("from %s with the same GPU", from)
	case x.byCPUs:
		return fmt.Sprintf("from %s by the number of CPUs alone", from)
	default:
		return fmt.Sprintf("from %s by the GPUs' published figures and their number", from)
	}
}

// A curve over batch sizes is corrected by other curves: how far is a curve
// through the same batch sizes off at the same batch size for other models? The
// features are the growth of the time over the measured batch sizes and its
// level, each divided by its length scale. A greater length scale lets less
// similar models count.
const (
	elasticityLength = 0.15 // of the elasticity, which lies in [0,1]
	levelLength      = 2.0  // of ln(seconds)
	// sameBatch is how far, in octaves, a batch size may be from another to stand
	// for it: half way to the next power of two.
	sameBatch = 0.5
)

// Covariances of two curves' deviations, in units of their spread, where the
// noise of each has variance 1.
const (
	covarianceSimilar = 0.64 // of curves with similar features, on one platform with one dataset
	covarianceModel   = 0.3  // added for similar curves of one model
	covarianceSubject = 0.2  // added for curves of one model and variant, similar or not
	otherPlatform     = 5.0  // divides the first two between platforms
	otherDataset      = 2.0  // divides the first between datasets
)

// byCurve predicts a cell from other batch sizes of the same model on the same
// platform.
func (t *Table) byCurve(c Cell) (estimate.Estimate, *pool) {
	own := t.curves[curveKey{c.Subject, c.Platform}]
	r, known := t.corrections[c]
	if !known {
		others := t.analogues(c, own)
		fit := newRegression(others, kernel(squaredExponential).matrix(others), curveCovariance, 1)
		r = newPool(others, squaredExponential, trialsOf(others, nil), 1, fit, nothing{})
		t.corrections[c] = r
	}
	x := t.curveObservation(c, own, float64(c.Batch))
	deviation := r.predict(&x)
	spread := own.spread(float64(c.Batch))
	centre := math.Log(own.At(float64(c.Batch))) + deviation.mean*spread
	return logNormal(centre, math.Hypot(deviation.sd*spread, own.noise), r.z90, estimate.OtherBatch), r
}

// curveCovariance is greatest on one platform with one dataset; curves of one
// model have something in common wherever it runs.
func curveCovariance(x, y *observation, similarity float64) float64 {
	k, own := covarianceSimilar*similarity, covarianceModel*similarity
	if x.platform != y.platform {
		k, own = k/otherPlatform, own/otherPlatform
	}
	if x.dataset != y.dataset {
		k /= otherDataset
	}
	if x.subject.Model == y.subject.Model {
		k += own
	}
	if x.subject == y.subject {
		k += covarianceSubject
	}
	return k
}

// analogues asks the question of a cell, with the same batch sizes known, of
// every other curve that can answer it.
func (t *Table) analogues(c Cell, own *Curve) []observation {
	var out []observation
	for cells := range curvesOf(t.cells) {
		k := curveKey{cells[0].Subject, cells[0].Platform}
		if k == (curveKey{c.Subject, c.Platform}) || !t.alike(c.Subject, k.Subject) {
			continue
		}
		asked, truth, ok := t.curves[k].restricted(own, float64(c.Batch))
		if !ok {
			continue
		}
		o := t.curveObservation(Cell{k.Subject, k.Platform, c.Batch}, asked, truth.Batch)
		o.y = math.Log(truth.Seconds/asked.At(truth.Batch)) / asked.spread(truth.Batch)
		out = append(out, o)
	}
	return nearest(out, t.curveObservation(c, own, float64(c.Batch)))
}

func (t *Table) curveObservation(c Cell, known *Curve, batch float64) observation {
	level := 0.0
	if !t.PerEpoch { // an epoch's time depends on the dataset's size, which says nothing of the curve
		level = math.Log(known.At(batch)) / levelLength
	}
	return observation{
		features: []float64{known.Elasticity() / elasticityLength, level},
		subject:  c.Subject, platform: c.Platform, dataset: t.datasets[c.Subject],
	}
}

// restricted is this curve as it would be known from the batch sizes of another,
// and the measured point that tells how wrong that is at a batch size; false
// where it was not measured near all of them.
func (c *Curve) restricted(other *Curve, batch float64) (known *Curve, truth Point, ok bool) {
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
