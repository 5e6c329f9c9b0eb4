package curve

import (
	"math"

	"sweetspot/engine/estimate"
)

// coefficients are those of a fit, a, c and d of the package comment; those of
// unused terms are 0.
type coefficients [3]float64

// design gives the rows of the design matrix.
type design struct {
	critical        float64 // critical batch size K; +Inf where epochs do not grow
	smallest, large float64 // batch sizes trained with
}

// row is the value of each term at a batch size, for coefficients of 1. Beyond
// the batch sizes trained with, the two end terms stay at 1: nothing is known
// there, and their squares would soon be absurd.
func (s design) row(batch float64) [3]float64 {
	small, large := math.Min(1, s.smallest/batch), math.Min(1, batch/s.large)
	return [3]float64{1 + batch/s.critical, small * small, large * large}
}

func (s design) at(t coefficients, batch float64) float64 {
	r := s.row(batch)
	return t[0]*r[0] + t[1]*r[1] + t[2]*r[2]
}

// observation is after how many epochs trainings with one batch size reached a
// target.
type observation struct {
	batch, epochs float64 // the epochs are fractional ones
	weight        float64 // 1 for completed runs, less for extrapolated ones
	runs          float64 // that it is the mean of
	known         bool
}

// nonNegative fits the first n terms to the observations by non-negative least
// squares of the relative errors: it tries every subset of the terms and keeps
// the best fit without a negative coefficient.
func (s design) nonNegative(
	observations []observation, n int, weight func(observation) float64) (best coefficients, squares float64) {
	squares = math.Inf(1)
	for subset := 1; subset < 1<<n; subset++ {
		t, ok := s.leastSquares(observations, subset, weight)
		if !ok {
			continue
		}
		sum := 0.0
		for _, x := range observations {
			r := s.at(t, x.batch)/x.epochs - 1
			sum += weight(x) * r * r
		}
		if sum < squares-1e-12 {
			best, squares = t, sum
		}
	}
	return best, squares
}

// leastSquares solves for the terms in the subset, one bit each. ok is false
// where the equations are singular or a coefficient is negative.
func (s design) leastSquares(
	observations []observation, subset int, weight func(observation) float64) (t coefficients, ok bool) {
	var m [3][4]float64 // normal equations, right-hand side last
	for _, x := range observations {
		row, w := s.row(x.batch), weight(x)
		for i := range row {
			for j := range row {
				m[i][j] += w * row[i] * row[j] / (x.epochs * x.epochs)
			}
			m[i][3] += w * row[i] / x.epochs
		}
	}
	for i := range m {
		if subset>>i&1 == 0 {
			m[i] = [4]float64{}
			for j := range m {
				m[j][i] = 0
			}
			m[i][i] = 1
		}
	}
	for i := range m {
		pivot := m[i][i]
		if !(pivot > 1e-12) {
			return coefficients{}, false
		}
		for j := i + 1; j < len(m); j++ {
			f := m[j][i] / pivot
			for k := i; k < 4; k++ {
				m[j][k] -= f * m[i][k]
			}
		}
	}
	for i := len(m) - 1; i >= 0; i-- {
		v := m[i][3]
		for j := i + 1; j < len(m); j++ {
			v -= m[i][j] * t[j]
		}
		t[i] = v / m[i][i]
		if t[i] < 0 {
			return coefficients{}, false
		}
	}
	return t, true
}

// criticalGrid lists the critical batch sizes tried: infinity, and half an octave
// apart from 64 times the largest batch size, where growth no longer shows, to
// half the smallest, where the epochs grow in proportion to it.
func criticalGrid(smallest, largest float64) []float64 {
	out := []float64{math.Inf(1)}
	for k := largest * 64; k >= smallest/2; k /= math.Sqrt2 {
		out = append(out, k)
	}
	return out
}

// Targets are checked after whole epochs: a training that reaches one within its
// third epoch counts as 3. Predictions are made in fractional epochs and turned
// into counted, whole epochs at the end; where trainings take few epochs this
// rounding is most of the error.

// fractional turns counted epochs into fractional ones: half an epoch less on
// average (a continuity correction).
func fractional(epochs float64) float64 { return math.Max(epochs-0.5, 0.5) }

// seedSpread is the standard deviation of ln(fractional epochs) of trainings that
// differ in their seed only. On Zeus' published trace (NSDI 2023) it is 0.05 to
// 0.19 for most targets, rounding included, with a median of 0.09. A greater one
// widens every interval.
const seedSpread = 0.08

// counted is the mean of the counted epochs of trainings whose fractional epochs
// are log-normal around a median, with the given standard deviation of the
// logarithm: the sum over k of the probability that more than k epochs are needed.
func counted(median, spread float64) float64 {
	if median > 20 {
		return median*math.Exp(spread*spread/2) + 0.5 // the steps no longer matter
	}
	certain := math.Exp(5 * spread) // beyond five standard deviations
	low, high := math.Floor(median/certain), math.Ceil(median*certain)
	epochs := 1 + low
	for k := low + 1; k <= high; k++ {
		epochs += 0.5 * math.Erfc(math.Log(k/median)/spread/math.Sqrt2)
	}
	return epochs
}

// countedRange is the 90 % interval of the counted epochs of one training. Its
// ends are whole numbers: no training ends between two epochs.
func countedRange(median, sigma float64) (low, high float64) {
	first, last := median*math.Exp(-estimate.Z90*sigma), median*math.Exp(estimate.Z90*sigma)
	low = math.Min(counted(first, seedSpread), math.Max(1, math.Ceil(first)))
	high = math.Max(counted(last, seedSpread), math.Ceil(last))
	return low, high
}

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
	return math.Exp(estimate.Median(logs)), true
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
	return estimate.Median(ratios), true
}

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
