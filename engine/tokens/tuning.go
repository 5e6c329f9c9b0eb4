package tokens

import (
	"math"
	"slices"

	"sweetspot/engine/estimate"
)

// Tuning is a fine-tuning that reached its target: how far it was at each evaluation.
type Tuning struct {
	System  string    // runs of one take equally long, but for stalls
	Batch   float64   // samples of an optimizer step
	Samples []float64 // at each evaluation, rising
	AtS     []float64 // seconds from the run's start, rising
}

func (t Tuning) sound() bool {
	n := len(t.Samples)
	return t.Batch > 0 && n > 0 && len(t.AtS) == n && t.Samples[0] > 0 && t.AtS[0] > 0 &&
		risesTo(t.Samples, math.MaxFloat64) && risesTo(t.AtS, math.MaxFloat64)
}

func risesTo(x []float64, most float64) bool {
	for i := 1; i < len(x); i++ {
		if !(x[i] > x[i-1]) {
			return false
		}
	}
	return x[len(x)-1] <= most
}

// Tunings predicts fine-tunings by others. It is safe for concurrent use.
type Tunings struct {
	runs   []Tuning
	misses []float64 // |ln(what was left / as predicted)|, rising
}

// NewTunings keeps the runs that can be computed with.
func NewTunings(runs []Tuning) *Tunings {
	t := &Tunings{}
	for _, r := range runs {
		if !r.sound() {
			continue
		}
		t.runs = append(t.runs, r)
		if n := len(r.Samples); n > 2 {
			left := r.AtS[n-1] - r.AtS[1]
			t.misses = append(t.misses, math.Abs(math.Log(left/r.left(r.Samples[n-1]))))
		}
	}
	slices.Sort(t.misses)
	return t
}

// left are the seconds from the second evaluation to so many samples, at the rate
// between the first two.
func (t Tuning) left(samples float64) float64 {
	return (samples - t.Samples[1]) * (t.AtS[1] - t.AtS[0]) / (t.Samples[1] - t.Samples[0])
}

// stallShare is the share of a total that another run of the system lost at once, from which
// a run counts as one that may stall.
const stallShare = 0.05

// defaultMiss is ln(what was left / as predicted) that nine of ten runs stay below where no
// other run tells it.
const defaultMiss = 0.1

// Total predicts the seconds until so many samples from the first two evaluations.
// mayStall says that another run of the system stood still for long. It is unknown
// before the second evaluation.
func (t *Tunings) Total(run Tuning, samples float64) (total estimate.Estimate, mayStall bool) {
	if len(run.Samples) < 2 || !run.sound() || !(samples >= run.Samples[1]) {
		return estimate.Estimate{}, false
	}
	left := run.left(samples)
	off := defaultMiss
	if n := len(t.misses); n > 0 {
		if rank := int(math.Ceil(0.9*float64(n+1))) - 1; rank < n {
			off = t.misses[rank]
		}
	}
	start := run.AtS[1]
	total = estimate.Estimate{
		Value: start + left, Low: start + left*math.Exp(-off), High: start + left*math.Exp(off), Basis: estimate.Measured,
	}
	return total, t.stall(run.System) > stallShare*total.Value
}

// stall is the longest that a run of the system stood still, beyond what is usual
// there, in seconds.
func (t *Tunings) stall(system string) float64 {
	var firsts, gaps []float64
	for _, r := range t.runs {
		if r.System != system {
			continue
		}
		firsts = append(firsts, r.AtS[0])
		for i := 1; i < len(r.AtS); i++ {
			gaps = append(gaps, r.AtS[i]-r.AtS[i-1])
		}
	}
	return math.Max(beyond(firsts), beyond(gaps))
}

// beyond is the greatest less the median.
func beyond(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return slices.Max(x) - estimate.Median(x)
}

// SamplesToTarget is after how many samples nine of ten runs with a batch size reach the target.
func (t *Tunings) SamplesToTarget(batch float64) estimate.Estimate {
	courses := make([]Course, len(t.runs))
	for i, r := range t.runs {
		courses[i] = Course{r.Batch, r.Samples}
	}
	return ToTarget(courses, batch)
}
