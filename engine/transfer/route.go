package transfer

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/roofline"
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
// more closely and use fewer, more similar models.
const (
	timeScale       = 0.4
	unitScale       = 0.5
	elasticityScale = 2.5
	fixedScale      = 0.8
	batchScale      = 0.5
)

// workScales are those of ln(time per unit of work) less the logarithms of its
// operations, activations and parameters: what is bound by one is unlike what is bound
// by another. Without these the mean error between timm's two GPUs is 8.5 %, with them
// and the families 3.6 % (200 of its networks known).
var workScales = [...]float64{1, 1, 0.5}

// maxSources is the most platforms that predict a time together, where other models
// say how. PROFET's mean error on VM types never probed is 10.1 % with two, 10.5 % with
// one and 11.3 % with four. Published figures alone are taken from all that are alike:
// their mean is less off than the worst.
const maxSources = 2

// covers reports whether all sources have times of a subject on both sides of
// the corresponding batch size, or at it, or one time not far from it.
func (t *Table) covers(r route, s Subject, batch float64) bool {
	for _, from := range r.sources {
		c := t.curves[curveKey{s, from}]
		b := r.batchAt(from, batch)
		if c == nil || !c.spans(b) && !(len(c.points) == 1 && c.reaches(b)) {
			return false
		}
	}
	return true
}

// tells reports whether the time of another subject on the target says something of a
// subject's there.
func (t *Table) tells(r route, s Subject, c Cell) bool {
	return t.alike(s, c.Subject) && t.covers(r, c.Subject, float64(c.Batch))
}

// alike reports whether what two subjects do from one GPU to another, or from one batch
// size to another, can be compared: they are of one precision, as far as it is known of
// both, and run by the same runtime. Tensor cores, and kernels chosen for a GPU, speed
// one GPU up more than another.
func (t *Table) alike(a, b Subject) bool {
	p, q := t.precisions[a], t.precisions[b]
	return (p == q || p == "" || q == "") && t.runtimes[a] == t.runtimes[b]
}

// locate gives the features of a subject at a batch size on the target, from the
// sources, each of which must have a curve of it, and the mean of ln(time) there.
func (t *Table) locate(r route, s Subject, batch float64) (x observation, known float64) {
	n := float64(len(r.sources))
	x = observation{
		subject: s, family: t.families[s], platform: r.target, dataset: t.datasets[s], octave: math.Log2(batch),
	}
	x.features = append(make([]float64, 0, 4*len(r.sources)+4), batchScale*math.Log(batch))
	perUnit := 0.0
	for _, from := range r.sources {
		c, b := t.curves[curveKey{s, from}], r.batchAt(from, batch)
		seconds := math.Log(c.At(b))
		known += seconds / n
		perUnit += (seconds - math.Log(b)) / n
		if len(c.points) == 1 {
			x.stretch += math.Log(b/c.points[0].Batch) / n
		}
		level, unit, fixed := seconds, seconds-math.Log(b), math.Log(c.fixed())
		if t.PerEpoch { // epochs of different datasets cannot be compared
			level, unit, fixed = 0, 0, fixed-seconds
		}
		k := math.Sqrt(n)
		x.features = append(x.features,
			timeScale*level/k, unitScale*unit/k, elasticityScale*c.elasticityAt(b)/k, fixedScale*fixed/k)
	}
	work := t.works[s]
	for i, amount := range []*float64{work.FLOPs, work.Activations, work.Params} {
		feature := math.NaN()
		if amount != nil && *amount > 0 && !t.PerEpoch {
			feature = workScales[i] * (perUnit - math.Log(*amount))
		}
		x.features = append(x.features, feature)
	}
	return x, known
}

