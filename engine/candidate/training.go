package candidate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/curve"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/training"
)

// sameEpochs gives the runs of one cell the epochs of the newest where each was
// trained as long as its user pleased: they are times of one configuration, and
// a mean over different numbers of epochs is the time of none.
func (f *facts) sameEpochs(runs []profile.Run) []profile.Run {
	if f.work.SaysLength() || runs[0].Basis != estimate.Measured {
		return runs
	}
	newest := slices.MaxFunc(runs, func(a, c profile.Run) int { return cmp.Compare(a.ID, c.ID) })
	if newest.Epochs == nil || !f.trainingTime(newest).Known() {
		return runs
	}
	out := slices.Clone(runs)
	for i := range out {
		if out[i].Epochs != nil && *out[i].Epochs != *newest.Epochs && out[i].Steady.Known() {
			out[i].Epochs = newest.Epochs
		}
	}
	return slices.DeleteFunc(out, func(r profile.Run) bool { return r.Epochs == nil || *r.Epochs != *newest.Epochs })
}

// epochs is how many epochs the workload means for this run; nil if unknown.
func (f *facts) epochs(r profile.Run) *float64 {
	switch {
	case f.work.Epochs != nil:
		return f.work.Epochs
	case f.work.Steps != nil:
		if per := r.IterationsPerEpoch; per != nil && *per > 0 {
			return new(*f.work.Steps / *per)
		}
		return nil
	case f.work.TargetAccuracy != nil:
		if at, ok := f.toTarget(r); ok {
			return new(at.Epochs.Value)
		}
		return epochsTo(r, *f.work.TargetAccuracy)
	default:
		return r.Epochs
	}
}

// epochsTo is the first epoch whose validation reached the target; failing
// validations, the run's own epochs if it ended at least that good.
func epochsTo(r profile.Run, target float64) *float64 {
	if r.Steps != nil {
		return nil // its validations come by steps
	}
	var values []float64
	var epochs []int // after which they were measured, from 1
	higher := true
	for _, v := range r.Validations {
		if v.Value != nil && !profile.IsLoss(v.Metric) {
			values, epochs, higher = append(values, *v.Value), append(epochs, v.Epoch+1), v.HigherIsBetter
		}
	}
	if n, ok := training.FirstReaching(values, target, higher); ok {
		return new(float64(epochs[n-1]))
	}
	if a := r.Accuracy; a != nil && !profile.IsLoss(a.Metric) && (a.HigherIsBetter == (a.Value >= target) ||
		a.Value == target) {
		return r.Epochs
	}
	return nil
}

func (f *facts) trainingTime(r profile.Run) estimate.Estimate {
	if n := f.epochs(r); n != nil {
		unequal := f.isUnequal(r, *n)
		if t := training.Training(r, *n, f.set.Kinds); t.Known() && !unequal {
			return t
		}
		if unequal && isWhole(r, *n) {
			return training.AsPublished(r, f.set.Kinds)
		}
		if told := f.fromEpochs(r, *n); told.Total.Known() {
			return told.Total
		}
		if r.Epochs != nil {
			return training.Scaled(r, *n, f.set.Kinds)
		}
	}
	if !f.work.SaysLength() {
		return training.AsPublished(r, f.set.Kinds)
	}
	return estimate.Estimate{}
}

// training completes the candidate of runs on one configuration.
func (f *facts) training(c Candidate, runs []profile.Run) Candidate {
	runs = f.sameEpochs(runs)
	times := make([]estimate.Estimate, len(runs))
	for i, r := range runs {
		times[i] = f.trainingTime(r)
	}
	c.Time = training.Pool(times)
	c.probed(runs[0], c.Time)
	c.Epochs = f.epochs(runs[0])
	c.AsPrinted = c.Epochs == nil
	unequal := f.isUnequal(runs[0], orZero(c.Epochs))
	if line, ok := training.StraightLine(runs[0], f.set.Kinds); ok && !unequal {
		c.TimeByEpochs = &line
		if c.Epochs != nil {
			c.Why = training.PausesOf(runs[0]).Words(*c.Epochs)
			f.followSchedule(&c, runs)
		}
	} else if told := f.fromEpochs(runs[0], orZero(c.Epochs)); told.Total.Known() {
		c.FromEpochs = true
		slope := f.fromEpochs(runs[0], *c.Epochs+1).Total.Value - told.Total.Value
		c.TimeByEpochs = &training.Line{At0: told.Total.Value - slope**c.Epochs, Slope: slope}
		if told.Uneven || told.Alone {
			c.Why = told.Words
			c.mayTurnUneven(told)
		}
	} else if r := runs[0]; r.Epochs != nil && r.TotalS != nil && c.Epochs != nil {
		c.TimeByEpochs = &training.Line{Slope: *r.TotalS / *r.Epochs}
		if unequal && *r.Epochs == *c.Epochs {
			c.Why = "its epochs are not equal work: the total is as it took"
		} else if *r.Epochs != *c.Epochs {
			c.Why = fmt.Sprintf("a total of %.4g epochs in proportion; how much of it is start-up is not known", *r.Epochs)
		}
	} else {
		c.AsPrinted = true
	}
	if size, other := f.sizes[runs[0].ID]; other {
		c.Why = strings.TrimSuffix(fmt.Sprintf("timed on a training set of %s %s; %s", quantity.Count(size),
			cmp.Or(runs[0].Unit, "unit")+"s", c.Why), "; ")
	}
	c.Scaling = f.scaling(&runs[0])
	c.Energy = f.energy(&c, runs, max(runs[0].Count, 1))
	c.EnergyByEpochs = f.energyByEpochs(c, runs)
	f.withEpochs(&c, runs[0])
	f.inSteps(&c, runs[0])
	f.finish(&c, runs[0], max(runs[0].Count, 1))
	return c
}

