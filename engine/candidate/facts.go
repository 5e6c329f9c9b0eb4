package candidate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/roofline"
	"sweetspot/engine/training"
	"sweetspot/engine/transfer"
)

// facts are what a set tells about a workload, gathered before any candidate is
// made. They are immutable.
type facts struct {
	set        *profile.Set      // with all trainings of the size asked about
	sizes      map[int64]float64 // that their training sets really had, by run, where it is another
	work       question.Workload
	predictor  Predictor // nil adds nothing
	asked      question.Narrowing
	model      profile.Model
	market     market
	accuracies accuracies
	losses     losses   // of a language model's trainings
	metrics    []string // of the model's accuracies, the one that they are compared by first
	curves     []learningCurve
	scaled     map[scaledBy][]transfer.Size
	totals     *training.Totals // nil where no total is to be told from epochs
}

func newFacts(set *profile.Set, w question.Workload, p Predictor) *facts {
	w = w.Whole(set)
	set, sizes := resized(set.AsFound(), w)
	f := &facts{
		sizes: sizes,
		set:   set, work: w, predictor: p, asked: w.Narrowing(), market: newMarket(set.VMTypes, w.Purchase),
		curves: learningCurves(set, w, p != nil),
	}
	f.accuracies, f.metrics = newAccuracies(set, w)
	f.losses = newLosses(set, w)
	f.model, _ = set.Model(w.Model)
	f.scaled = f.worldSizes()
	if slices.ContainsFunc(set.Runs, f.needsTotals) {
		f.totals = training.NewTotals(set.Runs)
	}
	return f
}

// resized is the set with the model's trainings as they are with the number of units asked
// about in their training sets, and the numbers that these had.
func resized(set *profile.Set, w question.Workload) (*profile.Set, map[int64]float64) {
	if w.Mode != profile.Train || w.TrainSize == nil {
		return set, nil
	}
	out, sizes := set, map[int64]float64{}
	for i := range set.Runs {
		r := &set.Runs[i]
		if r.Model != w.Model || r.TrainSize == nil || *r.TrainSize == *w.TrainSize {
			continue
		}
		if out == set {
			out = new(*set)
			out.Runs = slices.Clone(set.Runs)
		}
		out.Runs[i], sizes[r.ID] = training.Resized(*r, *w.TrainSize), *r.TrainSize
	}
	return out, sizes
}

// answers reports whether the run alone can answer for the workload. One that
// ran out of memory, however late, says only that it does not fit.
func (f *facts) answers(r profile.Run) bool {
	if r.Status == profile.OutOfMemory {
		return false
	}
	if f.work.Mode == profile.Infer {
		return r.Steady.Known() && r.BatchSize > 0
	}
	if f.work.Tuning != nil {
		return f.trains(&r)
	}
	return f.trainingTime(r).Known()
}

// strongest keeps the answering runs of the most trusted basis. A published
// total never stands beside iteration times of the same cell.
func (f *facts) strongest(runs []profile.Run) []profile.Run {
	if len(runs) == 1 && f.answers(runs[0]) {
		return runs
	}
	runs = slices.DeleteFunc(slices.Clone(runs), func(r profile.Run) bool { return !f.answers(r) })
	if len(runs) < 2 {
		return runs
	}
	if slices.ContainsFunc(runs, func(r profile.Run) bool { return r.Steady.Known() }) {
		runs = slices.DeleteFunc(runs, func(r profile.Run) bool { return !r.Steady.Known() })
	}
	best := slices.MinFunc(runs, func(a, c profile.Run) int { return cmp.Compare(a.Basis, c.Basis) }).Basis
	return slices.DeleteFunc(runs, func(r profile.Run) bool { return r.Basis != best })
}

func (f *facts) candidate(cell int, r profile.Run) Candidate {
	vm, _ := f.market.vmOf(r)
	c := f.with(f.quality(r), &vm, &r)
	c.Cell = cell
	return c
}

