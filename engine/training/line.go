package training

import (
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/steady"
)

// Line is a quantity that grows linearly with the size of the workload: seconds or
// US dollars over epochs or units, value(x) = At0 + Slope·x.
type Line struct{ At0, Slope float64 }

// At is the line's value at x.
func (l Line) At(x float64) float64 { return l.At0 + l.Slope*x }

// Crossover is a size of the workload at which the lowest line changes.
type Crossover struct {
	At       float64 // size of the workload
	From, To int     // indices of the lines lowest before and after
}

// Crossovers returns where the lower envelope of the lines changes from one to
// another between lo and hi, in rising order. Malta's figure 5.4 draws it: with
// few epochs the start-up decides, with many the steady iteration does.
func Crossovers(lines []Line, lo, hi float64) []Crossover {
	if len(lines) == 0 || !(lo < hi) {
		return nil
	}
	var out []Crossover
	current := lowest(lines, lo)
	for x := lo; ; {
		next, at := -1, hi
		for i, l := range lines {
			if l.Slope >= lines[current].Slope {
				continue
			}
			cross := (l.At0 - lines[current].At0) / (lines[current].Slope - l.Slope)
			cross = math.Max(cross, x)
			better := cross < at || (next >= 0 && cross == at && l.Slope < lines[next].Slope)
			if better {
				next, at = i, cross
			}
		}
		if next < 0 {
			return out
		}
		out = append(out, Crossover{At: at, From: current, To: next})
		current, x = next, at
	}
}

// lowest is the line with the least value at x; of equal ones the one of least
// slope, which is lowest beyond x.
func lowest(lines []Line, x float64) int {
	best := 0
	for i, l := range lines {
		if v, b := l.At(x), lines[best].At(x); v < b || (v == b && l.Slope < lines[best].Slope) {
			best = i
		}
	}
	return best
}

// StabilisationPoint is the index of the epoch after which the metric does not
// improve for patience epochs, as in early stopping (5 in Malta's thesis), or -1
// where the values end before that.
func StabilisationPoint(values []float64, higherIsBetter bool, patience int) int {
	best := -1
	for i, v := range values {
		if best < 0 || (higherIsBetter && v > values[best]) || (!higherIsBetter && v < values[best]) {
			best = i
		} else if i-best >= patience {
			return best
		}
	}
	return -1
}

// FirstReaching is the number of epochs, from 1, after which the metric is first
// at least as good as target.
func FirstReaching(values []float64, target float64, higherIsBetter bool) (epochs int, reached bool) {
	i := slices.IndexFunc(values, func(v float64) bool {
		return (higherIsBetter && v >= target) || (!higherIsBetter && v <= target)
	})
	return i + 1, i >= 0
}

// Inference is the seconds of a number of batches one after another on one GPU,
// given the seconds of one, and the start-up in seconds, 0 where it is unknown.
func Inference(steady estimate.Estimate, startup float64, batches float64) estimate.Estimate {
	work := steady.Times(batches)
	if startup == 0 {
		return work
	}
	return estimate.Around(startup, startup*OneOffRel, steady.Basis).Plus(work)
}

// Pool combines several runs of one cell into the estimate for the user's own run,
// which is one more process.
func Pool(runs []estimate.Estimate) estimate.Estimate { return steady.Between(runs).Next }
