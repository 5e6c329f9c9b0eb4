package curve

import (
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/estimate"
)

// Standard deviations of a prediction in the logarithm of the moment, found by
// predicting published epochs to targets (Zeus' trace, NSDI 2023) from as many
// other batch sizes, rounding and seeds apart. That from three is widened by how
// badly the shape fits the workload's own targets.
const (
	spreadOfThree = 0.10
	spreadOfTwo   = 0.25
	spreadOfOne   = 0.3
	// spreadPerDoubling is added, in squares, for each doubling beyond the batch
	// sizes trained with, or away from the only one.
	spreadPerDoubling = 0.2
)

// rounded is the variance of a moment, in epochs, of which only the epoch is
// known: trainings with one batch size all get there early in it, or all late.
const rounded = 1.0 / 12

// widest is the spread up to which an estimate is the mean of what may come. The
// mean of a wider one would be made by its tail alone.
const widest = 0.2

// modelSpread is how far, in the logarithm, the epochs at a batch size usually
// lie from a smooth curve over batch sizes.
const modelSpread = 0.1

// Target predicts the epochs to one target. It is safe for concurrent use, and
// [Target.At] takes about a microsecond.
type Target struct {
	batches []float64 // of which it is known when they reach the target, rising
	samples []sample  // one for each of them
	fits    []fitted  // of the easier targets and the target itself, which is last
	misfit  float64   // mean square of how far the shape is off, relative to what is usual
	seeds   float64   // standard deviation between seeds, in the logarithm
	exact   map[float64]trained
	never   []chance
	basis   estimate.Basis
}

type fitted struct {
	shape
	terms
}

// Target prepares predictions for a target: a value of the metric to reach.
func (w *Workload) Target(target float64) *Target {
	value := w.turned(target)
	t := &Target{exact: map[float64]trained{}, basis: estimate.OtherBatch}
	for _, b := range w.batches {
		r := w.Reached(b, target)
		if r.Epochs > 0 {
			t.exact[b] = trained{r, w.basis(b)}
		}
		if r.Runs > 0 {
			t.never = append(t.never, chance{math.Log2(b), r.smoothed()})
		}
		if s := w.sample(b, value); s.known {
			t.samples = append(t.samples, s)
			t.batches = append(t.batches, b)
			t.basis = max(t.basis, w.basis(b))
		}
	}
	t.seeds = w.seedSpread(value)
	if len(t.samples) > 0 {
		t.fit(w, value)
	}
	return t
}

// sample is the moment at which runs with a batch size reach a turned value:
// the mean of those that did, else that of beginnings stretched.
func (w *Workload) sample(batch, value float64) sample {
	sum, n := 0.0, 0.0
	for _, r := range w.with(batch) {
		if e, ok := r.reach(value); ok {
			sum += moment(e)
			n++
		}
	}
	if n > 0 {
		return sample{batch: batch, moment: sum / n, weight: 1, runs: n, known: true}
	}
	if at, ok := w.stretched(batch, value); ok {
		return sample{batch: batch, moment: at, weight: modelSpread * modelSpread / (stretchSpread * stretchSpread), runs: 1, known: true}
	}
	return sample{}
}

// fit takes the critical batch size that suits the target and all easier ones
// best, and with it the terms of each.
func (t *Target) fit(w *Workload, value float64) {
	ks := criticals(w.batches[0], w.batches[len(w.batches)-1])
	misfits := make([]float64, len(ks))
	for i, samples := range t.easier(w, value) {
		n := len(samples)
		s := shape{smallest: samples[0].batch, large: samples[n-1].batch}
		columns, free := min(2, max(1, n-1)), float64(max(1, n-2)) // two batch sizes tell the rise only
		best := 0
		for j, k := range ks {
			s.critical = k
			_, squares := s.nonNegative(samples, columns, precision)
			misfits[j] += math.Min(squares/free, 9) // one odd target must not decide
			if misfits[j] < misfits[best]-1e-12 {
				best = j
			}
		}
		s.critical = ks[best]
		t.misfit = misfits[best] / float64(i+1)
		terms, _ := s.nonNegative(samples, 3, func(x sample) float64 { return x.weight })
		t.fits = append(t.fits, fitted{s, terms})
	}
}

// easier lists the samples of the easier targets that are known of every batch
// size of the target's, from easy to hard, and then its own.
func (t *Target) easier(w *Workload, value float64) [][]sample {
	below, _ := slices.BinarySearch(w.levels, value)
	var out [][]sample
	for _, level := range thin(w.levels[:below], maxLevels) {
		var samples []sample
		missing := false
		for _, b := range w.batches {
			if s := w.sample(b, level); s.known {
				samples = append(samples, s)
			} else if slices.Contains(t.batches, b) {
				missing = true
			}
		}
		if !missing {
			out = append(out, samples)
		}
	}
	return append(out, t.samples)
}

// precision weighs a sample by what is known of it: the curve is off by
// modelSpread, and whole epochs hide up to a third of one.
func precision(s sample) float64 {
	rounding := 0.3 / s.moment
	return s.weight / (modelSpread*modelSpread + rounding*rounding)
}