// with is what the run says of a candidate of that quality on a VM type, which may be
// unknown.
func (f *facts) with(q *Quality, vm *profile.VMType, r *profile.Run) Candidate {
	return Candidate{
		Model: r.Model, Variant: r.Variant, Mode: r.Mode, BatchSize: r.BatchSize, Purchase: f.work.Purchase,
		Quality: q, OverMemory: f.overMemory(r, memoryOf(vm, r)), timed: r.Basis,
	}
}

// answering is the runs that answer for a cell, with what its candidates have in
// common. Where all of them ran out of memory there is none, and the candidate says
// so; ok is false where nothing is known.
func (f *facts) answering(of cell) (runs []profile.Run, c Candidate, ok bool) {
	if g := of.predicted; g != nil {
		runs = []profile.Run{g.run()}
		c = f.candidate(of.number, runs[0])
		c.Sources, c.watts = g.from.sources[g.variant], g.watts()
		return runs, c, true
	}
	all := f.gather(of.runs)
	if runs = f.strongest(all); len(runs) > 0 {
		return runs, f.base(of.number, runs), true
	}
	c, ok = f.outOfMemory(of.number, all)
	return nil, c, ok
}

// base is what the candidates that rest on the runs have in common.
func (f *facts) base(cell int, runs []profile.Run) Candidate {
	c := f.candidate(cell, runs[0])
	for i := range runs {
		c.Sources = append(c.Sources, runs[i].ID)
		c.Live = c.Live || runs[i].Status == profile.Running
	}
	return c
}

// finish fills in what follows from the count: configuration, cost, identity.
func (f *facts) finish(c *Candidate, r profile.Run, count int) {
	part := f.market.part(r, count)
	c.Configuration = []Part{part}
	f.charge(c, part)
	c.identify()
}

// identify names the candidate by everything it is made of.
func (c *Candidate) identify() {
	first := c.Configuration[0].VM
	vms := plaintext.Join(c.Configuration, "+", func(p Part) string {
		return fmt.Sprintf("%dx%s", p.Count, p.VM.InstanceType)
	})
	c.ID = fmt.Sprintf("%s/%s/%s/%s/%s/%s/%s/b%d/%s", c.Model, c.Mode, c.Variant.Name, c.Variant.Precision,
		first.Cloud, first.Region, vms, c.BatchSize, c.Purchase)
}

// probed notes what a probe of the run's cell takes and could tell.
func (c *Candidate) probed(r profile.Run, time estimate.Estimate) {
	c.Probe.IterationS, c.Probe.Sigma = r.Steady.Value, time.LogSigma()
	if startup, ok := r.OneOff(); ok {
		c.Probe.StartupS = &startup
	}
}

// accuracies are what the model reaches, by variant, and in training also by batch
// size: accuracy never depends on the VM. They are immutable.
type accuracies map[string]profile.Accuracy

func accuracyKey(r *profile.Run) string {
	if r.Mode == profile.Train {
		return batchKey(r.Variant, r.BatchSize)
	}
	return r.Variant.Key()
}

// newAccuracies takes the most trusted accuracy of each in one metric: that which is asked for, else that of the
// most, for values of different metrics are no values of one axis. It lists the metrics, that one first.
func newAccuracies(set *profile.Set, w question.Workload) (in accuracies, metrics []string) {
	all := map[string]accuracies{}
	for i := range set.Runs {
		r := &set.Runs[i]
		if r.Accuracy == nil || r.Mode != w.Mode || !ofModel(r, w) {
			continue
		}
		of := all[r.Accuracy.Metric]
		if of == nil {
			of = accuracies{}
			all[r.Accuracy.Metric] = of
		}
		key := accuracyKey(r)
		if w.Lengths != nil {
			key = weightsKey(r.Variant)
		}
		if old, ok := of[key]; !ok || r.Accuracy.Basis < old.Basis {
			a := *r.Accuracy
			a.StdDev = r.AccuracyStdDev()
			of[key] = a
		}
	}
	metrics = slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		isAsked := func(m string) int {
			if w.Metric != "" && strings.EqualFold(m, w.Metric) {
				return 0
			}
			return 1
		}
		return cmp.Or(isAsked(a)-isAsked(b), len(all[b])-len(all[a]), strings.Compare(a, b))
	})
	if len(metrics) == 0 || w.Metric != "" && !strings.EqualFold(metrics[0], w.Metric) {
		return accuracies{}, metrics
	}
	return all[metrics[0]], metrics
}

