package wording

import (
	"fmt"
	"slices"

	"sweetspot/engine/candidate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
)

// Lacking is what the model's trainings don't show that the question needs, and how to
// make them show it; "" for nothing. It asks for no other flag that would fail as well.
func Lacking(set *profile.Set, q question.Query) string {
	if q.TargetLoss != nil && q.Tuning != nil {
		return lackingLoss(set, q)
	}
	if q.Mode != profile.Train || q.Tuning != nil {
		return ""
	}
	some := func(is func(profile.Run) bool) bool {
		return slices.ContainsFunc(set.Runs, func(r profile.Run) bool {
			return r.Model == q.Model && r.Mode == profile.Train && is(r)
		})
	}
	const train = "; let one train on: sweetspot probe --keep-running -- COMMAND"
	hasEpochs := some(func(r profile.Run) bool {
		return r.Steady.Known() && r.IterationsPerEpoch != nil || len(r.EpochStartsS) > 1
	})
	otherwise := ""
	if hasEpochs {
		otherwise = "; or rank with --epochs N"
	}
	best, reached := bestReached(set, q)
	switch {
	case q.TargetAccuracy != nil && !some(func(r profile.Run) bool { return r.HasAccuracies() }):
		return fmt.Sprintf("no training of %s has shown an accuracy%s, which reads what is printed after a validation "+
			"(--accuracy-pattern reads other forms)%s", q.Model, train, otherwise)
	case reached:
		return fmt.Sprintf("no training of %s reached %s, the best came to %s; ask for less%s", q.Model,
			quantity.Percent(*q.TargetAccuracy), quantity.Percent(best), otherwise)
	case hasEpochs && q.Epochs == nil && q.TargetAccuracy == nil &&
		!some(func(r profile.Run) bool { return r.Epochs != nil }):
		return fmt.Sprintf("no run of %s says how many epochs it takes; ask sweetspot rank --epochs N", q.Model)
	case !hasEpochs && !some(func(r profile.Run) bool { return r.TotalS != nil }):
		return fmt.Sprintf("no training of %s shows how many iterations an epoch has, so none has a total%s, past the "+
			"end of an epoch", q.Model, train)
	}
	return ""
}

// lackingLoss says that no training reached the loss that is asked for; "" where one did.
func lackingLoss(set *profile.Set, q question.Query) string {
	seen := candidate.Losses(set, q.Workload)
	model, way := plaintext.Clean(q.Model), q.Tuning.Method
	switch {
	case len(seen) == 0:
		return fmt.Sprintf("no training of %s by %s has shown a validation loss; let one train on: sweetspot probe "+
			"--keep-running -- COMMAND, or rank with --units", model, way)
	case seen[0] > *q.TargetLoss:
		return fmt.Sprintf("no training of %s by %s reached a loss of %g, the lowest is %.4g; ask for more, or rank with "+
			"--units", model, way, *q.TargetLoss, seen[0])
	case len(seen) == 1:
		return fmt.Sprintf("trainings of %s by %s are known to a loss of %g alone; ask for that, or rank with --units", model,
			way, seen[0])
	}
	return ""
}

// bestReached is the best validation of the model's trainings where a target is
// asked for that none of them reached; ok is false otherwise.
func bestReached(set *profile.Set, q question.Query) (best float64, ok bool) {
	if q.TargetAccuracy == nil {
		return 0, false
	}
	better := func(v float64, higher bool) bool { return !ok || higher && v > best || !higher && v < best }
	short := true
	for _, r := range set.Runs {
		if r.Model != q.Model || r.Mode != profile.Train {
			continue
		}
		for _, v := range r.Validations {
			if v.Value != nil && !profile.IsLoss(v.Metric) && better(*v.Value, v.HigherIsBetter) {
				best, ok = *v.Value, true
				short = v.HigherIsBetter == (best < *q.TargetAccuracy)
			}
		}
	}
	return best, ok && short
}
