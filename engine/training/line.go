package training

import (
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/steady"
)

// Line is a quantity that grows with the workload's dial: seconds or dollars
// over epochs, value(x) = At0 + Slope·x.
type Line struct{ At0, Slope float64 }

// At is the line's value at x.
func (l Line) At(x float64) float64 { return l.At0 + l.Slope*x }

// Crossover is a place on the dial where the lowest line changes.
type Crossover struct {
	At       float64 // on the dial
	From, To int     // indices of the lines lowest before and after
}

// Crossovers walks the lower envelope of the lines from lo to hi and returns
// where it changes hands, in rising order. Malta's figure 5.4 draws it: with
// few epochs start-up decides, with many the steady iteration does.
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

// lowest is the line with the least value at x; of equal ones the flattest,
// which stays lowest beyond x.
func lowest(lines []Line, x float64) int {
	best := 0
	for i, l := range lines {
		if v, b := l.At(x), lines[best].At(x); v < b || (v == b && l.Slope < lines[best].Slope) {
			best = i
		}
	}
	return best
}

// StabilisationPoint is the index of the epoch after which the metric no longer
// improves for patience epochs (5 in the thesis), or -1 where the values end
// before that is known.
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

// FirstReaching is the number of epochs (1-based count) after which the metric
// first is at least as good as target.
func FirstReaching(values []float64, target float64, higherIsBetter bool) (epochs int, reached bool) {
	i := slices.IndexFunc(values, func(v float64) bool {
		return (higherIsBetter && v >= target) || (!higherIsBetter && v <= target)
	})
	return i + 1, i >= 0
}

// Inference estimates the seconds of working off batches iterations one after
// another on one GPU, including the start-up where it is known.
func Inference(steady estimate.Estimate, startup float64, batches float64) estimate.Estimate {
	work := steady.Times(batches)
	if startup == 0 {
		return work
	}
	return estimate.Around(startup, startup*OneOffRel, steady.Basis).Plus(work)
}

// Pool is the estimate that several runs of one cell give together for the
// user's own run, which is one more process.
func Pool(runs []estimate.Estimate) estimate.Estimate { return steady.Between(runs).Next }
