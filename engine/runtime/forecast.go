package runtime

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// How much a course says about another run, between 0 and 1. The seconds of an
// epoch and the number of epochs count by the ratio of the smaller to the
// larger: what happens between epochs weighs less the longer they are.
const (
	otherVariant  = 0.2 // another variant of the model
	otherSchedule = 0.2 // evaluations beside the training here, between epochs there, or the reverse
)

// What corrections are worth before any course was seen, in the units of
// [course]: their spread between systems, to which one course is added.
const (
	bodySpread = 0.02
	lastSpread = 0.1
	openSpread = 1.0 // of last where evaluations run beside the training: by then a later epoch has begun or has not
	doubt      = 0.3 // courses of no correction
)

// evenWithin is the most by which epochs of equal work differ, as a logarithm;
// doubled is how many times longer the first may be for its start-up.
var (
	evenWithin = math.Log(1.1)
	doubled    = math.Log(2)
)

// question is a run to predict, as evidence sees it.
type question struct {
	model  int // -1 where no course is of it
	series Series
	hidden bool // its series is not to be used
	pace   pace
	epochs float64 // in all
	left   float64 // after the known ones
}

// weigh fills weights with what each course says about the run; those of other
// models say nothing about how it goes on.
func (e *evidence) weigh(q question, weights []float64) {
	for i := range e.courses {
		c := &e.courses[i]
		w := likeness(c.perEpoch, q.pace.perEpoch)
		if c.model == q.model {
			w *= likeness(c.epochs, q.epochs)
			if c.series.Variant != q.series.Variant {
				w *= otherVariant
			}
		}
		if c.beside != q.pace.beside {
			w *= otherSchedule
		}
		if q.hidden && c.series == q.series {
			w = 0
		}
		weights[i] = w
	}
}

func likeness(a, b float64) float64 { return math.Min(a/b, b/a) }

// rest predicts the seconds after the known epochs.
func (e *evidence) rest(q question, weights []float64) float64 {
	if q.left < 1 {
		return q.pace.perEpoch * math.Max(0, q.left)
	}
	body, last := 0.0, 0.0
	if q.model >= 0 {
		from, to := e.first[q.model], e.first[q.model+1]
		spread := lastSpread
		if q.pace.beside {
			spread = openSpread
		}
		last = correction(e.byLast[from:to], weights, spread, func(i int) float64 { return e.courses[i].last })
		body = e.body(q, weights, from, to)
	}
	each := math.Exp(body)
	return q.pace.perEpoch * math.Max(0.01, (q.left-1)*each+math.Max(0, each+last))
}

// body is the correction of the epochs between the known ones and the last.
func (e *evidence) body(q question, weights []float64, from, to int) float64 {
	order := make([]int, to-from)
	for i := range order {
		order[i] = from + i
	}
	if !e.uneven[q.model] {
		return correction(order, weights, bodySpread, func(i int) float64 { return e.courses[i].body })
	}
	bodies := make([]float64, to-from)
	for i := range bodies {
		bodies[i] = e.courses[from+i].bodyOf(q.left - 1)
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(bodies[i-from], bodies[j-from]) })
	return correction(order, weights, bodySpread, func(i int) float64 { return bodies[i-from] })
}

// correction is the weighted median of what courses say, in the order of their
// values, shrunk towards none by how few they are and how little they agree:
// by median²/(median² + its variance), as empirical Bayes does.
func correction(order []int, weights []float64, spread float64, value func(i int) float64) float64 {
	sum := 0.0
	for _, i := range order {
		sum += weights[i]
	}
	if sum < 1e-6 {
		return 0
	}
	m := weightedQuantile(order, weights, sum/2, value)
	// The interquartile range of a normal distribution is 1.349 σ.
	s := (weightedQuantile(order, weights, 0.75*sum, value) - weightedQuantile(order, weights, 0.25*sum, value)) / 1.349
	variance := (sum*s*s + spread*spread) / (sum + 1) / sum
	if m == 0 {
		return 0
	}
	return m * m * m / (m*m + variance) * sum / (sum + doubt)
}

// weightedQuantile is the value below which lies the weight rank, each value
// standing in the middle of its own weight.
func weightedQuantile(order []int, weights []float64, rank float64, value func(i int) float64) float64 {
	below, before, at := 0.0, 0.0, math.Inf(-1)
	for _, i := range order {
		w := weights[i]
		if w == 0 {
			continue
		}
		here := below + w/2
		if here >= rank {
			v := value(i)
			if math.IsInf(at, -1) {
				return v
			}
			return at + (v-at)*(rank-before)/(here-before)
		}
		below, before, at = below+w, here, value(i)
	}
	return at
}