// observations lists what is known of the target: the times of other models that
// the sources know as well, and those of the subject itself.
func (t *Table) observations(r route, s Subject, ratio float64) []observation {
	var out []observation
	for _, c := range t.cellsAt[r.target] {
		if c.Subject != s && !t.tells(r, s, c) {
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
	n := t.telling(r, s)
	if t.curves[curveKey{s, r.target}] == nil {
		return n
	}
	for _, c := range t.cellsAt[r.target] {
		if c.Subject == s && t.covers(r, s, float64(c.Batch)) {
			n--
		}
	}
	return n
}

// audience is a route, and what subjects have in common that the same observations on it
// tell about. Of more sources it holds none.
type audience struct {
	target             Platform
	sources            [maxSources]Platform
	globalBatch        bool
	precision, runtime string
}

// telling counts the observations that tell about a subject, its own among them: once for
// all subjects that are [Table.alike].
func (t *Table) telling(r route, s Subject) (n int) {
	of := audience{target: r.target, globalBatch: r.globalBatch, precision: t.precisions[s], runtime: t.runtimes[s]}
	few := copy(of.sources[:], r.sources) == len(r.sources)
	if known, counted := t.tellings[of]; counted && few {
		return known
	}
	for _, c := range t.cellsAt[r.target] {
		if t.tells(r, s, c) {
			n++
		}
	}
	if few {
		t.tellings[of] = n
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
		// What a CPU takes says nothing of what GPUs do, nor the other way round.
		if p != target && t.cpus[p] == t.cpus[target] {
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
		if i == 0 || helps && (len(r.sources) < maxSources || all[0].observations == 0) {
			r = with
		}
	}
	if len(all) > 0 {
		observations = all[0].observations
	}
	return r, observations
}

// there is the sources less those that have a subject at one batch size only, another than
// the one asked about, where others have it there.
func (t *Table) there(r route, s Subject, batch float64) []Platform {
	near := slices.DeleteFunc(slices.Clone(r.sources), func(from Platform) bool {
		c := t.curves[curveKey{s, from}]
		return len(c.points) == 1 && math.Abs(math.Log2(r.batchAt(from, batch)/c.points[0].Batch)) > sameBatch
	})
	if len(near) == 0 {
		return r.sources
	}
	return near
}

// Standard deviations of ln(ratio of times between two platforms) before any
// model was measured on both. A greater one widens the interval and lets the
// first observation move the prediction further.
const (
	// By the ratio of the peaks. With all runs on a GPU hidden (make accuracy, question
	// "vm-spec") 96 % of the times on PROFET's four GPUs lie within this factor of 1.8,
	// all on Zeus' two and on timm's two.
	specSpread = 0.36
	// By nothing: nine of ten times are assumed to lie within a factor of 5.
	blindSpread = 1.0
	// By the same GPU in another VM type: another host. Assumed, not measured.
	hostSpread = 0.1
	// For each doubling of the number of GPUs at the same batch size per GPU: a
	// tenth slower for the exchange of gradients, anything from nothing to a
	// quarter. Assumed, and replaced by the models that ran on both.
	exchangeCost   = 0.1
	exchangeSpread = 0.12
)

// specRatio is ln(time on the target / time on the sources) before any model was
// measured on both, with its standard deviation: by the GPUs' published figures
// and by their number. known is false where it rests on neither figures nor the
// same GPU.
func (t *Table) specRatio(r route, precision string) (ratio, spread float64, known bool) {
	known = true
	for _, from := range r.sources {
		gpu, sd, grounded := t.gpuRatio(precision, from, r.target)
		known = known && grounded
		scale, more := r.scaling(from)
		ratio += (gpu + scale) / float64(len(r.sources))
		spread = math.Max(spread, math.Hypot(sd, more))
	}
	return ratio, spread, known
}

// gpuRatio is the ratio's part that depends on the kind of GPU, or on the CPUs where there
// is none.
func (t *Table) gpuRatio(precision string, from, target Platform) (ratio, spread float64, known bool) {
	a, b := t.gpus[from.VM], t.gpus[target.VM]
	switch x, y := t.strength(a, precision), t.strength(b, precision); {
	case a == b && from.VM == target.VM:
		return 0, 0, true
	case t.cpus[from] && t.cpus[target]:
		return roofline.CPURatio(t.vcpus[from.VM], t.vcpus[target.VM])
	case a == b:
		return 0, hostSpread, true
	case x > 0 && y > 0:
		return math.Log(x / y), specSpread, true
	}
	return 0, blindSpread, false
}

// scaling is the ratio's part that depends on the number of GPUs. For the same
// global batch, n times the GPUs take between as long and 1/n of the time; these
// are the ends of the 90 % interval.
func (r route) scaling(from Platform) (ratio, spread float64) {
	more := math.Log(r.target.all() / from.all())
	if r.globalBatch {
		return -more / 2, math.Abs(more) / 2 / estimate.Z90
	}
	return exchangeCost * more / math.Ln2, exchangeSpread * math.Abs(more) / math.Ln2
}

// strength is what the speed of a GPU is taken to be in proportion to, 0 where its figures
// are unknown.
func (t *Table) strength(gpu, precision string) float64 {
	g, ok := t.specs(gpu)
	if !ok {
		return 0
	}
	return peak(g, precision)
}

// peak is a GPU's compute (TFLOPS) in full precision, which bounds most networks. Tensor
// cores wait for memory: in reduced precision it is the square root of compute times
// bandwidth (GB/s).
func peak(g profile.GPUSpec, precision string) float64 {
	flops, tensor := roofline.Peak(g, precision)
	switch {
	case flops == nil:
		return 0
	case !tensor:
		return *flops
	case g.BandwidthGBs == nil:
		return 0
	}
	return math.Sqrt(*flops * *g.BandwidthGBs)
}
