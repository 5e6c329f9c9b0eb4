package validate

import (
	"fmt"
	"slices"

	"sweetspot/engine/curve"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// regretOfBatch: as above, and the time of an epoch is known of those three
// batch sizes on a machine. Following the recommended batch size, what does
// training to the target cost there, against the best? Truth is the cost with
// the best batch size and the prediction what the recommended one really costs,
// so the error is the regret. The plain method takes the batch size that is
// cheapest where the epochs rise linearly.
var regretOfBatch = Question{
	Name: "regret", Asks: "cost of training to a target with the recommended batch size, against the best",
	jobs: once(func(set *profile.Set) []Case { return regretCases(set, func(c course) course { return c }) }),
}

// regretOfFewerSeeds is the same where every third training with a batch size is
// not known, the first, the second and the third of three in turn: how much
// hangs on which seeds there were?
var regretOfFewerSeeds = Question{
	Name: "regret-seeds", Asks: "the same with every third training left out, in turn",
	jobs: once(func(set *profile.Set) []Case {
		var out []Case
		for first := range 3 {
			out = append(out, regretCases(set, func(c course) course { return c.without(first, 3) })...)
		}
		return out
	}),
}

// regretCases asks of every machine and target. seen is what of a workload is
// known when a batch size is recommended.
func regretCases(set *profile.Set, seen func(course) course) []Case {
	var out []Case
	for _, w := range courses(set) {
		part := seen(w)
		for _, m := range epochTimes(set, w.key) {
			for _, target := range w.all.Levels(targetsAsked) {
				if known := w.reached(target, m.batches()); len(known) >= 4 {
					out = append(out, w.regret(part, m, known, target))
				}
			}
		}
	}
	return out
}

// without is the workload without the trainings first, first+each and so on of
// each batch size; those trained once are kept.
func (c course) without(first, each int) course {
	trained := map[int]int{}
	for _, r := range c.runs {
		trained[r.BatchSize]++
	}
	few, at := &profile.Set{}, map[int]int{}
	for _, r := range c.runs {
		if at[r.BatchSize]%each != first || trained[r.BatchSize] == 1 {
			few.Runs = append(few.Runs, r)
		}
		at[r.BatchSize]++
	}
	return course{key: c.key, all: curve.Workloads(few)[0].Workload, runs: few.Runs}
}

// regret is what the recommended batch size costs too much, by all trainings.
func (c course) regret(seen course, m machineTimes, known []float64, target float64) Case {
	probes := smallestMiddleLargest(known)
	predicted := seen.only(probes).Target(target)
	rise, epochTime := riseOf(seen, probes, target), m.line(probes)
	options, plain, costs := make([]curve.Option, len(known)), make([]curve.Option, len(known)),
		make([]float64, len(known))
	for i, b := range known {
		costs[i] = c.all.Reached(b, target).Epochs * m.seconds[b] * m.price
		o := predicted.At(b)
		options[i] = curve.Option{
			Batch: b, Epochs: o.Epochs.Value, PerEpoch: epochTime(b) * m.price,
			Tried: slices.Contains(probes, b), Never: o.Never, Error: o.Error,
		}
		plain[i] = options[i]
		plain[i].Error = 0
		if plain[i].Tried = true; !options[i].Tried {
			plain[i].Epochs = rise(b)
		}
	}
	chosen := curve.Choose(options)
	return Case{
		Of:        fmt.Sprintf("%s to %.4g on %s: batch %g", c.key.Model, target, m.name, known[chosen]),
		Group:     c.key.Model,
		Truth:     slices.Min(costs),
		Predicted: estimate.Exact(costs[chosen], estimate.OtherBatch),
		Plain:     costs[curve.Choose(plain)],
	}
}
