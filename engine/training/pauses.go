package training

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
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
	known    float64 // after up to so many, what came is known: not after the last of a probe that stopped there
	perEpoch float64 // iterations
	inSteps  bool    // its script counts these and no epochs
	unseen   bool    // as [EndsUnseen]
	basis    estimate.Basis
}

// PausesOf collects the pauses of a training. The zero value, of a run that
// recorded none, does not mean that there are none: see [Pauses.Words].
func PausesOf(r profile.Run) Pauses {
	if r.Mode != profile.Train || r.IterationsPerEpoch == nil || !(*r.IterationsPerEpoch > 0) {
		return Pauses{}
	}
	p := Pauses{perEpoch: *r.IterationsPerEpoch, inSteps: r.Steps != nil, basis: r.Basis}
	p.watched, p.known = watched(r)
	at := newPositions(r)
	occurrences := map[string][]occurrence{}
	for _, x := range r.Pauses {
		if position, ok := at.of(x); ok {
			occurrences[x.Kind] = append(occurrences[x.Kind], occurrence{position, x.Seconds, x.Iterations != nil})
			p.watched, p.known = math.Max(p.watched, position), math.Max(p.known, position)
		}
	}
	p.unseen = endsUnseen(r, p.known)
	for kind, list := range occurrences {
		p.kinds = append(p.kinds, newRecurrence(kind, list, p.known, p.perEpoch))
	}
	slices.SortFunc(p.kinds, func(a, b recurrence) int { return strings.Compare(a.kind, b.kind) })
	return p
}

// watched is how many iterations of a run are known to have been observed, and after up to how
// many of them all pauses were seen.
func watched(r profile.Run) (iterations, known float64) {
	n := 0
	if r.SteadyN > 0 {
		n = 1 + r.SteadyN
	}
	if r.WarmupIterations != nil {
		n += *r.WarmupIterations
	}
	iterations, known = float64(n), float64(n)
	if !isWhole(r) {
		known = max(0, known-1)
	}
	if rising(r.EpochStartsS) {
		begun := float64(max(0, len(r.EpochStartsS)-1)) * *r.IterationsPerEpoch
		iterations, known = max(iterations, begun), max(known, begun)
	}
	return iterations, known
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
		wide := estimate.Around(e.Value, e.Value*oneOffRel, basis)
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
	var parts []string
	for _, k := range p.kinds {
		parts = append(parts, k.words(n, p.perEpoch))
	}
	words := "with " + strings.Join(parts, " and ")
	if p.unseen {
		words += "; " + UnseenEnds
	}
	return words
}

func (p Pauses) without() string {
	if p.watched == 0 || p.basis != estimate.Measured {
		return "" // published runs tell of no pauses, predictions were not observed
	}
	switch whole := math.Floor(p.known/p.perEpoch + 1e-9); {
	case p.inSteps:
		return fmt.Sprintf("without checkpoints: none was seen in the first %.0f steps", p.watched)
	case p.unseen:
		return UnseenEnds
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
	name := cmp.Or(plaintext.Cut(plaintext.Clean(k.kind), 40), "pause")
	count, low, high := k.count(n, perEpoch)
	files := float64(k.together)
	if positions := float64(len(k.at)); count == positions {
		files = float64(k.seen) / positions // none is to come
	}
	written := math.Round(count) * files
	if written != 1 {
		name += "s"
	}
	each := quantity.Duration(k.each.Value / files)
	if most, _, _ := k.regular(n, perEpoch); k.kind == ofBest && math.Round(most) > low {
		return fmt.Sprintf("%.0f to %.0f %s of %s", low*files, math.Round(most)*files, name, each)
	}
	text := fmt.Sprintf("%.0f %s of %s", written, name, each)
	if low < count || high > count+1 {
		text = fmt.Sprintf("about %s, by the %d seen", text, len(k.at)*k.together)
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
	if p.hasInit = r.InitS != nil; p.hasInit {
		p.init = *r.InitS
	}
	for _, x := range r.Pauses {
		p.others = append(p.others, span{x.AtS, x.Seconds})
	}
	for _, v := range r.Validations {
		if v.AtS != nil {
			p.others = append(p.others, span{*v.AtS, v.Seconds})
		}
	}
	p.others = cumulated(p.others)
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

// otherwise is the seconds that pauses and validations had taken by a time, within one of them, too:
// an epoch's beginning is computed from its first iteration, and can lie before the end of what
// came between.
func (p positions) otherwise(t float64) float64 {
	i := sort.Search(len(p.others), func(i int) bool { return p.others[i].end > t })
	ended := 0.0
	if i > 0 {
		ended = p.others[i-1].sum
	}
	if i == len(p.others) {
		return ended
	}
	next := p.others[i].sum - ended // seconds of the one that ends next
	return ended + math.Max(0, next-(p.others[i].end-t))
}
