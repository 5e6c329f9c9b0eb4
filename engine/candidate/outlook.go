package candidate

import (
	"fmt"
	"math"

	"sweetspot/engine/curve"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
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

// globalBatch is the batch size of the whole job, however many VMs it ran on.
func globalBatch(r profile.Run) float64 { return float64(r.BatchSize) }

// toTarget is how many epochs a run's batch size takes to the target accuracy;
// false where no training tells.
func (b *builder) toTarget(r profile.Run) (curve.Prediction, bool) {
	o, ok := b.outlookOf(r)
	if !ok || o.target == nil {
		return curve.Prediction{}, false
	}
	at := o.target.At(globalBatch(r))
	return at, at.Epochs.Known()
}

// withEpochs widens a candidate's time by what its number of epochs is
// uncertain, and says how likely the target is never reached.
func (b *builder) withEpochs(c *Candidate, r profile.Run) {
	at, ok := b.toTarget(r)
	if !ok || c.Epochs == nil || !c.Time.Known() || c.TimeByEpochs == nil {
		return
	}
	c.EpochsWhy, c.EpochsRange, c.Outlook = at.Why, at.Epochs, &at
	if !math.IsNaN(at.Never) {
		c.Never = new(at.Never)
	}
	share := c.TimeByEpochs.Slope * *c.Epochs / c.Time.Value
	timed, epochs := c.Time.LogSigma(), at.Epochs.LogSigma()*math.Min(share, 1)
	factor := math.Exp(estimate.Z90 * math.Hypot(timed, epochs))
	c.Time.Low, c.Time.High = c.Time.Value/factor, c.Time.Value*factor
	c.Time.Basis = estimate.Weakest(c.Time.Basis, at.Epochs.Basis)
	c.Errors = []CellError{{int32(c.Cell), timed}, {b.epochCell(r), epochs}}
	c.attempts(at.Never)
}

// Seldom is the probability of failing below which no failures are counted: so
// much is allowed for where a few trainings were seen and all reached the target.
const Seldom = 0.2

// mostAttempts bounds how many trainings are counted for one that succeeds: a
// target that nearly none reaches is out of reach.
const mostAttempts = 100

// attempts counts the trainings that fail before one reaches the target, on
// average 1/(1 − never) − 1, as if each took as long.
func (c *Candidate) attempts(never float64) {
	if !(never >= Seldom) {
		return
	}
	n := math.Min(1/(1-never), mostAttempts)
	c.Time = c.Time.Times(n)
	c.TimeByEpochs = &training.Line{At0: c.TimeByEpochs.At0 * n, Slope: c.TimeByEpochs.Slope * n}
	if n >= 1.05 {
		c.EpochsWhy += fmt.Sprintf("; the time counts %.2g trainings, for only %.0f %% reach the target", n, 100/n)
	}
}

// epochCell numbers what the epochs to the target rest on: the variant and the
// batch size, wherever it is trained. Timing cells are numbered from 0 up.
func (b *builder) epochCell(r profile.Run) int32 {
	key := batchKey(r.Variant, int(globalBatch(r)))
	if _, seen := b.epochCells[key]; !seen {
		b.epochCells[key] = SeveralCells - 1 - int32(len(b.epochCells))
	}
	return b.epochCells[key]
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
