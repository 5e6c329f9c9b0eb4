package training

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Totals predicts the total time of training runs from their first epochs, by how
// complete runs went on after theirs. It is safe for concurrent use.
type Totals struct {
	steps    []int // numbers of known epochs for which there is evidence, rising
	evidence []evidence
	unsteady Unsteadiness
}

// defaultSteps are the numbers of known epochs for which evidence is collected.
// Other numbers use that of the next lower one.
var defaultSteps = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}

// NewTotals collects evidence from the complete runs: those that are done, with a
// known total and known beginnings of epochs. Where only certain numbers of known
// epochs will be asked about, naming them as steps is faster.
func NewTotals(runs []profile.Run, steps ...int) *Totals {
	t := &Totals{unsteady: PublishedUnsteadiness}
	if len(steps) == 0 {
		steps = defaultSteps
	}
	for _, known := range slices.Sorted(slices.Values(steps)) {
		e := evidence{known: known, models: map[string]int{}}
		e.histories = historiesOf(runs, known, e.models)
		if len(e.histories) == 0 {
			continue
		}
		e.arrange()
		e.test()
		t.steps, t.evidence = append(t.steps, known), append(t.evidence, e)
	}
	return t
}

// With is t where unsteady trainings turned out otherwise than published.
func (t *Totals) With(u Unsteadiness) *Totals {
	return &Totals{steps: t.steps, evidence: t.evidence, unsteady: u}
}

// Forecast is the predicted total of a training run.
type Forecast struct {
	Total  estimate.Estimate // seconds from the run's start
	Steady estimate.Estimate // the same if the run goes on as it began
	Uneven bool              // its epochs are not, or seem not to be, equal work
	// Scheduled says that complete runs of the model tell how its epochs differ.
	Scheduled bool
	Alone     bool   // no comparable run tells whether its epochs stay equal work
	Words     string // what it rests on, or why it is unsure
}

// Predict predicts the total of a training run of a number of epochs from its first
// known ones. It uses the run's model, variant and VM type, and nothing that
// happened after the known epochs.
func (t *Totals) Predict(run profile.Run, known int, epochs float64) Forecast {
	p, ok := firstEpochs(run, known)
	if !ok || run.Mode != profile.Train || !(epochs >= float64(known)) || math.IsInf(epochs, 0) {
		return Forecast{}
	}
	q := question{model: -1, series: SeriesOf(run), pace: p.pace(epochs), epochs: epochs, left: epochs - float64(known)}
	e := t.seen(known)
	var weights []float64
	if e != nil {
		if m, seen := e.models[run.Model]; seen {
			q.model = m
		}
		weights = make([]float64, len(e.histories))
		e.weigh(q, weights)
	} else {
		e = &evidence{known: known}
	}
	f := Forecast{}
	rest := e.rest(q, weights)
	off := e.off(q, weights)
	least, chance := e.evenness(q, weights, p, &f)
	if !f.Uneven { // nothing marks it: it is as likely to be of an unsteady kind as those that begin alike
		chance *= t.unsteady.share(q.pace)
	}
	longer := max(off, least, estimate.Z90*q.pace.scatter)
	shorter := max(longer, e.spill(q, weights), e.earlier(q, weights, rest))
	between := func(shorter, longer float64) estimate.Estimate {
		start := p.StartsS[known]
		return estimate.Estimate{
			Value: start + rest, Low: start + rest*math.Exp(-shorter), High: start + rest*math.Exp(longer), Basis: run.Basis,
		}
	}
	f.Steady = between(shorter, longer)
	f.Total = between(t.unsteady.Faster.reach(shorter, chance), t.unsteady.Slower.reach(longer, chance))
	return f
}

// seen is the evidence for a number of known epochs, nil where there is none.
func (t *Totals) seen(known int) *evidence {
	for i := len(t.steps) - 1; i >= 0; i-- {
		if t.steps[i] <= known {
			return &t.evidence[i]
		}
	}
	return nil
}

// Progress is the beginning of a training run: its first epochs and the
// evaluations among them. Times are in seconds from the run's start.
type Progress struct {
	StartsS    []float64 // when each known epoch began and, last, when the last of them ended
	EvaluatedS []float64 // when evaluations ended, up to then
}

// boundary is the fraction of an epoch by which a time may be off its ends: logs
// round, and record an evaluation a moment before or after the epoch.
const boundary = 1.0 / 20

// firstEpochs is the progress of a run after a number of its epochs; ok is false
// where the run has no more than them.
func firstEpochs(r profile.Run, known int) (p Progress, ok bool) {
	if known < 1 || len(r.EpochStartsS) <= known || !rising(r.EpochStartsS) {
		return Progress{}, false
	}
	p.StartsS = slices.Clone(r.EpochStartsS[:known+1])
	last := p.StartsS[known] - p.StartsS[known-1]
	for _, v := range r.Validations {
		if v.AtS != nil && *v.AtS <= p.StartsS[known]+boundary*last {
			p.EvaluatedS = append(p.EvaluatedS, *v.AtS)
		}
	}
	return p, true
}

func rising(x []float64) bool {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 || (i > 0 && v <= x[i-1]) {
			return false
		}
	}
	return true
}

// Known is the number of known epochs.
func (p Progress) Known() int { return max(0, len(p.StartsS)-1) }

