package rank

import (
	"math"

	"sweetspot/engine/curve"
	"sweetspot/engine/estimate"
	"sweetspot/engine/question"
)

// Recommended is the candidate to take for a training to a target accuracy: on
// the configuration of the first one, the batch size that costs (or, ranked by
// time, takes) least on average. That need not be the first, which is so by its
// prediction: batch sizes that were never trained with usually take more epochs
// than predicted, and the best of a few seeds is flattered. ok is false where no
// target is asked for or nothing is feasible.
func (r *Result) Recommended() (candidate int, ok bool) {
	if r.Query.TargetAccuracy == nil || len(r.Order) == 0 {
		return 0, false
	}
	values := r.Space.Cost
	if r.Query.Sort == question.ByTime || r.Query.Sort == question.ByTAR || math.IsNaN(r.BestCost) {
		values = r.Space.Time
	}
	first := r.Space.At(r.Order[0])
	var options []curve.Option
	var of []int
	for _, i := range r.Order {
		c := r.Space.At(i)
		if c.outlook == nil || !c.alongside(first) || !(c.EpochsRange.Value > 0) {
			continue
		}
		o := curve.Option{
			Batch: float64(c.BatchSize), Epochs: c.EpochsRange.Value, PerEpoch: values[i] / c.EpochsRange.Value,
			Tried: c.outlook.Epochs.Basis < estimate.OtherBatch, Error: c.outlook.Error, // trainings that fail are in the values
		}
		options, of = append(options, o), append(of, i)
	}
	if k := curve.Choose(options); k >= 0 {
		return of[k], true
	}
	return 0, false
}

// alongside reports whether two candidates differ in the batch size alone.
func (c *Candidate) alongside(o *Candidate) bool {
	return len(c.Configuration) == 1 && len(o.Configuration) == 1 && sameVariant(c.Variant, o.Variant) &&
		c.Configuration[0].VM.Key() == o.Configuration[0].VM.Key() && c.Configuration[0].Count == o.Configuration[0].Count
}
