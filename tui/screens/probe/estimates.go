package probe

import (
	"fmt"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/training"
	"sweetspot/probes/session"
)

// estimateLine is one line of the forming estimate: a job of some length with its
// time and, where there is a price, its cost.
type estimateLine struct {
	length     float64 // epochs, units or iterations
	time, cost estimate.Estimate
}

// estimateLines predicts jobs around some number of epochs, and of those that a
// script says it runs only them. what names the lengths; there are none before
// there is a mean.
func estimateLines(u session.Update, epochs int, ofScript bool) (what string, lines []estimateLine) {
	r := u.Run
	if !r.Steady.Known() {
		r.Steady = u.Summary.Steady
	}
	if !r.Steady.Known() {
		return "", nil
	}
	r.Basis = estimate.Measured // here and now
	lengths, what, predict := lengthsOf(r, epochs)
	if what == "epochs" && ofScript && r.Epochs != nil {
		lengths = []float64{*r.Epochs}
	}
	for _, n := range lengths {
		t := predict(n)
		o := estimateLine{length: n, time: t}
		if r.USDPerHour != nil && t.Known() {
			o.cost = t.Times(*r.USDPerHour / 3600)
		}
		lines = append(lines, o)
	}
	return what, lines
}

// lengthsOf chooses the lengths to predict and how: epochs of training, units
// of inference, bare iterations where neither is known.
func lengthsOf(r profile.Run, epochs int) (lengths []float64, what string, predict func(float64) estimate.Estimate) {
	startup, _ := r.Startup()
	startup += r.WarmupExtraS
	switch {
	case r.Mode == profile.Train && r.IterationsPerEpoch != nil:
		return around(epochs), "epochs", func(n float64) estimate.Estimate { return training.Training(r, n, nil) }
	case r.Mode == profile.Infer && r.BatchSize > 0:
		unit := r.Unit
		if unit == "" {
			unit = "unit"
		}
		return []float64{1e4, 1e5, 1e6}, unit + "s", func(n float64) estimate.Estimate {
			return training.Inference(r.Steady, startup, n/float64(r.BatchSize))
		}
	}
	return []float64{1e3, 1e4, 1e5}, "iterations", func(n float64) estimate.Estimate {
		return training.Inference(r.Steady, startup, n-1)
	}
}

// around is half of n, n and twice n, each once.
func around(n int) []float64 {
	n = max(n, 1)
	if n == 1 {
		return []float64{1, 2, 4}
	}
	return []float64{float64(n / 2), float64(n), float64(2 * n)}
}

// withInterval writes an estimate and its relative half-width.
func withInterval(e estimate.Estimate, format func(float64) string) (value, interval string) {
	if !e.Known() {
		return "–", ""
	}
	if e.HalfWidth() == 0 {
		return format(e.Value), ""
	}
	return format(e.Value), quantity.PlusMinus(e.HalfWidth())
}

// clock writes seconds as a running clock: 00:41, 1:02:03.
func clock(s float64) string {
	t := int(max(s, 0))
	if t >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", t/3600, t/60%60, t%60)
	}
	return fmt.Sprintf("%02d:%02d", t/60, t%60)
}
