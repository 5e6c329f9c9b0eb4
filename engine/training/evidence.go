package training

import (
	"cmp"
	"math"
	"slices"
)

// evidence is what complete runs say, seen from the end of one of their epochs.
type evidence struct {
	known     int
	models    map[string]int
	courses   []course // by model, then by body
	first     []int    // of each model, and the end: places in courses
	byLast    []int    // as courses, but each model's ordered by last
	uneven    []bool   // of each model: its epochs are not equal work
	residuals []residual
}

// residual is how far a prediction for a complete run was off that was made
// without its series.
type residual struct {
	course int
	size   float64 // |ln(real/predicted)| of the time after the known epochs
	weight float64 // runs of a series weigh 1 together
}

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

// arrange orders the courses for weighted medians.
func (e *evidence) arrange() {
	e.byLast = make([]int, len(e.courses))
	for i := range e.courses {
		e.byLast[i] = i
	}
	slices.SortStableFunc(e.byLast, func(i, j int) int {
		a, b := &e.courses[i], &e.courses[j]
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.last, b.last))
	})
	e.first, e.uneven = make([]int, len(e.models)+1), make([]bool, len(e.models))
	for m := range e.uneven {
		e.first[m+1] = e.first[m]
		var uneven []float64
		for e.first[m+1] < len(e.courses) && e.courses[e.first[m+1]].model == m {
			uneven = append(uneven, e.courses[e.first[m+1]].uneven)
			e.first[m+1]++
		}
		e.uneven[m] = middle(uneven) > evenWithin
	}
}

// test predicts every complete run without its own series, to see how far off
// such predictions are.
func (e *evidence) test() {
	weights := make([]float64, len(e.courses))
	for i := range e.courses {
		c := &e.courses[i]
		for _, r := range c.runs {
			q := question{model: c.model, series: c.series, hidden: true, pace: r.pace, epochs: r.epochs, left: r.epochs - float64(e.known)}
			e.weigh(q, weights)
			rest := e.rest(q, weights)
			e.residuals = append(e.residuals, residual{i, math.Abs(math.Log(r.rest / rest)), 1 / float64(len(c.runs))})
		}
	}
	slices.SortFunc(e.residuals, func(a, b residual) int { return cmp.Compare(a.size, b.size) })
}
