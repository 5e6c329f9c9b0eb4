// Package training predicts how long a training or batch-inference run takes from
// a few measured seconds of it: by the two methods of Malta's thesis (2021), and,
// where other complete runs are known epoch by epoch, by how these went on after
// their first epochs ([Totals]).
package training

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
)

// Epochs are the terms of method 1, in seconds.
type Epochs struct {
	Init   float64 // initialisation: everything before the first iteration
	First  float64 // first epoch
	Second float64 // second epoch, or the average of the later ones (table 5.2)
}

// Method1 is the total seconds of n epochs from epoch times: equation 4.1, with
// the initialisation of equation 5.1.
func Method1(e Epochs, n float64) float64 {
	return e.Init + e.First + (n-1)*e.Second
}

// Iterations are the terms of method 2, in seconds. A run without validations
// has both validation terms 0, which turns equation 5.3 into 5.4.
type Iterations struct {
	Startup         float64 // initialisation and first iteration
	Steady          float64 // any later iteration
	PerEpoch        float64 // iterations per epoch; real, 158.25 happens
	FirstValidation float64
	Validation      float64 // any later validation
}

// Method2 is the total seconds of n epochs from iteration times: equation 5.3.
// The first iteration is counted once, as the thesis' tables do and its printed
// equation 5.4 does not.
func Method2(t Iterations, n float64) float64 {
	total := t.Startup + t.Steady*math.Max(0, n*t.PerEpoch-1)
	if n >= 1 {
		total += t.FirstValidation + (n-1)*t.Validation
	}
	return total
}

// oneOffRel is the relative 90 % half-width of a start-up measured once: a VM's
// first experiment can take several times as long as its next (the thesis reports
// σ = 20.5 s on 14 s for p2.xlarge at batch 256).
const oneOffRel = 0.5

// OneTotalRel is the least relative 90 % half-width of a total measured once:
// totals of one training differ by a few per cent from run to run.
const OneTotalRel = 0.05

// Iteration is the steady iteration of a run with an interval. One without its own
// gets that of its kind, and the wider the fewer iterations it is the mean of: a
// single one is known no better than a start-up.
func Iteration(r profile.Run, kinds map[estimate.Basis]profile.Kind) estimate.Estimate {
	if !r.Steady.Known() || r.Steady.High > r.Steady.Low {
		return r.Steady
	}
	rel := cmp.Or(kinds[r.Basis].Rel, OneTotalRel)
	if r.SteadyN > 0 {
		rel = math.Max(rel, oneOffRel/math.Sqrt(float64(r.SteadyN)))
	}
	return estimate.Spread(r.Steady.Value, rel, r.Steady.Basis)
}

// Training estimates the seconds of n epochs of the run's training by method 2. It
// is unknown where the run has no steady iteration time; a total alone answers
// [AsPublished] only.
//
// Pauses are a term of their own ([Pauses]); the estimate has none where none was
// seen.
//
// The interval of a measured run combines its steady interval and a wide one for
// what was measured once; numbers without an interval get that of their kind. Where a
// probe saw the training to its end, the estimate goes through the length it had. Where a
// schedule makes its steps unequal work, it is as wide as such trainings turned out; where
// no epoch was seen to its end, it allows for what may come there.
func Training(r profile.Run, n float64, kinds map[estimate.Basis]profile.Kind) estimate.Estimate {
	e := byIterations(r, n, kinds)
	if EndsUnseen(r) {
		e = WithUnseenEnds(r, n, e)
	}
	if !isWhole(r) || n <= 0 {
		return scheduled(r, n, e)
	}
	return scheduled(r, n, fromWhole(r, n, e, byIterations(r, *r.Epochs, kinds), Iteration(r, kinds)))
}

// byIterations is the estimate from start-up, iterations, validations and pauses.
func byIterations(r profile.Run, n float64, kinds map[estimate.Basis]profile.Kind) estimate.Estimate {
	if r.Mode != profile.Train || !r.Steady.Known() || r.IterationsPerEpoch == nil || n <= 0 {
		return estimate.Estimate{}
	}
	once, _ := r.OneOff()
	t := Iterations{Startup: once, Steady: r.Steady.Value, PerEpoch: *r.IterationsPerEpoch}
	if r.FirstValidationS != nil {
		t.FirstValidation, t.Validation = *r.FirstValidationS, *r.FirstValidationS
	}
	if r.ValidationS != nil {
		t.Validation = *r.ValidationS
		if r.FirstValidationS == nil {
			t.FirstValidation = t.Validation
		}
	}
	total := Method2(t, n)
	work := withIntervalOf(Iteration(r, kinds), total)
	if r.Steady.High > r.Steady.Low {
		oneOff := math.Min(total, once+t.FirstValidation) // less than an epoch has no validation
		work = estimate.Around(oneOff, oneOff*oneOffRel, r.Basis).Plus(withIntervalOf(r.Steady, total-oneOff))
	}
	return withPauses(work, PausesOf(r), n)
}