func (p Progress) durations() []float64 {
	d := make([]float64, p.Known())
	for i := range d {
		d[i] = p.StartsS[i+1] - p.StartsS[i]
	}
	return d
}

// evaluations says which known epochs ended with an evaluation, and whether
// evaluations end in the middle of epochs: they then run concurrently with the
// training, and the run ends with one after later epochs have begun.
func (p Progress) evaluations() (at []bool, concurrent bool) {
	at = make([]bool, p.Known())
	for _, t := range p.EvaluatedS {
		i, exact := slices.BinarySearch(p.StartsS, t)
		if !exact {
			i--
		}
		if i >= p.Known() {
			at[i-1] = true
			continue
		}
		if i < 0 {
			continue // before the training, to see that it works
		}
		switch position := (t - p.StartsS[i]) / (p.StartsS[i+1] - p.StartsS[i]); {
		case position > 1-boundary:
			at[i] = true
		case position >= boundary:
			concurrent = true
		case i > 0:
			at[i-1] = true
		}
	}
	return at, concurrent
}

// complete is the total seconds and the epochs of a run that was measured to its
// end; ok is false for others.
func complete(r profile.Run) (total float64, epochs int, ok bool) {
	n := len(r.EpochStartsS)
	if r.Mode != profile.Train || r.Status != profile.Done || r.TotalS == nil || n == 0 || !rising(r.EpochStartsS) {
		return 0, 0, false
	}
	if r.Epochs != nil && *r.Epochs != float64(n) {
		return 0, 0, false
	}
	return *r.TotalS, n, *r.TotalS > r.EpochStartsS[0] && !math.IsInf(*r.TotalS, 0)
}

// Series identifies a run and its repeats: the VMs and the variant.
type Series struct {
	VM      profile.VMKey
	Count   int // of such VMs
	Variant string
}

// SeriesOf is the series of a run.
func SeriesOf(r profile.Run) Series {
	return Series{VM: r.VM(), Count: max(r.Count, 1), Variant: r.Variant.Name + "\x00" + r.Variant.Precision}
}

// IsComplete reports whether a run was measured to its end, epoch by epoch.
func IsComplete(r profile.Run) bool {
	_, _, ok := complete(r)
	return ok
}

// pace is how a run goes on, judged by its own first epochs alone.
type pace struct {
	perEpoch   float64 // seconds of a later epoch, with its share of evaluations
	concurrent bool    // evaluations run concurrently with the training
	scatter    float64 // standard error of ln(perEpoch), 0 where it is from one epoch
	startup    float64 // ln(first epoch / second), 0 where there is no second
	apart      float64 // ln(longest / shortest) of the epochs that should be equal
}

// maxChanceRatio is the greatest ln(second epoch / first epoch) that is put down
// to chance, and averaged out: start-up can only lengthen the first.
const maxChanceRatio = 0.03

// pace separates the terms of the known epochs: start-up stays in the first one,
// evaluations are taken out of the epochs that end with one and added again at the
// rate at which they will come.
func (p Progress) pace(epochs float64) pace {
	d := p.durations()
	evaluated, concurrent := p.evaluations()
	if len(d) == 1 {
		return pace{perEpoch: d[0], concurrent: concurrent}
	}
	alike, others := alikeEpochs(d, evaluated)
	g := pace{perEpoch: estimate.Median(alike), concurrent: concurrent,
		apart: math.Log(slices.Max(alike) / slices.Min(alike))}
	first := d[0] / d[1]
	g.startup = math.Log(first)
	if len(d) == 2 && first < 1 && first > math.Exp(-maxChanceRatio) && evaluated[0] == evaluated[1] {
		g.perEpoch = math.Sqrt(d[0] * d[1])
	}
	if len(alike) > 1 {
		logs := make([]float64, len(alike))
		for i, x := range alike {
			logs[i] = math.Log(x)
		}
		g.scatter = stat.StdDev(logs, nil) / math.Sqrt(float64(len(alike)))
	}
	if len(others) > 0 {
		extra := math.Max(0, stat.Mean(others, nil)-g.perEpoch)
		g.perEpoch += extra * evaluationsPerEpoch(evaluated, epochs)
	}
	return g
}

// alikeEpochs splits the epochs after the first into those without and those with
// an evaluation. Where each has one they are all alike.
func alikeEpochs(d []float64, evaluated []bool) (alike, others []float64) {
	for i := 1; i < len(d); i++ {
		if evaluated[i] {
			others = append(others, d[i])
		} else {
			alike = append(alike, d[i])
		}
	}
	if len(alike) == 0 {
		return others, nil
	}
	return alike, others
}

// evaluationsPerEpoch is the fraction of the later epochs that end with an
// evaluation, by the mean gap so far; after a single one, by its position. The
// last epoch ends with one.
func evaluationsPerEpoch(evaluated []bool, epochs float64) float64 {
	first, last, n := -1, -1, 0
	for i, at := range evaluated {
		if at {
			if first < 0 {
				first = i
			}
			last, n = i, n+1
		}
	}
	left := epochs - float64(len(evaluated))
	if n == 0 || left < 1 {
		return 0
	}
	gap := float64(first + 1)
	if n > 1 {
		gap = float64(last-first) / float64(n-1)
	}
	return math.Max(1, math.Round(left/gap)) / left
}
