package rank

import (
	"math"

	"sweetspot/engine/curve"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// outlook is what is known of the trainings of one variant on one dataset.
type outlook struct {
	curve.Keyed
	target *curve.Target // nil without a target accuracy
}

// findOutlooks reads the courses of the model's trainings, where a target has
// to be reached or batch sizes are asked about that were not trained with.
func (b *builder) findOutlooks() {
	if b.w.Mode != profile.Train || b.w.TargetAccuracy == nil && b.w.Predictor == nil {
		return
	}
	for _, k := range curve.Workloads(b.set) {
		if k.Model != b.w.Model {
			continue
		}
		o := outlook{Keyed: k}
		if b.w.TargetAccuracy != nil {
			o.target = k.Workload.Target(*b.w.TargetAccuracy)
		}
		b.outlooks = append(b.outlooks, o)
	}
}

func (b *builder) outlookOf(r profile.Run) (outlook, bool) {
	want := curve.KeyOf(r.Model, r.Dataset, r.Variant, "")
	for _, o := range b.outlooks {
		if o.Model == want.Model && o.Variant == want.Variant && (o.Dataset == want.Dataset || want.Dataset == "") {
			return o, true
		}
	}
	return outlook{}, false
}

func globalBatch(r profile.Run) float64 { return float64(r.BatchSize * max(r.Count, 1)) }

// toTarget is how many epochs a run's batch size takes to the target accuracy;
// false where no training tells.
func (b *builder) toTarget(r profile.Run) (curve.Outlook, bool) {
	o, ok := b.outlookOf(r)
	if !ok || o.target == nil {
		return curve.Outlook{}, false
	}
	at := o.target.At(globalBatch(r))
	return at, at.Epochs.Known()
}

// withEpochs widens a candidate's time by what its number of epochs is
// uncertain, and says how likely the target is never reached.
func (b *builder) withEpochs(c *Candidate, r profile.Run) {
	at, ok := b.toTarget(r)
	if !ok || c.Epochs == nil || !c.Time.Known() || c.timeLine == nil {
		return
	}
	c.EpochsWhy, c.EpochsRange, c.outlook = at.Why, at.Epochs, &at
	if !math.IsNaN(at.Never) {
		c.Never = new(at.Never)
	}
	share := c.timeLine.Slope * *c.Epochs / c.Time.Value
	sigma := math.Hypot(c.Time.LogSigma(), at.Epochs.LogSigma()*math.Min(share, 1))
	factor := math.Exp(estimate.Z90 * sigma)
	c.Time.Low, c.Time.High = c.Time.Value/factor, c.Time.Value*factor
	c.Time.Basis = estimate.Weakest(c.Time.Basis, at.Epochs.Basis)
}

// finalQuality is the accuracy that a training with a batch size never trained
// with is expected to end at; nil where nothing is known.
func (b *builder) finalQuality(r profile.Run) *Quality {
	o, ok := b.outlookOf(r)
	if !ok {
		return nil
	}
	e := o.Final(globalBatch(r))
	if !e.Known() {
		return nil
	}
	return &Quality{Metric: o.Metric, Estimate: e, HigherIsBetter: o.HigherIsBetter()}
}
