package transfer

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Predictor predicts times that were not measured from all that were.
type Predictor struct {
	Iterations *Table // seconds of an iteration
	Epochs     *Table // seconds of an epoch, of runs without an iteration time
}

// New reads the runs of one mode. It keeps no reference to the runs of the set,
// which may change afterwards.
func New(set *profile.Set, mode profile.Mode) *Predictor {
	return &Predictor{Iterations: newTable(set, mode, false), Epochs: newTable(set, mode, true)}
}

// Iteration is the time in seconds of a steady iteration of a variant at a global
// batch size on a number of GPUs of one VM, and why: the measurements it rests
// on. It is unknown, and why empty, where nothing supports a prediction. In
// inference it is the time of a batch on one GPU. Where only the times of whole
// epochs are known it is the epoch's time over its number of iterations, which
// includes whatever else an epoch is spent on.
func (p *Predictor) Iteration(
	model string, v profile.Variant, vm profile.VMType, gpus, batch int,
) (e estimate.Estimate, why string) {
	if e, why := p.Iterations.ask(model, v, vm, gpus, batch); e.Known() {
		return e, why
	}
	size := p.Epochs.sizes[SubjectOf(model, v)]
	if !(size > 0) || batch < 1 {
		return estimate.Estimate{}, ""
	}
	e, why = p.Epochs.ask(model, v, vm, gpus, batch)
	if !e.Known() {
		return estimate.Estimate{}, ""
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
		e, correction := t.byCurve(c)
		best = answer{e, curveWords(own, correction)}
		if len(own.points) > 1 {
			return best
		}
	}
	if e, x := t.byPlatform(c); x != nil && e.Known() && (!best.e.Known() || e.LogSigma() < 0.999*best.e.LogSigma()) {
		best = answer{e, x.words()}
	}
	return best
}

func curveWords(c *Curve, correction *regression) string {
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
	default:
		return fmt.Sprintf("from %s by the GPUs' published figures and their number", from)
	}
}

// sortedCurves are the curves by model, variant and platform, so that no answer
// depends on the order of a map.
func (t *Table) sortedCurves() []curveKey {
	if t.order == nil {
		for k := range t.curves {
			t.order = append(t.order, k)
		}
		slices.SortFunc(t.order, func(a, b curveKey) int {
			return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Variant, b.Variant),
				comparePlatforms(a.Platform, b.Platform))
		})
	}
	return t.order
}
