package tokens

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
)

// Tuning is a fine-tuning that reached its target: how far it was at each evaluation.
type Tuning struct {
	System  string    // runs of one take equally long, but for stalls
	Batch   float64   // samples of an optimiser step
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

// Stall is the share of a total that another run of the system lost at once, from which
// a run counts as one that may stall.
const Stall = 0.05

// untold is ln(what was left / as predicted) that nine of ten runs stay below where no
// other run tells it.
const untold = 0.1

// Total predicts the seconds until so many samples from the first two evaluations.
// mayStall says that another run of the system stood still for long. It is unknown
// before the second evaluation.
func (t *Tunings) Total(run Tuning, samples float64) (total estimate.Estimate, mayStall bool) {
	if len(run.Samples) < 2 || !run.sound() || !(samples >= run.Samples[1]) {
		return estimate.Estimate{}, false
	}
	left := run.left(samples)
	off := untold
	if n := len(t.misses); n > 0 {
		if rank := int(math.Ceil(0.9*float64(n+1))) - 1; rank < n {
			off = t.misses[rank]
		}
	}
	start := run.AtS[1]
	total = estimate.Estimate{
		Value: start + left, Low: start + left*math.Exp(-off), High: start + left*math.Exp(off), Basis: estimate.Measured,
	}
	return total, t.stall(run.System) > Stall*total.Value
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

// leastAlike is how many runs with the same batch size tell what samples it takes.
const leastAlike = 20

// SamplesToTarget is after how many samples nine of ten runs with a batch size reach
// the target: the shortest such interval of others. Those of other batch sizes are
// converted by a curve through the means of each, where few have the same.
func (t *Tunings) SamplesToTarget(batch float64) estimate.Estimate {
	var alike, all []float64
	byBatch := map[float64][]float64{}
	for _, r := range t.runs {
		samples := r.Samples[len(r.Samples)-1]
		if r.Batch == batch {
			alike = append(alike, samples)
		}
		byBatch[r.Batch] = append(byBatch[r.Batch], math.Log(samples))
	}
	if len(alike) >= leastAlike {
		return shortest(alike, estimate.Measured)
	}
	of := curveOver(byBatch)
	if of == nil || !(batch > 0) {
		return estimate.Estimate{}
	}
	for _, r := range t.runs {
		all = append(all, r.Samples[len(r.Samples)-1]*math.Exp(of(batch)-of(r.Batch)))
	}
	e, half := shortest(all, estimate.OtherBatch), t.step()/2
	return estimate.Estimate{Value: e.Value, Low: math.Max(e.Value/2, e.Low-half), High: e.High + half, Basis: e.Basis}
}

// step is the usual number of samples between the last two evaluations: where others'
// fall is not where these would.
func (t *Tunings) step() float64 {
	var steps []float64
	for _, r := range t.runs {
		if n := len(r.Samples); n > 1 {
			steps = append(steps, r.Samples[n-1]-r.Samples[n-2])
		}
	}
	if len(steps) == 0 {
		return 0
	}
	return estimate.Median(steps)
}

// shortest is the shortest interval, by the ratio of its ends, that holds nine tenths
// of the values and of one more, with their median.
func shortest(values []float64, b estimate.Basis) estimate.Estimate {
	slices.Sort(values)
	n := len(values)
	hold := min(n, int(math.Ceil(0.9*float64(n+1))))
	e := estimate.Estimate{Low: values[0], High: values[hold-1], Basis: b}
	for i := 1; i+hold <= n; i++ {
		if values[i+hold-1]/values[i] < e.High/e.Low {
			e.Low, e.High = values[i], values[i+hold-1]
		}
	}
	e.Value = min(max(estimate.Median(values), e.Low), e.High)
	return e
}

// curveOver is ln(samples) over batch sizes: a parabola in ln(batch) through the means,
// a line or a constant where there are fewer than four or three batch sizes. It is nil
// without any.
func curveOver(byBatch map[float64][]float64) func(batch float64) float64 {
	n := len(byBatch)
	if n == 0 {
		return nil
	}
	terms := min(3, max(1, n-1))
	a, y := mat.NewDense(n, terms, nil), mat.NewVecDense(n, nil)
	for i, b := range slices.Sorted(maps.Keys(byBatch)) { // in order: sums round alike every time
		for k := range terms {
			a.Set(i, k, math.Pow(math.Log(b), float64(k)))
		}
		y.SetVec(i, stat.Mean(byBatch[b], nil))
	}
	var c mat.VecDense
	if err := c.SolveVec(a, y); err != nil {
		return nil
	}
	return func(batch float64) float64 {
		sum := 0.0
		for k := range terms {
			sum += c.AtVec(k) * math.Pow(math.Log(batch), float64(k))
		}
		return sum
	}
}
