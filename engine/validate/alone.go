package validate

import (
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

// Alone asks for the total of every complete training run from its first two epochs
// with no other run known: first of the runs that these predict to 15 %, then of the
// others. Where fit is true, how unsteady trainings turn out is fitted to those of
// the set that others submitted; else it is as published.
func Alone(fit bool) []Question {
	of := func(name, which string, unsteady bool) Question {
		return Question{
			Name: name, Asks: fmt.Sprintf("total from two epochs, no other run known, which are %s", which),
			jobs: once(func(set *profile.Set) []Case { return aloneCases(set.Runs, fit, unsteady) }),
		}
	}
	return []Question{of("alone", "steady", false), of("alone-uneven", "uneven: the baseline is over 15 % off", true)}
}

// unsteadyFrom is the relative error of the baseline from which a run is uneven.
const unsteadyFrom = 0.15

func aloneCases(runs []profile.Run, fit, unsteady bool) (out []Case) {
	fitted := map[string]*training.Totals{} // by who submitted the run that is asked about
	for _, r := range runs {
		if !training.IsComplete(r) || len(r.EpochStartsS) < totalEpochs {
			continue
		}
		plain := methodOne(r, 2)
		if (math.Abs(plain / *r.TotalS - 1) > unsteadyFrom) != unsteady {
			continue
		}
		if fitted[r.Cloud] == nil {
			fitted[r.Cloud] = training.NewTotals(nil, 2)
			if fit {
				others := slices.DeleteFunc(slices.Clone(runs), func(o profile.Run) bool { return o.Cloud == r.Cloud })
				fitted[r.Cloud] = fitted[r.Cloud].With(training.FitUnsteadiness(others))
			}
		}
		out = append(out, totalCases(fitted[r.Cloud], []profile.Run{r}, 2)...)
	}
	return out
}

// Later asks for totals from two epochs of the runs of which is true, with all
// others known: no repeats or earlier results of their own time.
func Later(name, asks string, which func(profile.Run) bool) Question {
	return Question{Name: name, Asks: asks, jobs: once(func(set *profile.Set) (out []Case) {
		known := slices.DeleteFunc(slices.Clone(set.Runs), which)
		if len(known) == 0 {
			return nil
		}
		before := training.NewTotals(known, 2)
		for _, r := range set.Runs {
			if which(r) && training.IsComplete(r) && len(r.EpochStartsS) >= totalEpochs && epochSeconds(r) >= totalSeconds {
				out = append(out, totalCases(before, []profile.Run{r}, 2)...)
			}
		}
		return out
	})}
}