// Outlook is what is to be expected of training with one batch size.
type Outlook struct {
	// Epochs are the counted epochs that trainings with the batch size need on
	// average, at least 1. They are unknown where nothing can be said.
	Epochs estimate.Estimate
	// Error is the standard deviation of that average, in the logarithm: of so
	// many seeds where they were trained, else of the prediction.
	Error float64
	// Seeds is the standard deviation, in the logarithm, of a single training
	// around the average.
	Seeds float64
	Never float64 // probability that the target is never reached; NaN where nothing is known
	Why   string  // what it rests on, one line
}

// At predicts for a batch size.
func (t *Target) At(batch float64) Outlook {
	out := Outlook{Never: t.neverAt(batch), Seeds: t.seeds}
	if r, ok := t.exact[batch]; ok {
		out.Epochs, out.Error, out.Why = r.estimate(t.seeds), r.error(t.seeds), r.why()
		return out
	}
	if len(t.samples) == 0 || !(batch > 0) {
		out.Why = "no training reached it"
		return out
	}
	moment, spread := t.moment(batch), t.spread(batch)
	value := counted(moment, math.Min(math.Hypot(spread, t.seeds), widest))
	low, high := countedRange(moment, spread)
	out.Error = spread
	out.Epochs = estimate.Estimate{Value: value, Low: math.Min(low, value), High: math.Max(high, value), Basis: t.basis}
	out.Why = t.why(batch)
	return out
}

// moment is where in a training the target lies. A harder target takes no less
// than an easier one.
func (t *Target) moment(batch float64) float64 {
	at := 0.0
	for _, f := range t.fits {
		at = math.Max(at, f.at(f.terms, batch))
	}
	return at
}

// spread is the standard deviation of a prediction in the logarithm.
func (t *Target) spread(batch float64) float64 {
	n := len(t.samples)
	away := math.Max(0, math.Max(math.Log2(t.batches[0]/batch), math.Log2(batch/t.batches[n-1])))
	variance := spreadOfThree * spreadOfThree * (1 + math.Min(t.misfit, 4))
	switch n {
	case 1:
		variance = spreadOfOne * spreadOfOne
	case 2:
		variance = spreadOfTwo * spreadOfTwo
	}
	variance += spreadPerDoubling * spreadPerDoubling * away * away
	begun := 0.0
	for _, s := range t.samples {
		variance += (t.seeds*t.seeds/s.runs + rounded/(s.moment*s.moment)) / float64(n)
		begun = math.Max(begun, 1-s.weight)
	}
	variance += begun * stretchSpread * stretchSpread
	return math.Sqrt(variance)
}

func (t *Target) why(batch float64) string {
	others, begun, here := len(t.samples), 0, ""
	for _, s := range t.samples {
		switch {
		case s.batch == batch:
			others, here = others-1, "its own beginning and "
		case s.weight < 1:
			begun++
		}
	}
	why := fmt.Sprintf("from %strainings with %d other batch sizes", here, others)
	if others == 1 {
		why = fmt.Sprintf("from %strainings with one other batch size", here)
	}
	if begun > 0 {
		why += fmt.Sprintf(", %d of them only begun", begun)
	}
	return why
}

// trained is a batch size with which the target was reached.
type trained struct {
	Reached
	basis estimate.Basis
}

// error is the standard deviation of their mean, in the logarithm.
func (r trained) error(seeds float64) float64 { return seeds / math.Sqrt(float64(r.Runs-r.Never)) }

func (r trained) estimate(seeds float64) estimate.Estimate {
	low, high := countedRange(moment(r.Epochs), r.error(seeds))
	return estimate.Estimate{Value: r.Epochs, Low: math.Min(low, r.Epochs), High: math.Max(high, r.Epochs), Basis: r.basis}
}

func (r trained) why() string {
	n := r.Runs - r.Never
	if n == 1 {
		return "one training with this batch size"
	}
	return fmt.Sprintf("mean of %d trainings with this batch size", n)
}

// basis is that of the runs with a batch size, the weakest of them.
func (w *Workload) basis(batch float64) estimate.Basis {
	basis := estimate.Measured
	for _, r := range w.with(batch) {
		basis = estimate.Weakest(basis, r.Basis)
	}
	return basis
}

// seedSpread pools how far trainings with one batch size lie apart, in the
// logarithm of the moment, with what is usual counting as four of them. Where
// few epochs are needed their rounding hides it.
func (w *Workload) seedSpread(value float64) float64 {
	const usual, few = 4, 3
	squares, free := usual*seedSpread*seedSpread, float64(usual)
	for _, same := range w.runs {
		var logs []float64
		sum := 0.0
		for _, r := range same {
			if e, ok := r.reach(value); ok && e > few {
				logs = append(logs, math.Log(moment(e)))
				sum += logs[len(logs)-1]
			}
		}
		for _, x := range logs {
			d := x - sum/float64(len(logs))
			squares += d * d
		}
		free += math.Max(0, float64(len(logs)-1))
	}
	return math.Sqrt(squares / free)
}