// ofModel reports whether a run is of a workload's model: of a language model asked about by its architecture,
// whatever its owner's name and tuning to chat.
func ofModel(r *profile.Run, w question.Workload) bool {
	return r.Model == w.Model || w.Lengths != nil && profile.SameLanguageModel(r.Model, w.Model)
}

// quality looks up what a candidate's accuracy will be.
func (f *facts) quality(r profile.Run) *Quality {
	a, ok := f.accuracies[accuracyKey(&r)]
	if !ok {
		return f.finalQuality(r)
	}
	return f.qualityOf(a)
}

// qualityOf is a measured accuracy with its interval.
func (f *facts) qualityOf(a profile.Accuracy) *Quality {
	half := f.set.AccuracyKind.Rel
	if f.work.Lengths != nil { // which tells how far trainings differ, and of a language model there is one
		half = 0
	}
	if a.StdDev != nil {
		half = estimate.Z90 * *a.StdDev
	}
	e := estimate.Around(a.Value, half, a.Basis)
	if a.HigherIsBetter && a.Value <= 1 {
		e.High = math.Min(e.High, 1)
	}
	return &Quality{Metric: a.Metric, Estimate: e, HigherIsBetter: a.HigherIsBetter}
}

const gib = 1 << 30

// memoryOf is that in which a run works, in GiB: of the GPU, or of a VM without one.
func memoryOf(vm *profile.VMType, r *profile.Run) *float64 {
	if vm.IsCPU() {
		return vm.MemGiB
	}
	return cmp.Or(vm.GPUMemGiB, r.GPUMemGiB)
}

// overMemory tests the memory in GiB: the measured peak of the run, else the floor. That is
// the weights, in training with the gradients, the optimizer's state where it is known, and
// the activations of the batch. Of a pruned variant it isn't known how many are left.
func (f *facts) overMemory(r *profile.Run, mem *float64) *Violation {
	if mem == nil {
		return nil
	}
	var need float64
	work := r.WorkIn(f.model)
	switch {
	case r.PeakMemoryBytes != nil:
		need = *r.PeakMemoryBytes / gib
	case work.Params != nil && (r.GPUCount > 0 || r.NoGPU) && r.Variant.Pruning == nil:
		width := roofline.Width(r.Variant.Precision)
		need = *work.Params * width / gib
		if r.Mode == profile.Train {
			batch := float64(r.BatchSize) / float64(max(r.GPUCount, 1)*max(r.Count, 1))
			held := max(2**work.Params*width, orZero(work.StateBytes))
			need = (held + orZero(work.Activations)*batch*width) / gib
		}
	}
	if need > *mem {
		return &Violation{Constraint: question.GPUMemory, Limit: *mem, Value: &need}
	}
	return nil
}

// outOfMemory keeps a cell that only ever ran out of memory as an infeasible
// candidate, so that the limit is seen and not measured again.
func (f *facts) outOfMemory(cell int, runs []profile.Run) (c Candidate, ok bool) {
	i := slices.IndexFunc(runs, isOutOfMemory)
	if i < 0 {
		return c, false
	}
	c = f.candidate(cell, runs[i])
	c.Sources = []int64{runs[i].ID}
	f.finish(&c, runs[i], 1)
	limit := math.NaN()
	if mem := c.Configuration[0].VM.GPUMemGiB; mem != nil {
		limit = *mem
	}
	c.OverMemory = &Violation{Constraint: question.GPUMemory, Limit: limit}
	return c, true
}

func isOutOfMemory(r profile.Run) bool { return r.Status == profile.OutOfMemory }
