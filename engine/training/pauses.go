package training

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Pauses are the times of a training that belong neither to an iteration nor to a
// validation, such as checkpoints: a term for each kind, at the rate seen.
type Pauses struct {
	kinds    []recurrence
	watched  float64 // iterations observed; 0 where unknown
	perEpoch float64 // iterations
	basis    estimate.Basis
}

// PausesOf collects the pauses of a training. The zero value, of a run that
// recorded none, does not mean that there are none: see [Pauses.Words].
func PausesOf(r profile.Run) Pauses {
	if r.Mode != profile.Train || r.IterationsPerEpoch == nil || !(*r.IterationsPerEpoch > 0) {
		return Pauses{}
	}
	p := Pauses{perEpoch: *r.IterationsPerEpoch, basis: r.Basis, watched: watched(r)}
	if len(r.Pauses) == 0 {
		return p
	}
	at := newPositions(r)
	occurrences := map[string][]occurrence{}
	for _, x := range r.Pauses {
		if position, ok := at.of(x); ok {
			occurrences[x.Kind] = append(occurrences[x.Kind], occurrence{position, x.Seconds, x.Iterations != nil})
			p.watched = math.Max(p.watched, position)
		}
	}
	for kind, list := range occurrences {
		p.kinds = append(p.kinds, newRecurrence(kind, list, p.watched, p.perEpoch))
	}
	slices.SortFunc(p.kinds, func(a, b recurrence) int { return strings.Compare(a.kind, b.kind) })
	return p
}

// watched is how many iterations of a run are known to have been observed.
func watched(r profile.Run) float64 {
	n := 0
	if r.SteadyN > 0 {
		n = 1 + r.WarmupIterations + r.SteadyN
	}
	whole := 0.0
	if rising(r.EpochStartsS) {
		whole = float64(max(0, len(r.EpochStartsS)-1)) * *r.IterationsPerEpoch
	}
	return math.Max(float64(n), whole)
}

// Seen reports whether there were any.
func (p Pauses) Seen() bool { return len(p.kinds) > 0 }

// Watched is for how many epochs the training was observed.
func (p Pauses) Watched() float64 { return p.watched / math.Max(p.perEpoch, 1) }

// Over is the seconds of the pauses of n epochs, unknown where none was seen.
func (p Pauses) Over(n float64) (sum estimate.Estimate) {
	for i, k := range p.kinds {
		if one := k.over(n, p.perEpoch, p.basis); i == 0 {
			sum = one
		} else {
			sum = sum.Plus(one)
		}
	}
	return sum
}

// PerEpoch is their mean seconds per epoch in the long run.
func (p Pauses) PerEpoch() float64 {
	sum := 0.0
	for _, k := range p.kinds {
		each := k.each.Value / k.gap
		if !k.byEpoch {
			each *= p.perEpoch
		}
		sum += each
	}
	return sum
}

// On gives the pauses of the same training on another machine or at another batch
// size, with perEpoch iterations per epoch there. The interval of each widens.
func (p Pauses) On(perEpoch float64, basis estimate.Basis) Pauses {
	out := Pauses{kinds: slices.Clone(p.kinds), perEpoch: perEpoch, basis: basis}
	for i := range out.kinds {
		e := &out.kinds[i].each
		wide := estimate.Around(e.Value, e.Value*OneOffRel, basis)
		e.Low, e.High, e.Basis = math.Min(e.Low, wide.Low), math.Max(e.High, wide.High), basis
	}
	return out
}

// Words says which of them the time of n epochs includes: "with 3 checkpoints of
// 1.4 s". Where none was seen it says how long the training was observed, and
// nothing where even that is unknown.
func (p Pauses) Words(n float64) string {
	if !p.Seen() {
		return p.without()
	}
	parts := make([]string, len(p.kinds))
	for i, k := range p.kinds {
		parts[i] = k.words(n, p.perEpoch)
	}
	return "with " + strings.Join(parts, " and ")
}

func (p Pauses) without() string {
	if p.watched == 0 || p.basis != estimate.Measured {
		return "" // published runs tell of no pauses, predictions were not observed
	}
	switch whole := math.Floor(p.watched/p.perEpoch + 1e-9); {
	case whole < 1:
		return "without checkpoints: not one epoch was seen to its end"
	case whole == 1:
		return "without checkpoints: none was seen in the first epoch"
	default:
		return fmt.Sprintf("without checkpoints: none was seen in the first %.0f epochs", whole)
	}
}

// words describes the pauses of one kind in n epochs.
func (k recurrence) words(n, perEpoch float64) string {
	name := plaintext.Cut(plaintext.Clean(k.kind), 40)
	if name == "" {
		name = "pause"
	}
	count, low, high := k.count(n, perEpoch)
	if math.Round(count) != 1 {
		name += "s"
	}
	text := fmt.Sprintf("%.0f %s of %s", count, name, quantity.Duration(k.each.Value))
	if low < count || high > count+1 {
		text = fmt.Sprintf("about %s, by the %d seen", text, len(k.at))
	}
	return text
}