func withPauses(work estimate.Estimate, p Pauses, n float64) estimate.Estimate {
	if !p.Seen() {
		return work
	}
	return work.Plus(p.Over(n))
}

// StraightLine is [Training] over epochs as a straight line, in seconds: what comes
// every few epochs is spread over all of them. ok is false where the estimate is
// unknown.
func StraightLine(r profile.Run, kinds map[estimate.Basis]profile.Kind) (l Line, ok bool) {
	perEpoch := PausesOf(r).PerEpoch()
	r.Pauses = nil
	one := byIterations(r, 1, kinds)
	if !one.Known() {
		return Line{}, false
	}
	slope := byIterations(r, 2, kinds).Value - one.Value
	l = Line{At0: one.Value - slope, Slope: slope + perEpoch}
	if isWhole(r) {
		l = throughWhole(l, r)
	}
	return l, true
}

// Predicted estimates the seconds of n epochs of a run that was not made, from a
// predicted steady iteration, start-up, which may be unknown, and pauses.
func Predicted(r profile.Run, n float64, startup estimate.Estimate, pauses Pauses) estimate.Estimate {
	if !r.Steady.Known() || r.IterationsPerEpoch == nil || n <= 0 {
		return estimate.Estimate{}
	}
	validations := 0.0
	if r.ValidationS != nil {
		validations = math.Floor(n) * *r.ValidationS
	}
	total := r.Steady.Times(n * *r.IterationsPerEpoch)
	if validations > 0 {
		total = total.Plus(estimate.Around(validations, validations*oneOffRel, r.Basis))
	}
	if startup.Known() {
		total = total.Plus(startup)
	}
	return scheduled(r, n, withPauses(total, pauses, n))
}

// AsPublished is the total in seconds that the source of the run printed, for
// whatever number of epochs its authors ran.
func AsPublished(r profile.Run, kinds map[estimate.Basis]profile.Kind) estimate.Estimate {
	if r.TotalS == nil {
		return estimate.Estimate{}
	}
	if r.TotalStdDevS != nil && *r.TotalStdDevS > 0 && r.TotalN > 1 { // none at all is one of rounded numbers
		// A prediction interval, since the user's next run is one draw and not a mean;
		// it does not reach zero however noisy the few runs were.
		half := steady.T90(r.TotalN-1) * *r.TotalStdDevS * math.Sqrt(1+1/float64(r.TotalN))
		e := estimate.Around(*r.TotalS, half, r.Basis)
		e.Low = math.Max(e.Low, e.Value*e.Value/e.High)
		return e
	}
	rel := kinds[r.Basis].Rel
	if rel == 0 { // a single measured total varies as published ones do
		rel = max(kinds[estimate.Published].Rel, OneTotalRel)
	}
	return estimate.Spread(*r.TotalS, rel, r.Basis)
}

// HiddenStartup is the greatest fraction of a training's total that is allowed for
// start-up where only the total is known: 90 % of the 54 trainings of the built-in
// library whose parts are known have less (median 25 %; they are short).
const HiddenStartup = 0.45

// Scaled estimates the seconds of n epochs in proportion to the total of another
// number of epochs. Start-up, which does not grow, is an unknown part of the
// total; the interval allows for up to [HiddenStartup].
func Scaled(r profile.Run, n float64, kinds map[estimate.Basis]profile.Kind) estimate.Estimate {
	if r.TotalS == nil || r.Epochs == nil || !(*r.Epochs > 0) || !(n > 0) {
		return estimate.Estimate{}
	}
	e := AsPublished(r, kinds).Times(n / *r.Epochs)
	if off := HiddenStartup * (1 - *r.Epochs/n); off > 0 {
		e.Low *= 1 - off
	} else {
		e.High *= 1 - off
	}
	return e
}

// withIntervalOf gives the value v the relative interval of e.
func withIntervalOf(e estimate.Estimate, v float64) estimate.Estimate {
	if e.Value == 0 {
		return estimate.Exact(v, e.Basis)
	}
	return e.Times(v / e.Value)
}

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
	return estimate.Around(startup, startup*oneOffRel, steady.Basis).Plus(work)
}

// Pool combines several runs of one cell into the estimate for the user's own run,
// which is one more process.
func Pool(runs []estimate.Estimate) estimate.Estimate { return steady.Between(runs).Next }