// inSteps says how many steps a training takes where these are what is counted.
func (f *facts) inSteps(c *Candidate, r profile.Run) {
	if (f.work.Steps != nil || f.work.Counted.InSteps()) && c.Epochs != nil && r.IterationsPerEpoch != nil {
		c.Steps, c.FixedSteps = new(*c.Epochs**r.IterationsPerEpoch), f.work.Steps != nil
	}
}

// leastEpochs is how many whole epochs a run must show for its total to be told
// from them.
const leastEpochs = 2

// shownEpochs are the whole epochs, of n, from which the total of a run can be told.
// They are 0 where they are too few, or where it took just so many epochs and its
// total is known.
func shownEpochs(r profile.Run, n float64) int {
	known := min(len(r.EpochStartsS)-1, int(n))
	if known < leastEpochs || isWhole(r, n) {
		return 0
	}
	return known
}

// isWhole reports whether a run took n epochs, in a known total.
func isWhole(r profile.Run, n float64) bool {
	return r.Epochs != nil && *r.Epochs == n && r.TotalS != nil
}

// isUnequal reports whether the epochs of a training are unequal work, as it or
// complete runs of its model show, so that one iteration does not stand for all.
func (f *facts) isUnequal(r profile.Run, n float64) bool {
	if f.totals == nil || shownEpochs(r, n) == 0 && !isWhole(r, n) {
		return false
	}
	return training.IsUneven(r) || f.fromEpochs(r, n).Scheduled
}

func (f *facts) needsTotals(r profile.Run) bool {
	if r.Model != f.work.Model || f.work.Mode != profile.Train || len(r.EpochStartsS) <= leastEpochs {
		return false
	}
	n := f.epochs(r)
	return n != nil && (training.IsUneven(r) ||
		shownEpochs(r, *n) > 0 && !training.Training(r, *n, f.set.Kinds).Known())
}

// fromEpochs tells the total of a training from the first epochs of a run, where only
// these are known of it, as in logs of others, or they are unequal work. The
// user's is another run: how long the known epochs take is known from once.
func (f *facts) fromEpochs(r profile.Run, n float64) training.Forecast {
	known := shownEpochs(r, n)
	if known == 0 || f.totals == nil {
		return training.Forecast{}
	}
	told := f.totals.Predict(r, known, n)
	once := estimate.Spread(told.Total.Value, training.OneTotalRel, r.Basis)
	for _, e := range []*estimate.Estimate{&told.Total, &told.Steady} {
		e.Low, e.High = math.Min(e.Low, once.Low), math.Max(e.High, once.High)
	}
	return told
}

// followSchedule says how the work of a training's steps changes, where its end was not
// seen, and parts what its total is off by: so too what may come at the ends of its epochs.
func (f *facts) followSchedule(c *Candidate, runs []profile.Run) {
	i := slices.IndexFunc(runs, func(r profile.Run) bool { return r.Schedule != "" && !isWhole(r, *c.Epochs) })
	if i < 0 && !slices.ContainsFunc(runs, training.EndsUnseen) {
		return
	}
	even := make([]estimate.Estimate, len(runs))
	for k, r := range runs {
		even[k] = f.trainingTime(training.AsIfEven(r))
	}
	if i >= 0 {
		c.sayScheduled(runs[i])
	}
	c.mayTurnUneven(training.Forecast{Steady: training.Pool(even)})
}

// sayScheduled gives the schedule of a training as the first reason for the time.
func (c *Candidate) sayScheduled(r profile.Run) {
	words := training.ScheduleWords(r, *c.Epochs)
	c.FollowsSizes = training.HasSizes(r, *c.Epochs)
	c.Schedule, c.Why = words, strings.TrimSuffix(words+"; "+c.Why, "; ")
}

// mayTurnUneven parts what a total is off by: a schedule is the script's, so that it
// makes all VM types slower alike, and no probe of seconds tells of it.
func (c *Candidate) mayTurnUneven(told training.Forecast) {
	own, all := told.Steady.LogSigma(), c.Time.LogSigma()
	c.Probe.Sigma = math.Min(own, all)
	shared := math.Sqrt(math.Max(0, all*all-own*own))
	c.Errors = []CellError{{int32(c.Cell), c.Probe.Sigma}, {SeveralCells, shared}} // the list numbers the second
}

func orZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// learningCurve is what is known of the trainings of one variant on one dataset.
type learningCurve struct {
	curve.Keyed
	target *curve.Target // nil without a target accuracy
}

// learningCurves reads those of the model, where a target has to be reached or
// batch sizes are asked about that were not trained with.
func learningCurves(set *profile.Set, w question.Workload, predicted bool) (out []learningCurve) {
	if w.Mode != profile.Train || w.TargetAccuracy == nil && !predicted {
		return nil
	}
	for _, k := range curve.Workloads(set) {
		if k.Model != w.Model {
			continue
		}
		c := learningCurve{Keyed: k}
		if w.TargetAccuracy != nil && !profile.IsLoss(k.Metric) {
			c.target = k.Workload.Target(*w.TargetAccuracy)
		}
		out = append(out, c)
	}
	return out
}

func (f *facts) curveOf(r profile.Run) (learningCurve, bool) {
	want := curve.KeyOf(r, "")
	for _, c := range f.curves {
		if c.Model == want.Model && c.Variant == want.Variant && (c.Dataset == want.Dataset || want.Dataset == "") {
			return c, true
		}
	}
	return learningCurve{}, false
}

// globalBatch is the batch size of the whole job, however many VMs it ran on.
func globalBatch(r profile.Run) float64 { return float64(r.BatchSize) }

// toTarget is how many epochs a run's batch size takes to the target accuracy;
// false where no training tells.
func (f *facts) toTarget(r profile.Run) (curve.Prediction, bool) {
	c, ok := f.curveOf(r)
	if !ok || c.target == nil {
		return curve.Prediction{}, false
	}
	at := c.target.At(globalBatch(r))
	return at, at.Epochs.Known()
}

// withEpochs widens a candidate's time by what its number of epochs is
// uncertain, and says how likely the target is never reached.
func (f *facts) withEpochs(c *Candidate, r profile.Run) {
	at, ok := f.toTarget(r)
	if !ok || c.Epochs == nil || !c.Time.Known() || c.TimeByEpochs == nil {
		return
	}
	c.EpochsWhy, c.EpochsRange, c.Prediction = at.Why, at.Epochs, &at
	if !math.IsNaN(at.Never) {
		c.Never = new(at.Never)
	}
	share := c.TimeByEpochs.Slope * *c.Epochs / c.Time.Value
	timed, epochs := c.Time.LogSigma(), at.Epochs.LogSigma()*math.Min(share, 1)
	factor := math.Exp(estimate.Z90 * math.Hypot(timed, epochs))
	c.Time.Low, c.Time.High = c.Time.Value/factor, c.Time.Value*factor
	c.Time.Basis = estimate.Weakest(c.Time.Basis, at.Epochs.Basis)
	if c.Errors == nil {
		c.Errors = []CellError{{int32(c.Cell), timed}, {SeveralCells, 0}} // the list numbers the second
	}
	c.Errors[1].Sigma = math.Hypot(c.Errors[1].Sigma, epochs)
	c.Energy = widened(c.Energy, epochs)
	c.attempts(at.Never)
}

// Seldom is the probability of failing below which no failures are counted: so
// much is allowed for where a few trainings were seen and all reached the target.
const Seldom = 0.2

// mostAttempts bounds how many trainings are counted for one that succeeds: a
// target that nearly none reaches is out of reach.
const mostAttempts = 100

// attempts counts the trainings that fail before one reaches the target, on
// average 1/(1 − never) − 1, as if each took as long.
func (c *Candidate) attempts(never float64) {
	if !(never >= Seldom) {
		return
	}
	n := math.Min(1/(1-never), mostAttempts)
	c.Time, c.Energy = c.Time.Times(n), c.Energy.Times(n)
	if e := c.EnergyByEpochs; e != nil {
		c.EnergyByEpochs = &training.Line{At0: e.At0 * n, Slope: e.Slope * n}
	}
	c.TimeByEpochs = &training.Line{At0: c.TimeByEpochs.At0 * n, Slope: c.TimeByEpochs.Slope * n}
	if n >= 1.05 {
		c.EpochsWhy += fmt.Sprintf("; the time counts %.2g trainings, for only %.0f %% reach the target", n, 100/n)
	}
}

// finalQuality is the accuracy that a training with a batch size never trained
// with is expected to end at; nil where nothing is known.
func (f *facts) finalQuality(r profile.Run) *Quality {
	c, ok := f.curveOf(r)
	if !ok || len(f.metrics) > 0 && c.Metric != f.metrics[0] {
		return nil
	}
	e := c.Final(globalBatch(r))
	if !e.Known() {
		return nil
	}
	return &Quality{Metric: c.Metric, Estimate: e, HigherIsBetter: c.HigherIsBetter}
}
