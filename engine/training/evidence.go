package training

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/estimate"
)

// evidence is what complete runs show, given a number of known epochs.
type evidence struct {
	known     int
	models    map[string]int
	histories []history // by model, then by body
	first     []int     // index of each model's first history, and the end
	byLast    []int     // indices of the histories by model, then by last
	uneven    []bool    // by model: its epochs are not equal work
	residuals []residual
}

// residual is the error of a prediction for a complete run with its own series
// left out.
type residual struct {
	history int
	size    float64 // |ln(real/predicted)| of the time after the known epochs
	weight  float64 // all runs of a series weigh 1 together
}

// How similar a history is to another run, in [0,1]: the product of these and the
// ratios of the smaller to the larger of their seconds of an epoch and of their
// numbers of epochs. A smaller factor lets fewer histories correct a prediction.
const (
	otherVariant  = 0.2 // another variant of the model
	otherSchedule = 0.2 // evaluations concurrent with the training in one, between epochs in the other
)

// Priors of the corrections, in the units of history: their standard deviations
// between systems, which count as one history. Greater ones shrink corrections by
// few histories more.
const (
	bodySpread       = 0.02
	lastSpread       = 0.1
	concurrentSpread = 1.0 // of last with concurrent evaluations, at whose end a later epoch may have begun
	shrinkage        = 0.3 // histories without a correction, as which the prior counts
)

// question is a run to predict.
type question struct {
	model  int // -1 where no history is of it
	series Series
	hidden bool // its series is left out
	pace   pace
	epochs float64 // in all
	left   float64 // after the known ones
}

// weigh fills weights with the similarity of each history to the run. Those of
// other models tell the size of errors only, not how the run goes on.
func (e *evidence) weigh(q question, weights []float64) {
	for i := range e.histories {
		c := &e.histories[i]
		w := similarity(c.perEpoch, q.pace.perEpoch)
		if c.model == q.model {
			w *= similarity(c.epochs, q.epochs)
			if c.series.Variant != q.series.Variant {
				w *= otherVariant
			}
		}
		if c.concurrent != q.pace.concurrent {
			w *= otherSchedule
		}
		if q.hidden && c.series == q.series {
			w = 0
		}
		weights[i] = w
	}
}

func similarity(a, b float64) float64 { return math.Min(a/b, b/a) }

// rest predicts the seconds after the known epochs.
func (e *evidence) rest(q question, weights []float64) float64 {
	if q.left < 1 {
		return q.pace.perEpoch * math.Max(0, q.left)
	}
	body, last := 0.0, 0.0
	if q.model >= 0 {
		from, to := e.first[q.model], e.first[q.model+1]
		spread := lastSpread
		if q.pace.concurrent {
			spread = concurrentSpread
		}
		last = correction(e.byLast[from:to], weights, spread, func(i int) float64 { return e.histories[i].last })
		body = e.body(q, weights, from, to)
	}
	each := math.Exp(body)
	return q.pace.perEpoch * math.Max(0.01, (q.left-1)*each+math.Max(0, each+last))
}

// body is the correction, ln(real/predicted), of the epochs between the known ones
// and the last.
func (e *evidence) body(q question, weights []float64, from, to int) float64 {
	order := make([]int, to-from)
	for i := range order {
		order[i] = from + i
	}
	if !e.uneven[q.model] {
		return correction(order, weights, bodySpread, func(i int) float64 { return e.histories[i].body })
	}
	bodies := make([]float64, to-from)
	for i := range bodies {
		bodies[i] = e.histories[from+i].laterEpochsOf(q.left - 1)
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(bodies[i-from], bodies[j-from]) })
	return correction(order, weights, bodySpread, func(i int) float64 { return bodies[i-from] })
}

// correction is the weighted median of the histories' values, which order sorts,
// shrunk towards 0 where they are few or disagree: by
// median²/(median² + its variance), as in empirical Bayes.
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
	quantile := func(p float64) float64 { return weightedQuantile(order, weights, p*sum, value) }
	s := (quantile(0.75) - quantile(0.25)) / 1.349
	variance := (sum*s*s + spread*spread) / (sum + 1) / sum
	if m == 0 {
		return 0
	}
	return m * m * m / (m*m + variance) * sum / (sum + shrinkage)
}

// weightedQuantile is the value below which the weights sum to rank, each value
// being at the middle of its own weight.
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

