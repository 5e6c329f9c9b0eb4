package candidate

import (
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

// leastEpochs is how many whole epochs a run must show for its total to be told
// from them.
const leastEpochs = 2

// fromEpochs tells the total of a training from the epochs of a run of which
// only these are known, as logs of others have them. Of a run that took just so
// many epochs the total is known.
func (b *builder) fromEpochs(r profile.Run, n float64) training.Forecast {
	known := min(len(r.EpochStartsS)-1, int(n))
	isWhole := r.Epochs != nil && *r.Epochs == n && r.TotalS != nil
	if known < leastEpochs || r.Steady.Known() || isWhole {
		return training.Forecast{}
	}
	if b.totals == nil {
		b.totals = training.NewTotals(b.set.Runs)
	}
	return b.totals.Predict(r, known, n)
}

func orZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
