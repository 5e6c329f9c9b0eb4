package training

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/gonum/stat"

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
	p := Pauses{perEpoch: *r.IterationsPerEpoch, inSteps: r.Steps != nil, basis: r.Basis, watched: watched(r)}
	p.unseen = endsUnseen(r, p.watched)
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
	p.unseen = endsUnseen(r, p.watched)
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
		n = 1 + r.SteadyN
	}
	if r.WarmupIterations != nil {
		n += *r.WarmupIterations
	}
	if !rising(r.EpochStartsS) {
		return float64(n)
	}
	return math.Max(float64(n), float64(max(0, len(r.EpochStartsS)-1))**r.IterationsPerEpoch)
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
	switch whole := math.Floor(p.watched/p.perEpoch + 1e-9); {
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
	written := math.Round(count) * float64(k.together)
	if written != 1 {
		name += "s"
	}
	text := fmt.Sprintf("%.0f %s of %s", written, name, quantity.Duration(k.each.Value/float64(k.together)))
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

// occurrence is a pause: after how many iterations it came, and its seconds.
type occurrence struct {
	at, seconds float64
	counted     bool // the iterations were counted, not converted from times
}

// recurrence is how often pauses of one kind come. Those at one position are one:
// a model and its optimizer may be saved to two files.
type recurrence struct {
	kind       string
	byEpoch    bool              // positions are epochs, else iterations
	counted    bool              // iterations were counted, not converted from times
	at         []float64         // positions, rising
	together   int               // pauses at each position, if all have equally many; else 1
	each       estimate.Estimate // of all pauses at a position
	watched    float64           // up to this position all are known
	gap        float64           // between two
	regularity regularity
}

// regularity is what is known of the gaps.
type regularity uint8

const (
	once   regularity = iota // one was seen: the gap is a lower bound
	twice                    // two were seen, whose gap differs from the time to the first
	even                     // at least two equal gaps
	uneven                   // the gaps differ, and gap is their mean
)

func newRecurrence(kind string, occurrences []occurrence, watched, perEpoch float64) recurrence {
	k := recurrence{kind: kind, watched: watched, counted: true}
	slices.SortFunc(occurrences, func(a, b occurrence) int { return cmp.Compare(a.at, b.at) })
	if k.byEpoch = endEpochs(occurrences, perEpoch); k.byEpoch {
		k.watched = math.Floor(watched/perEpoch + 1e-9)
	}
	var seconds []float64
	var together []int
	for _, m := range occurrences {
		k.counted = k.counted && m.counted
		position := m.at
		if k.byEpoch {
			position = math.Round(m.at / perEpoch)
		}
		if n := len(k.at); n > 0 && position-k.at[n-1] < 0.5 {
			seconds[n-1] += m.seconds
			together[n-1]++
			continue
		}
		k.at, seconds, together = append(k.at, position), append(seconds, m.seconds), append(together, 1)
	}
	if k.together = 1; slices.Min(together) == slices.Max(together) {
		k.together = together[0]
	}
	k.each = eachOf(seconds)
	k.gap, k.regularity = k.gaps(perEpoch)
	return k
}

// endEpochs reports whether all occurrences are at ends of epochs, as far as these
// are known: an epoch may have 158.25 iterations.
func endEpochs(occurrences []occurrence, perEpoch float64) bool {
	return !slices.ContainsFunc(occurrences, func(m occurrence) bool {
		position, off := m.at/perEpoch, 0.5/perEpoch
		if perEpoch != math.Trunc(perEpoch) {
			off *= 2
		}
		if !m.counted {
			off = math.Max(off, boundary)
		}
		return math.Round(position) < 1 || math.Abs(position-math.Round(position)) > off
	})
}

// eachOf is the mean seconds of a pause. A prior of oneOffRel counts as one more
// in its interval.
func eachOf(seconds []float64) estimate.Estimate {
	n := float64(len(seconds))
	mean := stat.Mean(seconds, nil)
	prior := mean * oneOffRel / estimate.Z90
	sum := prior * prior
	for _, s := range seconds {
		sum += (s - mean) * (s - mean)
	}
	return estimate.Around(mean, estimate.Z90*math.Sqrt(sum)/n, estimate.Measured)
}

// gaps is the gap and its regularity, by the pauses seen and by how long none was.
func (k recurrence) gaps(perEpoch float64) (gap float64, r regularity) {
	first, last, n := k.at[0], k.at[len(k.at)-1], float64(len(k.at))
	if n == 1 {
		// It recurs no earlier than after the time it took to come, or was not seen to.
		return math.Max(1, math.Max(first, k.watched+1-last)), once
	}
	gap = (last - first) / (n - 1)
	off := 0.5
	if !k.byEpoch {
		off = math.Max(off, gap*boundary)
	}
	if !k.counted { // times near the end of an epoch were taken to be at its end
		off = math.Max(off, math.Min(2*boundary*perEpoch, gap/3))
	}
	for i := 1; i < len(k.at); i++ {
		if math.Abs(k.at[i]-k.at[i-1]-gap) > off {
			return math.Max(k.watched, last) / n, uneven
		}
	}
	switch {
	case k.watched-last > gap+off:
		return k.watched / n, uneven // they have stopped
	case n > 2 || math.Abs(first-gap) <= off:
		return gap, even
	}
	return gap, twice
}

// compilation is the kind of a pause in which the network was compiled. It does not
// recur: what comes later has the shapes that were compiled for.
const compilation = "compilation"

// count is how many come in n epochs, with its 90 % interval. One more may come at
// the end, where a training saves its result.
func (k recurrence) count(n, perEpoch float64) (count, low, high float64) {
	if seen := float64(len(k.at)); k.kind == compilation {
		return seen, seen, seen
	}
	end, off := n, boundary
	if !k.byEpoch {
		end, off = n*perEpoch, 0.5
	}
	if !k.byEpoch && !k.counted {
		off = math.Max(off, k.gap*boundary)
	}
	last := k.at[len(k.at)-1]
	if end <= math.Max(k.watched, last) {
		for _, at := range k.at {
			if at <= end+off {
				count++
			}
		}
		return count, count, count + 1
	}
	seen := float64(len(k.at))
	more := math.Floor((end - last + off) / k.gap)
	switch k.regularity {
	case once:
		return seen + more, seen, seen + 2*more + 1
	case twice:
		return seen + more, seen + more/2, seen + 1.5*more + 1
	case uneven:
		more = (end - math.Max(k.watched, last)) / k.gap
		half := estimate.Z90 * math.Sqrt(more+more*more/seen)
		return seen + more, seen + math.Max(0, more-half), seen + more + half + 1
	}
	// Where positions were converted from times, one of an epoch's last pauses may
	// have been taken to be at its end.
	blur := 0.0
	if !k.byEpoch && !k.counted {
		blur = more * math.Min(1, boundary*perEpoch/(last-k.at[0]))
	}
	return seen + more, seen + more - blur, seen + more + blur + 1
}

// over is the seconds of the pauses of n epochs.
func (k recurrence) over(n, perEpoch float64, basis estimate.Basis) estimate.Estimate {
	count, low, high := k.count(n, perEpoch)
	each := k.each
	v := count * each.Value
	return estimate.Estimate{
		Value: v,
		Low:   math.Max(0, v-math.Hypot(count*(each.Value-each.Low), (count-low)*each.Value)),
		High:  v + math.Hypot(count*(each.High-each.Value), (high-count)*each.Value),
		Basis: basis,
	}
}
