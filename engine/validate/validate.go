// Package validate back-tests the predictors on runs that are there already:
// each question hides what some runs measured, predicts it from the others, and
// compares.
package validate

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

// Case is one thing predicted without having seen it.
type Case struct {
	Of        string            // which, for people
	Group     string            // the model or system it is of: cases of one err alike
	Truth     float64           // as measured, above 0
	Predicted estimate.Estimate // in the same unit; unknown where there was no answer
	Flagged   bool              // it was said that the run may not go on as it began
	Plain     float64           // what the baseline, the studies' or the simplest method, predicts; NaN if nothing
}

// Error is the relative error of the prediction.
func (c Case) Error() float64 { return math.Abs(c.Predicted.Value/c.Truth - 1) }

// Question is one kind of prediction, asked of every run of a set that can
// answer it.
type Question struct {
	Name string // one word, as in flags and JSON
	Asks string // for people: "total of a training run from its first two epochs"
	jobs func(k *known) []job
}

// Questions are all there are, in the order they are shown. What is asked of
// iterations is asked of training and of inference apart: one is no test of the
// other.
func Questions() []Question {
	all := []Question{total("total", 2, true), total("total-short", 2, false)}
	for _, mode := range []profile.Mode{profile.Train, profile.Infer} {
		all = append(all,
			fromTwoBatches(mode), fromTwoBatchesAlone(mode), fromThreeBatches(mode),
			fromOneProbe(mode), neverProbed(mode), neverProbedFromOne(mode), neverSeen(mode))
	}
	return append(all, epochsToTarget, regretOfBatch, regretOfFewerSeeds)
}

// Cases asks every run of a set that can answer.
func (q Question) Cases(set *profile.Set) []Case { return do(q.jobs(&known{set: set})) }

// MostCases is how many cases of a question tell a share of 90 % to within 5 %.
const MostCases = 150

// Ask asks questions of a set, each of at most so many cases, which are drawn at random
// but the same every time; 0 is all.
func Ask(set *profile.Set, questions []Question, most int) []Summary {
	k, out := &known{set: set}, make([]Summary, len(questions))
	for i, q := range questions {
		jobs := q.jobs(k)
		some := jobs
		if most > 0 {
			some = sample(jobs, most)
		}
		out[i] = Summarise(do(some))
		out[i].Sampled = len(some) < len(jobs)
	}
	return out
}

// Summary is how well the cases of a question were predicted. All but N are NaN
// where nothing can be said. Errors and widths are fractions of the truth and
// of the prediction.
type Summary struct {
	N               int  // predictions compared
	Sampled         bool // they are some of those that could be
	Unanswered      int  // cases without a prediction
	Mean            float64
	Median          float64
	P90             float64
	Coverage        float64 // share of true values inside the 90 % interval, of those predictions that have one
	MedianHalfWidth float64
	Plain           float64 // mean error of the baseline on the same cases
	PlainMedian     float64
}

// Summarise compares.
func Summarise(cases []Case) Summary {
	s := Summary{}
	var errors, widths, plain []float64
	inside := 0
	for _, c := range cases {
		if !c.Predicted.Known() {
			s.Unanswered++
			continue
		}
		s.N++
		errors = append(errors, c.Error())
		if e := c.Predicted; e.High > e.Low {
			widths = append(widths, e.HalfWidth())
			if e.Low <= c.Truth && c.Truth <= e.High {
				inside++
			}
		}
		if !math.IsNaN(c.Plain) {
			plain = append(plain, math.Abs(c.Plain/c.Truth-1))
		}
	}
	s.Mean, s.Median, s.P90 = mean(errors), quantile(errors, 0.5), quantile(errors, 0.9)
	s.MedianHalfWidth = quantile(widths, 0.5)
	s.Plain, s.PlainMedian = mean(plain), quantile(plain, 0.5)
	s.Coverage = math.NaN()
	if len(widths) > 0 {
		s.Coverage = float64(inside) / float64(len(widths))
	}
	return s
}

func mean(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	return stat.Mean(x, nil)
}

func quantile(x []float64, p float64) float64 {
	return estimate.Quantile(slices.Sorted(slices.Values(x)), p)
}

// Runs whose total is asked for have at least this many epochs. Those whose
// epochs take less than so many seconds are a question of their own: start-up
// and evaluations are a larger part of them, and logs round more.
const (
	totalEpochs  = 6
	totalSeconds = 30
)

// total asks for the total of every complete training run from its first
// epochs. Nothing of its series is known: a new VM type or variant has no
// complete runs yet.
func total(name string, first int, slow bool) Question {
	asks := fmt.Sprintf("total of a training run from its first %d epochs (at least %d, of %d s or more)", first,
		totalEpochs, totalSeconds)
	if !slow {
		asks = fmt.Sprintf("total of a training run from its first %d epochs (at least %d, of less than %d s)", first,
			totalEpochs, totalSeconds)
	}
	return Question{Name: name, Asks: asks, jobs: func(k *known) []job { return totals(k.set.Runs, first, slow) }}
}

// repeats is how many runs of a series are asked about at once.
const repeats = 5

func totals(runs []profile.Run, first int, slow bool) []job {
	series := map[training.Series][]profile.Run{}
	var order []training.Series
	for _, r := range runs {
		if !training.IsComplete(r) || len(r.EpochStartsS) < totalEpochs || (epochSeconds(r) >= totalSeconds) != slow {
			continue
		}
		s := training.SeriesOf(r)
		if series[s] == nil {
			order = append(order, s)
		}
		series[s] = append(series[s], r)
	}
	var out []job
	for _, s := range order {
		before := sync.OnceValue(func() *training.Totals { return training.NewTotals(without(runs, s), first) })
		for some := range slices.Chunk(series[s], repeats) {
			out = append(out, job{len(some), func() []Case { return totalCases(before(), some, first) }})
		}
	}
	return out
}

func totalCases(before *training.Totals, runs []profile.Run, first int) []Case {
	cases := make([]Case, len(runs))
	for i, r := range runs {
		told := before.Predict(r, first, float64(len(r.EpochStartsS)))
		cases[i] = Case{
			Of:        fmt.Sprintf("%s %s on %s %s", r.Model, r.Variant.Name, r.Cloud, r.InstanceType),
			Group:     r.InstanceType,
			Truth:     *r.TotalS,
			Predicted: told.Total,
			Flagged:   told.Uneven,
			Plain:     methodOne(r, first),
		}
	}
	return cases
}

// epochSeconds is the mean time from one epoch's beginning to the next one's.
func epochSeconds(r profile.Run) float64 {
	n := len(r.EpochStartsS)
	return (r.EpochStartsS[n-1] - r.EpochStartsS[0]) / float64(n-1)
}

func without(runs []profile.Run, s training.Series) []profile.Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r profile.Run) bool { return training.SeriesOf(r) == s })
}

// methodOne is the baseline, method 1: the second epoch stands for all later ones.
func methodOne(r profile.Run, first int) float64 {
	if first < 2 {
		return math.NaN()
	}
	at := r.EpochStartsS
	return training.Method1(training.Epochs{Init: at[0], First: at[1] - at[0], Second: at[2] - at[1]}, float64(len(at)))
}
