package validate

import (
	"fmt"
	"math"

	"sweetspot/engine/profile"
	"sweetspot/engine/runtime"
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
func total(name string, known int, slow bool) Question {
	asks := fmt.Sprintf("total of a training run from its first %d epochs (at least %d, of %d s or more)", known, totalEpochs, totalSeconds)
	if !slow {
		asks = fmt.Sprintf("total of a training run from its first %d epochs (at least %d, of less than %d s)", known, totalEpochs, totalSeconds)
	}
	return Question{Name: name, Asks: asks, Cases: func(set *profile.Set) []Case { return totals(set.Runs, known, slow) }}
}

func totals(runs []profile.Run, known int, slow bool) []Case {
	var cases []Case
	before := map[runtime.Series]*runtime.Totals{}
	for _, r := range runs {
		n := len(r.EpochStartsS)
		if !runtime.IsComplete(r) || n < totalEpochs || (epochSeconds(r) >= totalSeconds) != slow {
			continue
		}
		s := runtime.SeriesOf(r)
		if before[s] == nil {
			before[s] = runtime.NewTotals(without(runs, s), known)
		}
		cases = append(cases, Case{
			Of:        fmt.Sprintf("%s %s on %s %s", r.Model, r.Variant.Name, r.Cloud, r.InstanceType),
			Group:     r.InstanceType,
			Truth:     *r.TotalS,
			Predicted: before[s].Predict(r, known, float64(n)).Total,
			Plain:     methodOne(r, known),
		})
	}
	return cases
}

// epochSeconds is the mean time from one epoch's beginning to the next one's.
func epochSeconds(r profile.Run) float64 {
	n := len(r.EpochStartsS)
	return (r.EpochStartsS[n-1] - r.EpochStartsS[0]) / float64(n-1)
}

func without(runs []profile.Run, s runtime.Series) []profile.Run {
	var rest []profile.Run
	for _, r := range runs {
		if runtime.SeriesOf(r) != s {
			rest = append(rest, r)
		}
	}
	return rest
}

// methodOne is the plain method 1: the second epoch stands for all later ones.
func methodOne(r profile.Run, known int) float64 {
	if known < 2 {
		return math.NaN()
	}
	at := r.EpochStartsS
	return runtime.Method1(runtime.Epochs{Init: at[0], First: at[1] - at[0], Second: at[2] - at[1]}, float64(len(at)))
}
