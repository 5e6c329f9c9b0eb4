package training

import (
	"cmp"
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

// positions converts times of a run into numbers of iterations.
type positions struct {
	startsS           []float64 // of epochs
	perEpoch, steady  float64
	startup, init     float64 // when the first iteration ended, and when it began
	hasInit, hasStart bool
	others            []span // pauses and validations, in order
}

// span is when something ended, and the cumulative seconds up to it.
type span struct{ end, sum float64 }

func newPositions(r profile.Run) positions {
	p := positions{perEpoch: *r.IterationsPerEpoch, steady: r.Steady.Value}
	if rising(r.EpochStartsS) {
		p.startsS = r.EpochStartsS
	}
	p.startup, p.hasStart = r.Startup()
	if r.InitS != nil {
		p.init, p.hasInit = *r.InitS, true
	}
	for _, x := range r.Pauses {
		p.others = append(p.others, span{x.AtS, x.Seconds})
	}
	for _, v := range r.Validations {
		if v.AtS != nil {
			p.others = append(p.others, span{*v.AtS, v.Seconds})
		}
	}
	slices.SortFunc(p.others, func(a, b span) int { return cmp.Compare(a.end, b.end) })
	for i := 1; i < len(p.others); i++ {
		p.others[i].sum += p.others[i-1].sum
	}
	return p
}

// of is after how many iterations a pause came; ok is false where it is part of
// the start-up, which is a term of its own.
func (p positions) of(x profile.Pause) (position float64, ok bool) {
	begin := x.AtS - x.Seconds
	if x.Iterations != nil {
		return float64(*x.Iterations), *x.Iterations > 0 || !p.hasInit || begin >= p.init
	}
	if p.hasStart && begin < p.startup {
		return 0, false
	}
	if len(p.startsS) > 0 && begin >= p.startsS[0] {
		return p.byEpochs(begin, x.AtS), true
	}
	return 1 + p.iterations(p.startup, begin), p.steady > 0
}

// byEpochs converts by the beginnings of epochs. What lies between two epochs may
// be recorded in either.
func (p positions) byEpochs(begin, end float64) float64 {
	i, _ := slices.BinarySearch(p.startsS, end)
	i = max(0, i-1)
	last := i+1 == len(p.startsS)
	near := p.perEpoch * p.steady * boundary
	switch {
	case i > 0 && begin <= p.startsS[i]+near:
		return float64(i) * p.perEpoch
	case !last && end >= p.startsS[i+1]-near:
		return float64(i+1) * p.perEpoch
	}
	done := p.iterations(p.startsS[i], begin)
	if i == 0 && p.hasStart {
		done = 1 + p.iterations(p.startup, begin)
	}
	return (float64(i) + math.Min(1, done/p.perEpoch)) * p.perEpoch
}

// iterations is the number of steady iterations between two times.
func (p positions) iterations(from, to float64) float64 {
	if !(p.steady > 0) {
		return 0
	}
	return math.Max(0, to-from-(p.otherwise(to)-p.otherwise(from))) / p.steady
}

// otherwise is the seconds that pauses and validations had taken by a time.
func (p positions) otherwise(t float64) float64 {
	i, _ := slices.BinarySearchFunc(p.others, t, func(o span, t float64) int {
		if o.end <= t {
			return -1
		}
		return 1
	})
	if i == 0 {
		return 0
	}
	return p.others[i-1].sum
}