// arrange sorts the histories for weighted medians.
func (e *evidence) arrange() {
	e.byLast = make([]int, len(e.histories))
	for i := range e.histories {
		e.byLast[i] = i
	}
	slices.SortStableFunc(e.byLast, func(i, j int) int {
		a, b := &e.histories[i], &e.histories[j]
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.last, b.last))
	})
	e.first, e.uneven = make([]int, len(e.models)+1), make([]bool, len(e.models))
	for m := range e.uneven {
		e.first[m+1] = e.first[m]
		var uneven []float64
		for e.first[m+1] < len(e.histories) && e.histories[e.first[m+1]].model == m {
			uneven = append(uneven, e.histories[e.first[m+1]].uneven)
			e.first[m+1]++
		}
		e.uneven[m] = estimate.Median(uneven) > maxEqualDifference
	}
}

// test predicts every complete run with its own series left out, for the
// distribution of the errors.
func (e *evidence) test() {
	weights := make([]float64, len(e.histories))
	for i := range e.histories {
		c := &e.histories[i]
		for _, r := range c.runs {
			q := question{model: c.model, series: c.series, hidden: true, pace: r.pace, epochs: r.epochs}
			q.left = r.epochs - float64(e.known)
			e.weigh(q, weights)
			rest := e.rest(q, weights)
			e.residuals = append(e.residuals, residual{i, math.Abs(math.Log(r.rest / rest)), 1 / float64(len(c.runs))})
		}
	}
	slices.SortFunc(e.residuals, func(a, b residual) int { return cmp.Compare(a.size, b.size) })
}

// How far off predictions are, as the 90th percentile of |ln(real/predicted)|.
// priorError and priorWeight decide where few histories are known; a greater weight
// keeps the interval near the prior for longer.
const (
	priorError      = 0.1   // without histories: most of the thesis' totals from epochs are closer, its worst is 29 % off
	priorWeight     = 0.15  // of priorError, in histories of the same model
	minError        = 0.002 // however well others were predicted: clocks and logs round
	maxOthersWeight = 1.5   // of all histories of other models together, in histories of the same model
)

// off is how far off the prediction may be, by the errors of predictions for other
// complete runs with their own series left out.
func (e *evidence) off(q question, weights []float64) float64 {
	own, others := 0.0, 0.0
	for i := range e.histories {
		if e.histories[i].model == q.model {
			own += weights[i]
		} else {
			others += weights[i]
		}
	}
	most, share := maxOthersWeight, 1.0
	if q.model < 0 {
		most = priorWeight // of a model never seen, others tell no more than the prior
	}
	if others > most {
		share = most / others
	}
	sum := own + others*share
	prior := priorError
	if e.known <= 1 {
		prior = math.Log(1 + oneOffRel) // the only known epoch includes the start-up
	}
	if sum < 1e-6 {
		return prior
	}
	// The 90th percentile is extrapolated from the 75th as in a normal distribution:
	// above it there are too few runs, and a single outlying series weighs too much.
	const read, beyond = 0.75, estimate.Z90 / 1.1503
	below, before, size := 0.0, 0.0, 0.0
	for _, r := range e.residuals {
		w := weights[r.history] * r.weight
		if e.histories[r.history].model != q.model {
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
	return (sum*math.Max(minError, beyond*size) + priorWeight*prior) / (sum + priorWeight)
}

// minSimilarity is the weight from which a history is comparable with the run.
const minSimilarity = 0.1

// startsLike reports whether a comparable run of the model had a first epoch that
// exceeded its second by at least half as much.
func (e *evidence) startsLike(q question, weights []float64, apart float64) bool {
	if q.model < 0 {
		return false
	}
	for i := e.first[q.model]; i < e.first[q.model+1]; i++ {
		if weights[i] >= minSimilarity && e.histories[i].startup > apart/2 {
			return true
		}
	}
	return false
}

// maxEqualDifference is the greatest |ln ratio| of the times of epochs of equal
// work; maxStartupRatio is how much longer, likewise, start-up makes the first, and
// maxSlowerSecond how much longer the second may be where the first had fewer steps
// or evaluations.
var (
	maxEqualDifference = math.Log(1.1)
	maxStartupRatio    = math.Log(3)
	maxSlowerSecond    = math.Log(1.2)
)
