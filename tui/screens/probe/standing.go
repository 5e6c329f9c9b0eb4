package probe

import (
	"cmp"
	"fmt"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/steady"
	"sweetspot/engine/training"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// quality is what the mean of a probe that has ended is worth.
type quality uint8

const (
	precise   quality = iota
	imprecise         // steady, but less sure than was asked for
	rough             // never steady
	unknown           // too few iterations for any mean
)

// judged is the quality of what a probe measured, for a target as relative
// half-width.
func judged(u *session.Update, target float64) quality {
	m := &u.Summary
	switch {
	case u.StoppedBecause == steady.Precise:
		return precise
	case !m.Steady.Known():
		return unknown
	case !m.IsSteady:
		return rough
	case m.Steady.HalfWidth() > target:
		return imprecise
	}
	return precise
}

// badge is how far a probe is: a mark, which is all that narrow terminals have
// room for, and a word.
type badge struct {
	mark, ascii, word string
	pen               theme.Pen
}

func (b badge) symbol(th *theme.Theme) string {
	if th.Symbols.Raster == theme.ASCII {
		return b.ascii
	}
	return b.mark
}

// badgeOf is the badge of a row; the mean of one that is done is judged.
func badgeOf(th *theme.Theme, r *matrix.Row, target float64) badge {
	switch r.State {
	case matrix.Running:
		return badge{"●", "o", "running", th.Key}
	case matrix.Failed:
		return badge{"✗", "x", "failed", th.Bad}
	case matrix.OutOfMemory:
		return badge{"■", "#", "out of memory", th.Warn}
	case matrix.Skipped:
		return badge{"–", "-", "skipped", th.Dim}
	case matrix.Done:
		return qualityBadge(th, judged(&r.Update, target))
	}
	return badge{"○", ".", "waiting", th.Dim}
}

func qualityBadge(th *theme.Theme, q quality) badge {
	switch q {
	case imprecise:
		return badge{"±", "%", "imprecise", th.Warn}
	case rough:
		return badge{"≈", "~", "rough", th.Warn}
	case unknown:
		return badge{"?", "?", "no mean", th.Warn}
	}
	return badge{"✓", "+", "done", th.Good}
}

// whyEnded says why a probe is over; one that has all it was asked for needs
// no more words than that.
func whyEnded(u *session.Update, target float64) string {
	if words := text.Clean(u.StoppedWords); words != "" && judged(u, target) != precise {
		return words
	}
	return ended(*u)
}

// aim is what a probe that runs and is steady still waits for. The half-width it has is left
// out of the rule's words: the one of the mean stands beside them, and it is
// not always of the same moment.
func aim(u *session.Update, target float64) string {
	m := &u.Summary
	switch {
	case u.Verdict.Stop || !m.IsSteady:
		return ""
	case m.Steady.HalfWidth() <= target && m.InterimHalfWidth > target:
		return "to be confirmed at the next check"
	}
	words := text.Clean(u.Verdict.Words)
	if strings.HasPrefix(words, "±") {
		if _, after, ok := strings.Cut(words, "%"); ok {
			words = strings.TrimLeft(strings.TrimPrefix(after, " at the last check"), ", ")
		}
	}
	return words
}

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
	if what == "epochs" && ofScript && r.Epochs != nil && r.Steps == nil {
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
	startup, _ := r.OneOff()
	switch {
	case r.Mode == profile.Train && r.Steps != nil && r.IterationsPerEpoch != nil:
		return []float64{*r.Steps}, "steps", func(n float64) estimate.Estimate {
			return training.Training(r, n / *r.IterationsPerEpoch, nil)
		}
	case r.Mode == profile.Train && r.IterationsPerEpoch != nil:
		return around(epochs), "epochs", func(n float64) estimate.Estimate { return training.Training(r, n, nil) }
	case r.Mode == profile.Infer && r.BatchSize > 0:
		unit := cmp.Or(r.Unit, "unit")
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
