package candidate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/tokens"
)

// ToLoss is how many tokens the training of a language model takes to the loss that is asked for.
type ToLoss struct {
	Tokens estimate.Estimate
	Why    string
}

// losses are what trainings of a language model tell of the tokens that a loss takes.
type losses struct {
	seen    []float64       // at evaluations, rising
	courses []tokens.Course // of those that reached what is asked for, in tokens, by rising batch
	basis   estimate.Basis
	words   string // whose trainings they are
}

// Losses are those that evaluations of a workload's model showed, in rising order: what can be asked for.
func Losses(set *profile.Set, w question.Workload) []float64 { return newLosses(set, w).seen }

// newLosses takes the user's own trainings by the same method, and what others published where none of them
// reached the loss.
func newLosses(set *profile.Set, w question.Workload) (l losses) {
	if w.Tuning == nil {
		return l
	}
	trained := 0
	for i := range set.Runs {
		r := &set.Runs[i]
		way, ok := question.TuningOf(r)
		if !ok || r.Mode != profile.Train || r.Model != w.Model || way.Method != w.Tuning.Method {
			continue
		}
		of, reached := l.course(r, w.TargetLoss)
		if of.Samples == nil {
			continue
		}
		if trained++; reached {
			l.courses = append(l.courses, of)
		}
	}
	l.basis = estimate.Measured
	l.words = fmt.Sprintf("%d of %s reached it", len(l.courses), quantity.Several(trained, "training"))
	if len(l.courses) == 0 {
		l.published(set, w)
	}
	slices.Sort(l.seen)
	l.seen = slices.Compact(l.seen)
	slices.SortStableFunc(l.courses, func(a, b tokens.Course) int { return cmp.Compare(a.Batch, b.Batch) })
	for i := 1; i < len(l.courses); i++ { // batches of tokens differ by chance
		if before := l.courses[i-1].Batch; l.courses[i].Batch < alike*before {
			l.courses[i].Batch = before
		}
	}
	return l
}

// alike are batches in tokens of which the larger one is less than so many times the smaller.
const alike = 1.2

// course is how a training came to the loss, if it did, by its evaluations, which are noted.
func (l *losses) course(r *profile.Run, target *float64) (c tokens.Course, reached bool) {
	if r.Tuning.TokensPerStep == nil {
		return c, false
	}
	perStep := *r.Tuning.TokensPerStep
	c.Batch = perStep
	for i := range r.Validations {
		v := &r.Validations[i]
		steps := 0.0
		switch {
		case v.Iterations != nil:
			steps = float64(*v.Iterations)
		case r.IterationsPerEpoch != nil:
			steps = float64(v.Epoch+1) * *r.IterationsPerEpoch
		}
		if v.Value == nil || !profile.IsLoss(v.Metric) || !(steps > 0) {
			continue
		}
		l.seen = append(l.seen, *v.Value)
		if n := len(c.Samples); !reached && (n == 0 || steps*perStep > c.Samples[n-1]) {
			c.Samples = append(c.Samples, steps*perStep)
			reached = target != nil && *v.Value <= *target
		}
	}
	return c, reached
}

// published adds what others published of just that loss: of another one they say nothing.
func (l *losses) published(set *profile.Set, w question.Workload) {
	runs, on := 0, ""
	for _, x := range set.Reached {
		if x.Method != w.Tuning.Method || !profile.SameLanguageModel(x.Model, w.Model) {
			continue
		}
		l.seen = append(l.seen, x.Loss)
		if w.TargetLoss == nil || *w.TargetLoss != x.Loss {
			continue
		}
		runs, on = runs+x.Runs, x.Dataset
		of := tokens.Course{Batch: float64(x.Batch * x.Sequence), Samples: []float64{float64(x.Samples * x.Sequence)}}
		l.courses = append(l.courses, slices.Repeat([]tokens.Course{of}, x.Runs)...)
	}
	if runs > 0 {
		l.basis = estimate.Published
		l.words = fmt.Sprintf("%s published trainings on %s reached it; other texts take other numbers",
			quantity.Count(float64(runs)), on)
	}
}

// betweenRuns is the standard deviation of ln(tokens) between trainings alike where few were seen: twice that
// of 779 of MLPerf's within a system and batch size, 0.067. That other work differs more is judged.
const betweenRuns = 2 * 0.067

// at is how many tokens nine of ten trainings take with a batch of so many tokens; unknown where none reached the
// loss. Another batch than was seen takes between as many tokens and as many steps (McCandlish et al. 2018, An
// empirical model of large-batch training); the value is halfway, in the logarithm: MLPerf's trainings with 8
// samples take 0.77 of the tokens of those with 16, and these 0.53 of those with 64.
func (l *losses) at(batch float64) ToLoss {
	n := len(l.courses)
	if n == 0 {
		return ToLoss{}
	}
	low, high := l.courses[0].Batch, l.courses[n-1].Batch
	e := tokens.ToTarget(l.courses, min(max(batch, low), high))
	if !e.Known() {
		return ToLoss{}
	}
	if n < tokens.Enough {
		factor := math.Exp(estimate.Z90 * betweenRuns * math.Sqrt(1+1/float64(n)))
		e.Low, e.High = min(e.Low, e.Value/factor), max(e.High, e.Value*factor)
	}
	switch more, less := batch/high, batch/low; {
	case more >= alike:
		e = estimate.Estimate{Value: e.Value * math.Sqrt(more), Low: e.Low, High: e.High * more, Basis: estimate.OtherBatch}
	case less <= 1/alike:
		e = estimate.Estimate{Value: e.Value * math.Sqrt(less), Low: e.Low * less, High: e.High, Basis: estimate.OtherBatch}
	case low == high:
		e.Basis = estimate.Measured
	}
	e.Basis = estimate.Weakest(e.Basis, l.basis)
	return ToLoss{e, fmt.Sprintf("%s; their batches had %s tokens", l.words, between(low, high))}
}

// between writes one number, or the two that others lie between.
func between(low, high float64) string {
	count := func(v float64) string { return quantity.Count(math.Round(v)) }
	return strings.Join(slices.Compact([]string{count(low), count(high)}), " to ")
}

// workOf is how many tokens the work of a training with a batch of so many tokens is, and what tells that; of a
// number that is asked for, that.
func (f *facts) workOf(batch float64) (work estimate.Estimate, to *ToLoss) {
	if f.work.TargetLoss == nil {
		return estimate.Exact(f.work.Units, estimate.Measured), nil
	}
	of := f.losses.at(batch)
	return of.Tokens, &of
}
