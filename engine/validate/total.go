package validate

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

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
		cases[i] = Case{
			Of:        fmt.Sprintf("%s %s on %s %s", r.Model, r.Variant.Name, r.Cloud, r.InstanceType),
			Group:     r.InstanceType,
			Truth:     *r.TotalS,
			Predicted: before.Predict(r, first, float64(len(r.EpochStartsS))).Total,
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
	var rest []profile.Run
	for _, r := range runs {
		if training.SeriesOf(r) != s {
			rest = append(rest, r)
		}
	}
	return rest
}

// methodOne is the plain method 1: the second epoch stands for all later ones.
func methodOne(r profile.Run, first int) float64 {
	if first < 2 {
		return math.NaN()
	}
	at := r.EpochStartsS
	return training.Method1(training.Epochs{Init: at[0], First: at[1] - at[0], Second: at[2] - at[1]}, float64(len(at)))
}
