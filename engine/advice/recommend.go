package advice

import (
	"math"

	"sweetspot/engine/curve"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/rank"
)

// Recommended is the candidate to take: the first, but for a training to a target
// accuracy, on the configuration of the first one, the batch size that costs (or,
// ranked by time, takes) least on average. That need not be the first, which is so by
// its prediction: batch sizes that were never trained with usually take more epochs
// than predicted, and the best of a few seeds is flattered. ok is false where nothing
// is feasible.
func Recommended(r *rank.Result) (candidate int, ok bool) {
	if len(r.Order) == 0 {
		return 0, false
	}
	if r.Query.TargetAccuracy == nil {
		return r.Order[0], true
	}
	by, _ := r.Query.Sort.Objective()
	if math.IsNaN(r.Best(by)) {
		by = objective.Time
	}
	values := r.Space.Values(by)
	first := r.Space.At(r.Order[0])
	var options []curve.Option
	var of []int
	for _, i := range r.Order {
		c := r.Space.At(i)
		if c.Prediction == nil || !c.Alongside(first) || !(c.EpochsRange.Value > 0) {
			continue
		}
		o := curve.Option{
			Batch: float64(c.BatchSize), Epochs: c.EpochsRange.Value, PerEpoch: values[i] / c.EpochsRange.Value,
			// trainings that fail are in the values
			Tried: c.Prediction.Epochs.Basis < estimate.OtherBatch, Error: c.Prediction.Error,
		}
		options, of = append(options, o), append(of, i)
	}
	if k := curve.Choose(options); k >= 0 {
		return of[k], true
	}
	return r.Order[0], true
}