// Forecast is the predicted total of a training run.
type Forecast struct {
	Total  estimate.Estimate // seconds from the run's start; unknown where nothing is
	Uneven bool              // its epochs are not equal work, or seem not to be
	Words  string            // on what it rests, or why it is unsure
}

// Predict is the total of a training run of so many epochs, told from its first
// ones. Of the run its model, variant and VM type are used, and nothing that
// happened after its epoch known.
func (t *Totals) Predict(run profile.Run, known int, epochs float64) Forecast {
	p, ok := FirstEpochs(run, known)
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
		weights = make([]float64, len(e.courses))
		e.weigh(q, weights)
	} else {
		e = &evidence{known: known}
	}
	f := Forecast{}
	rest := e.rest(q, weights)
	off := math.Max(e.off(q, weights), estimate.Z90*q.pace.scatter)
	off, f.Uneven, f.Words = e.evenness(q, weights, p, off)
	start := p.StartsS[known]
	f.Total = estimate.Estimate{Value: start + rest, Low: start + rest*math.Exp(-off), High: start + rest*math.Exp(off), Basis: run.Basis}
	return f
}

// seen is the evidence for that many known epochs, nil where there is none.
func (t *Totals) seen(known int) *evidence {
	for i := len(t.steps) - 1; i >= 0; i-- {
		if t.steps[i] <= known {
			return &t.evidence[i]
		}
	}
	return nil
}

// How far off predictions are, as |ln(real/predicted)| that 90 % stay below.
const (
	unseenOff  = 0.1   // nothing to judge by
	unseen     = 0.1   // what that counts for beside courses, in courses of the same model
	leastOff   = 0.002 // however well others were predicted
	othersMost = 1.5   // what all courses of other models count for, in courses of the same
)

// off is how far off the prediction may be: as predictions of other complete
// runs were that did not know their series.
func (e *evidence) off(q question, weights []float64) float64 {
	own, others := 0.0, 0.0
	for i := range e.courses {
		if e.courses[i].model == q.model {
			own += weights[i]
		} else {
			others += weights[i]
		}
	}
	share := 1.0
	if others > othersMost {
		share = othersMost / others
	}
	sum := own + others*share
	prior := unseenOff
	if e.known <= 1 {
		prior = math.Log(1 + OneOffRel) // start-up is in all that is known
	}
	if sum < 1e-6 {
		return prior
	}
	// The last fifth is too few runs to be read off; it is taken to lie as in a
	// normal distribution.
	const read, beyond = 0.8, estimate.Z90 / 1.2816
	below, before, size := 0.0, 0.0, 0.0
	for _, r := range e.residuals {
		w := weights[r.course] * r.weight
		if e.courses[r.course].model != q.model {
			w *= share
		}
		if w == 0 {
			continue
		}
		if here := below + w/2; here < read*sum {
			below, before, size = below+w, here, r.size
		} else {
			size += (r.size - size) * (read*sum - before) / (here - before)
			break
		}
	}
	return (sum*math.Max(leastOff, beyond*size) + unseen*prior) / (sum + unseen)
}

// comparable is the weight from which a course is like the run.
const comparable = 0.1

// startsLike reports whether a comparable run of the model had a first epoch
// that was longer than its second by something like as much.
func (e *evidence) startsLike(q question, weights []float64, apart float64) bool {
	if q.model < 0 {
		return false
	}
	for i := e.first[q.model]; i < e.first[q.model+1]; i++ {
		if weights[i] >= comparable && e.courses[i].startup > apart/2 {
			return true
		}
	}
	return false
}

// evenness widens the interval where epochs are not, or do not seem to be,
// equal work.
func (e *evidence) evenness(q question, weights []float64, p Progress, off float64) (wider float64, uneven bool, words string) {
	if q.pace.apart > evenWithin {
		return math.Max(off, q.pace.apart), true, fmt.Sprintf("its epochs differ by %.0f %% so far", 100*math.Expm1(q.pace.apart))
	}
	if q.model >= 0 && e.uneven[q.model] {
		return off, true, "the epochs of other runs of this model are not equal work"
	}
	if d := p.durations(); len(d) == 2 {
		if apart := math.Log(d[0] / d[1]); (apart > doubled && !e.startsLike(q, weights, apart)) || apart < -evenWithin {
			return math.Max(off, math.Abs(apart)), true, fmt.Sprintf("its second epoch took %.2g times as long as the first", d[1]/d[0])
		}
	}
	n := 0
	if q.model >= 0 {
		n = e.first[q.model+1] - e.first[q.model]
	}
	if n == 0 {
		return off, false, fmt.Sprintf("first %d epochs, no complete run of this model elsewhere", p.Known())
	}
	return off, false, fmt.Sprintf("first %d epochs, and how %d other series of this model went on", p.Known(), n)
}
