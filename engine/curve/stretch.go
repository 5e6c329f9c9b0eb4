package curve

import (
	"math"
	"slices"
)

// stretchSpread is the standard deviation of ln(fractional epochs) extrapolated
// from the beginning of a run: on Zeus' trace such a prediction is off by 24 % in
// the median from the first quarter of a run and one complete run, by 13 to 16 %
// from the first half or several complete runs, with long tails. A greater one
// gives beginnings less weight beside complete runs.
const stretchSpread = 0.35

// stretched extrapolates incomplete runs with a batch size to the fractional epochs
// at which they would have reached an oriented value: it scales the learning curve
// of every complete run that reached the value to match the beginning. ok is
// false where no curve can be compared.
func (w *Workload) stretched(batch, value float64) (epochs float64, ok bool) {
	var logs []float64
	for _, begun := range w.with(batch) {
		if begun.Converged {
			continue
		}
		// The target lies ahead, so the epochs so far are a lower bound.
		end := fractional(begun.Points[len(begun.Points)-1].Epochs)
		for _, same := range w.runs {
			for _, reference := range same {
				full, reached := reference.reach(value)
				factor, ok := stretch(begun, reference)
				if reference.Converged && reference.Batch != batch && reached && ok {
					logs = append(logs, math.Log(math.Max(factor*fractional(full), end)))
				}
			}
		}
	}
	if len(logs) == 0 {
		return 0, false
	}
	return math.Exp(median(logs)), true
}

// stretch is the median, over the values that an incomplete run reached, of its
// epochs relative to those of a reference.
func stretch(begun, reference LearningCurve) (factor float64, ok bool) {
	var ratios []float64
	for _, p := range begun.Points {
		if e, reached := reference.reach(p.Value); reached {
			ratios = append(ratios, fractional(p.Epochs)/fractional(e))
		}
	}
	if len(ratios) == 0 {
		return 0, false
	}
	return median(ratios), true
}

func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
