package validate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sweetspot/engine/curve"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/transfer"
)

// epochsToTarget: a workload was trained with its smallest, middle and largest
// batch size, with all their seeds; after how many epochs does it reach a
// target with the others? Batch sizes with which some training never reached
// the target are left out, as are targets that fewer than four batch sizes
// reach. The truth is the mean over seeds. The baseline is the relative
// least-squares line a + b·B.
var epochsToTarget = Question{
	Name: "epochs", Asks: "epochs to a target at another batch size, from the smallest, the middle and the largest",
	jobs: once(epochsCases),
}

// targetsAsked bounds the targets of a workload whose every epoch was evaluated.
const targetsAsked = 20

func epochsCases(set *profile.Set) []Case {
	var out []Case
	for _, w := range courses(set) {
		for _, target := range w.all.Levels(targetsAsked) {
			known := w.reached(target, w.all.Batches)
			if len(known) < 4 {
				continue
			}
			probes := smallestMiddleLargest(known)
			predicted := w.only(probes).Target(target)
			plain := riseOf(w, probes, target)
			for _, b := range known {
				if slices.Contains(probes, b) {
					continue
				}
				out = append(out, Case{
					Of:        fmt.Sprintf("%s to %.4g with batch %g from %g", w.key.Model, target, b, probes),
					Group:     w.key.Model,
					Truth:     w.all.Reached(b, target).Epochs,
					Predicted: predicted.At(b).Epochs,
					Plain:     plain(b),
				})
			}
		}
	}
	return out
}

// course is a workload with the runs it is made of.
type course struct {
	key  curve.Key
	all  *curve.Workload
	runs []profile.Run
}

func courses(set *profile.Set) []course {
	var out []course
	for _, w := range curve.Workloads(set) {
		c := course{key: w.Key, all: w.Workload}
		for _, r := range set.Runs {
			if len(r.Validations) > 0 && curve.KeyOf(r, r.Validations[0].Metric) == w.Key {
				c.runs = append(c.runs, r)
			}
		}
		out = append(out, c)
	}
	return out
}

// only is the workload as it is known from trainings with the given batch sizes.
func (c course) only(batches []float64) *curve.Workload {
	few := slices.DeleteFunc(slices.Clone(c.runs), func(r profile.Run) bool {
		return !slices.Contains(batches, float64(r.BatchSize))
	})
	return workloadOf(few)
}

// workloadOf is the workload of runs of one, which may all lack a value.
func workloadOf(runs []profile.Run) *curve.Workload {
	if w := curve.Workloads(&profile.Set{Runs: runs}); len(w) > 0 {
		return w[0].Workload
	}
	return curve.New(nil, true)
}

// reached are those of the batch sizes with which every whole training reached
// the target.
func (c course) reached(target float64, batches []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(batches), func(b float64) bool {
		r := c.all.Reached(b, target)
		return r.Runs == 0 || r.Never > 0
	})
}

func smallestMiddleLargest[T any](rising []T) []T {
	return []T{rising[0], rising[len(rising)/2], rising[len(rising)-1]}
}

// riseOf is the baseline: epochs rising linearly with the batch size.
func riseOf(c course, probes []float64, target float64) func(batch float64) float64 {
	x, y := probes, make([]float64, len(probes))
	for i, b := range probes {
		y[i] = c.all.Reached(b, target).Epochs
	}
	return relativeLine(x, y)
}

// relativeLine is the least-squares line through positive values, with relative
// errors and neither part below 0.
func relativeLine(x, y []float64) func(float64) float64 {
	s := transfer.RelativeFit(x, y)
	a, b := s.Line()
	switch {
	case !(b > 0):
		a, b = s.Constant(), 0
	case !(a > 0):
		a, b = 0, s.Proportional()
	}
	return func(v float64) float64 { return a + b*v }
}

// machineTimes are the seconds of an epoch by batch size on one kind of machine.
type machineTimes struct {
	name    string
	price   float64 // $/h, 1 where it is unknown: regret has no unit
	seconds map[float64]float64
}

// line is the seconds of an epoch by batch size, c + d/B through the probes.
func (m machineTimes) line(probes []float64) func(batch float64) float64 {
	points := make([]transfer.Point, len(probes))
	for i, b := range probes {
		points[i] = transfer.Point{Batch: b, Seconds: m.seconds[b] * b}
	}
	c := transfer.BatchCurve(points)
	return func(b float64) float64 { return c.At(b) / b }
}

// epochTimes collects the times of epochs of a workload, by machine.
func epochTimes(set *profile.Set, key curve.Key) []machineTimes {
	var out []machineTimes
	sums := map[string]map[float64][2]float64{}
	for _, r := range set.Runs {
		seconds, known := secondsOfEpoch(r)
		if r.Mode != profile.Train || r.BatchSize < 1 || !known || r.GPU == "" ||
			curve.KeyOf(r, key.Metric) != key {
			continue
		}
		name := fmt.Sprintf("%d × %s with %d × %s", max(1, r.Count),
			strings.TrimSpace(r.Cloud+" "+r.Region+" "+r.InstanceType), r.GPUCount, r.GPU)
		if sums[name] == nil {
			sums[name] = map[float64][2]float64{}
			m := machineTimes{name: name, price: 1, seconds: map[float64]float64{}}
			if r.USDPerHour != nil {
				m.price = *r.USDPerHour
			}
			out = append(out, m)
		}
		b := float64(r.BatchSize)
		s := sums[name][b]
		sums[name][b] = [2]float64{s[0] + seconds, s[1] + 1}
	}
	for _, m := range out {
		for b, s := range sums[m.name] {
			m.seconds[b] = s[0] / s[1]
		}
	}
	slices.SortFunc(out, func(a, b machineTimes) int { return cmp.Compare(a.name, b.name) })
	return out
}

// secondsOfEpoch is the time of a later epoch of a run, validation included.
func secondsOfEpoch(r profile.Run) (seconds float64, known bool) {
	switch {
	case r.Steady.Known() && r.IterationsPerEpoch != nil:
		seconds = r.Steady.Value * *r.IterationsPerEpoch
		if r.ValidationS != nil {
			seconds += *r.ValidationS
		}
	case r.TotalS != nil && r.Epochs != nil && *r.Epochs > 0:
		seconds = *r.TotalS / *r.Epochs
	}
	return seconds, seconds > 0
}

// regretOfBatch: as above, and the time of an epoch is known of those three
// batch sizes on a machine. Following the recommended batch size, what does
// training to the target cost there, against the best? Truth is the cost with
// the best batch size and the prediction what the recommended one really costs,
// so the error is the regret. The baseline takes the batch size that is
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
				if known := w.reached(target, slices.Sorted(maps.Keys(m.seconds))); len(known) >= 4 {
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
	var few []profile.Run
	at := map[int]int{}
	for _, r := range c.runs {
		if at[r.BatchSize]%each != first || trained[r.BatchSize] == 1 {
			few = append(few, r)
		}
		at[r.BatchSize]++
	}
	return course{key: c.key, all: workloadOf(few), runs: few}
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
