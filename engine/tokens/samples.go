package tokens

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
)

// Course is how a training came to its target: in samples, or whatever else its batch is counted in.
type Course struct {
	Batch   float64   // of an optimizer step
	Samples []float64 // at each evaluation, rising; at the last one the target was reached
}

// Enough is how many runs with the same batch size tell what samples it takes.
const Enough = 20

// ToTarget is after how many samples nine of ten runs with a batch size reach
// the target: the shortest such interval of others. Those of other batch sizes are
// converted by a curve through the means of each, where few have the same.
func ToTarget(runs []Course, batch float64) estimate.Estimate {
	var alike, all []float64
	byBatch := map[float64][]float64{}
	for _, r := range runs {
		samples := r.Samples[len(r.Samples)-1]
		if r.Batch == batch {
			alike = append(alike, samples)
		}
		byBatch[r.Batch] = append(byBatch[r.Batch], math.Log(samples))
	}
	if len(alike) >= Enough {
		return shortest(alike, estimate.Measured)
	}
	of := curveOver(byBatch)
	if of == nil || !(batch > 0) {
		return estimate.Estimate{}
	}
	for _, r := range runs {
		all = append(all, r.Samples[len(r.Samples)-1]*math.Exp(of(batch)-of(r.Batch)))
	}
	e, half := shortest(all, estimate.OtherBatch), usualStep(runs)/2
	return estimate.Estimate{Value: e.Value, Low: math.Max(e.Value/2, e.Low-half), High: e.High + half, Basis: e.Basis}
}

// usualStep is the usual number of samples between the last two evaluations: where others'
// fall is not where these would.
func usualStep(runs []Course) float64 {
	var steps []float64
	for _, r := range runs {
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
