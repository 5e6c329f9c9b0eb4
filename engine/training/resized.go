package training

import (
	"math"

	"sweetspot/engine/profile"
)

// Resized is a training as it is with another number of units, such as images, in its
// training set: an iteration takes as long, and an epoch has as many of them as its units
// fill batches. A validation takes as long, since its data is another set, and comes as often
// as before by epochs; so does a checkpoint that came at the ends of epochs. What a model
// learns from another amount of data is not known. A training whose own number is not known
// is returned as it is.
func Resized(r profile.Run, units float64) profile.Run {
	if r.Mode != profile.Train || r.TrainSize == nil || !(*r.TrainSize > 0) || !(units > 0) || *r.TrainSize == units {
		return r
	}
	times := units / *r.TrainSize
	own := r.IterationsPerEpoch
	r.IterationsPerEpoch = iterationsOf(r, units)
	r.Pauses = resizedPauses(r, own)
	if r.Epochs != nil {
		r.Epochs = new(*r.Epochs / times)
	}
	if r.Steady.Known() {
		r.TotalS = nil // it has the validations of other epochs
	}
	r.TrainSize, r.Accuracy, r.Validations, r.EpochStartsS, r.Sizes = &units, nil, nil, nil, nil
	return r
}

// iterationsOf is how many iterations fill an epoch of so many units: the last batch, which
// may be smaller, counts or does not as in the run's own epochs.
func iterationsOf(r profile.Run, units float64) *float64 {
	batch, own := float64(r.BatchSize), r.IterationsPerEpoch
	switch {
	case own == nil && batch < 1:
		return nil
	case own == nil || *own == math.Ceil(*r.TrainSize/batch):
		return new(math.Ceil(units / batch))
	case *own == math.Floor(*r.TrainSize/batch):
		return new(math.Max(1, math.Floor(units/batch)))
	}
	return new(*own * units / *r.TrainSize)
}

// resizedPauses are the pauses of a run that now has other epochs than own iterations long.
// Those of a kind that came at the ends of epochs stay there.
func resizedPauses(r profile.Run, own *float64) []profile.Pause {
	if own == nil || r.IterationsPerEpoch == nil || !(*own > 0) {
		return nil
	}
	between := map[string]bool{} // kinds of which one came within an epoch
	for _, p := range r.Pauses {
		at := occurrence{counted: true}
		if p.Iterations != nil {
			at.at = float64(*p.Iterations)
		}
		between[p.Kind] = between[p.Kind] || p.Iterations == nil || !endEpochs([]occurrence{at}, *own)
	}
	var out []profile.Pause
	for _, p := range r.Pauses {
		if p.Iterations == nil {
			continue // when it came is known from the epochs that were
		}
		if !between[p.Kind] {
			p.Iterations = new(int(math.Round(float64(*p.Iterations) / *own * *r.IterationsPerEpoch)))
		}
		out = append(out, p)
	}
	return out
}
