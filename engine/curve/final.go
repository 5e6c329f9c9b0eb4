package curve

import (
	"math"

	"sweetspot/engine/estimate"
)

// finalSpread is the prior standard deviation of the final value between seeds,
// which counts as one more run: accuracies counted on some thousand samples, and
// published repeats, differ by about that much. A greater one widens the interval
// of batch sizes that were trained with once or twice.
const finalSpread = 0.005

// Final predicts the best value of the metric that a training with a batch size
// reaches, with the 90 % interval of the next training. It is unknown where no run
// converged. Between batch sizes it is interpolated linearly in their logarithm;
// beyond them it stays constant with a growing interval.
func (w *Workload) Final(batch float64) estimate.Estimate {
	var ends []end
	for _, b := range w.Batches {
		if e, ok := w.end(b); ok {
			ends = append(ends, e)
		}
	}
	if len(ends) == 0 || !(batch > 0) {
		return estimate.Estimate{}
	}
	x := math.Log2(batch)
	for i, e := range ends {
		switch {
		case e.batch == batch:
			return w.within(e.mean, e.deviation*math.Sqrt(1+1/e.n), e.basis)
		case x < e.log2() && i > 0:
			return w.between(ends[i-1], e, x)
		case x < e.log2():
			return w.beyond(ends, e, e.log2()-x)
		}
	}
	last := ends[len(ends)-1]
	return w.beyond(ends, last, x-last.log2())
}

// end is how the converged runs with a batch size ended.
type end struct {
	batch, mean, deviation, n float64
	basis                     estimate.Basis
}

func (e end) log2() float64 { return math.Log2(e.batch) }

// end pools the runs with a batch size and the prior finalSpread.
func (w *Workload) end(batch float64) (end, bool) {
	var values []float64
	sum := 0.0
	for _, r := range w.with(batch) {
		if r.Converged {
			values = append(values, r.Points[len(r.Points)-1].Value)
			sum += values[len(values)-1]
		}
	}
	n := float64(len(values))
	if n == 0 {
		return end{}, false
	}
	squares := finalSpread * finalSpread
	for _, v := range values {
		squares += (v - sum/n) * (v - sum/n)
	}
	return end{batch, sum / n, math.Sqrt(squares / n), n, w.basis(batch)}, true
}

// between interpolates linearly. Midway, a quarter of the difference is added to
// the standard deviation.
func (w *Workload) between(a, b end, x float64) estimate.Estimate {
	share := (x - a.log2()) / (b.log2() - a.log2())
	mean := a.mean + share*(b.mean-a.mean)
	bend := share * (1 - share) * (b.mean - a.mean)
	deviation := math.Sqrt(2*math.Max(a.deviation*a.deviation, b.deviation*b.deviation) + bend*bend)
	return w.within(mean, deviation, max(a.basis, b.basis, estimate.OtherBatch))
}

// beyond extrapolates: for each doubling, the greater of the known ends' mean
// change per doubling and the deviation between seeds is added to the standard
// deviation.
func (w *Workload) beyond(ends []end, nearest end, doublings float64) estimate.Estimate {
	step := nearest.deviation
	if n := len(ends) - 1; n > 0 {
		apart := ends[n].log2() - ends[0].log2()
		low, high := ends[0].mean, ends[0].mean
		for _, e := range ends {
			low, high = math.Min(low, e.mean), math.Max(high, e.mean)
		}
		step = math.Max(step, (high-low)/apart)
	}
	deviation := math.Hypot(math.Sqrt2*nearest.deviation, step*doublings)
	return w.within(nearest.mean, deviation, max(nearest.basis, estimate.OtherBatch))
}

// within turns an oriented value back into the metric, with its 90 % interval.
func (w *Workload) within(value, deviation float64, basis estimate.Basis) estimate.Estimate {
	v, half := w.oriented(value), estimate.Z90*deviation
	return estimate.Estimate{Value: v, Low: math.Max(0, v-half), High: v + half, Basis: basis}
}
