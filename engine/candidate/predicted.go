package candidate

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/energy"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
	"sweetspot/engine/transfer"
)

// Predictor answers for what nobody measured.
type Predictor interface {
	// Iteration is the time in seconds of a steady iteration of a variant on so
	// many GPUs of a VM type, and what it rests on in words; unknown where
	// nothing can be said. It is the same on all VM types with as many of a GPU on
	// which nothing was run, and in inference on those with any number of it.
	Iteration(model string, v profile.Variant, vm profile.VMType, gpus, batch int) (seconds estimate.Estimate, why string)
	// Common is the standard deviation of ln(seconds) by which such predictions are off
	// alike on all VM types.
	Common(model string, v profile.Variant, vm profile.VMType, gpus, batch int) float64
}

// Narrowed says which predictions were left out of a list because all would be
// too many to hold.
type Narrowed int

// From nothing left out to everything.
const (
	InFull     Narrowed = iota
	OwnBatches          // each variant only at the batch sizes that it was run at; in inference on one VM
	Nothing             // nothing was predicted
)

// mostPredicted bounds how many predictions are listed in full, and the others how many
// after narrowing: a training takes some 1.5 kB, an inference 200 bytes in a ranking and
// some 2 µs (BenchmarkPredicted in rank).
const (
	mostPredicted  = 100_000
	mostTrainings  = 400_000
	mostInferences = 2_000_000
)

// variantBatch is a variant, by its key, at a batch size.
type variantBatch struct {
	variant string
	batch   int
}

// predictions are what to predict for a workload, and what it rests on: every
// variant that was run, at every batch size that its network was, on every VM type with a
// GPU or a known number of CPUs.
// They are immutable.
type predictions struct {
	*facts
	narrowed  Narrowed
	maxCount  int // of VMs that each is made for
	variants  []profile.Variant
	keys      []string // of the variants
	offers    []profile.VMType
	parts     []Part        // one VM of each offer
	shapes    []profile.Run // by batch size: what is known whatever the variant and the VM type
	ran       map[variantBatch]bool
	batches   map[networkBatch]bool                   // that a network was run at
	figures   map[gpuFigure]int                       // batch sizes
	pairs     int                                     // variants at batch sizes, unless narrowed
	answered  map[variantBatch]map[profile.VMKey]bool // by a run, in any region
	first     int                                     // number of the first predicted cell
	origins   origins
	sources   [][]int64          // runs with a steady time, by variant
	works     []profile.Work     // by variant
	memory    []*transfer.Memory // by variant; nil where it is unknown
	powers    *energy.Powers     // nil where none was measured
	startups  map[int]startup    // by number of GPUs, and of all under [anyGPUs]
	pauses    training.Pauses
	validated *float64    // what a validation takes, see [validation]
	unseen    bool        // no donor saw the end of an epoch
	askers    []Predictor // that can be asked at once; each variant has one of them
}

// predictions gathers what predictions rest on: the runs of the model in the mode.
func (f *facts) predictions(known cells) *predictions {
	p := &predictions{facts: f, first: len(known.all), origins: known.origins, ran: map[variantBatch]bool{},
		batches: map[networkBatch]bool{}, figures: map[gpuFigure]int{}}
	if f.predictor == nil {
		return p
	}
	var donors []*profile.Run
	sources, works := map[string][]int64{}, map[string]profile.Work{} // by variant
	for i := range f.set.Runs {
		r := &f.set.Runs[i]
		if r.Model != f.work.Model || r.Mode != f.work.Mode || r.PowerLimitW != nil {
			continue // a lowered power limit slows the GPU down
		}
		id := r.Variant.Key()
		donors = append(donors, r)
		p.batches[networkBatch{r.Variant.Network(), r.BatchSize}] = true
		p.publish(r)
		if f.asked.KeepsVariant(r.Variant) {
			p.ran[variantBatch{id, r.BatchSize}] = true
		}
		if r.Steady.Known() {
			sources[id] = append(sources[id], r.ID)
		}
		held := leastKnown(works[id].StateBytes, r.Work.StateBytes)
		if works[id].FLOPs == nil {
			works[id] = r.WorkIn(f.model)
		}
		work := works[id]
		work.StateBytes = held
		works[id] = work
	}
	var batches []int
	p.variants, batches = f.axes(donors)
	p.offers = f.offers()
	for _, v := range p.variants {
		for _, batch := range batches {
			if p.suits(v, batch) {
				p.pairs++
			}
		}
	}
	if p.narrow(len(p.offers)); p.narrowed == Nothing {
		p.offers = nil
		return p
	}
	p.answered = f.answered(known)
	for _, batch := range batches {
		p.shapes = append(p.shapes, f.shape(donors, batch))
	}
	for _, vm := range p.offers {
		p.parts = append(p.parts, f.market.part(profile.Run{Cloud: vm.Cloud, Region: vm.Region, InstanceType: vm.InstanceType,
			GPU: vm.GPU, GPUCount: vm.GPUCount, GPUMemGiB: vm.GPUMemGiB}, 1))
	}
	p.askers, p.powers = severally(f.predictor), energy.NewPowers(f.set, f.work.Mode)
	peaks := transfer.Peaks(f.set, f.work.Mode)
	for _, v := range p.variants {
		p.keys, p.sources = append(p.keys, v.Key()), append(p.sources, slices.Clip(sources[v.Key()]))
		p.works = append(p.works, works[v.Key()])
		p.memory = append(p.memory, transfer.MemoryLine(peaks[transfer.SubjectOf(f.work.Model, v)]))
	}
	p.startups, p.pauses, p.validated = startups(donors), longestPauses(donors), validation(donors)
	seen := func(r *profile.Run) bool { return !training.EndsUnseen(*r) }
	p.unseen = len(donors) > 0 && !slices.ContainsFunc(donors, seen)
	return p
}

// leastKnown is the smaller of two numbers that may be unknown: with the optimizer that
// keeps least a training needs at least that.
func leastKnown(a, b *float64) *float64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// narrow decides what to leave out of the predictions on so many VM types, and on how many
// VMs each is made.
func (p *predictions) narrow(offers int) {
	p.maxCount = 1
	if p.work.Mode == profile.Infer {
		p.maxCount = max(p.work.MaxCount, 1)
	}
	if p.pairs*offers*p.maxCount <= mostPredicted {
		return
	}
	p.maxCount, p.narrowed = 1, OwnBatches
	most := mostTrainings
	if p.work.Mode == profile.Infer {
		most = mostInferences
	}
	if len(p.ran)*offers > most {
		p.narrowed = Nothing
	}
}

// offers are the VM types to predict for. Of one that costs the same in several
// regions the first stands for all.
func (f *facts) offers() []profile.VMType {
	type offer struct {
		cloud, instance string
		hourly          float64
	}
	seen := map[offer]bool{}
	var out []profile.VMType
	for _, vm := range f.set.VMTypes {
		price, _ := vm.PriceOf(f.work.Purchase)
		if vm.GPUCount == 0 && !vm.IsCPU() {
			continue
		}
		if o := (offer{vm.Cloud, vm.InstanceType, price.USDPerHour}); !seen[o] && f.asked.KeepsVM(vm) {
			seen[o] = true
			out = append(out, vm)
		}
	}
	return out
}

// axes are the variants that were run, and the batch sizes: those asked for,
// else those that were run, in rising order.
func (f *facts) axes(donors []*profile.Run) (variants []profile.Variant, batches []int) {
	seen := map[string]bool{}
	batches = slices.Clone(f.work.BatchSizes)
	for _, r := range donors {
		if id := r.Variant.Key(); !seen[id] && f.asked.KeepsVariant(r.Variant) {
			seen[id] = true
			variants = append(variants, r.Variant)
		}
		if len(f.work.BatchSizes) == 0 && r.BatchSize > 0 {
			batches = append(batches, r.BatchSize)
		}
	}
	slices.Sort(batches)
	return variants, slices.Compact(batches)
}

// answered are the variants at batch sizes and the VM types, without their regions, that
// a run on one VM has answered for, be it that it ran out of memory there.
func (f *facts) answered(known cells) map[variantBatch]map[profile.VMKey]bool {
	out := map[variantBatch]map[profile.VMKey]bool{}
	for n := range known.all {
		runs := known.at(n).runs
		k := keyOf(&f.set.Runs[runs[0]])
		if k.count != 1 || !slices.ContainsFunc(runs, func(i int32) bool {
			return isOutOfMemory(f.set.Runs[i]) || f.answers(f.set.Runs[i])
		}) {
			continue
		}
		of := variantBatch{f.set.Runs[runs[0]].Variant.Key(), k.batch}
		if out[of] == nil {
			out[of] = map[profile.VMKey]bool{}
		}
		out[of][anywhere(k.vm)] = true
	}
	return out
}

// anywhere is the VM type without its region.
func anywhere(vm profile.VMKey) profile.VMKey {
	vm.Region = ""
	return vm
}

// shape is a run at a batch size as far as the donors tell what it does.
func (f *facts) shape(donors []*profile.Run, batch int) profile.Run {
	run := profile.Run{Model: f.work.Model, Unit: f.work.Unit, Mode: f.work.Mode, BatchSize: batch, Count: 1}
	for _, r := range donors {
		run.Dataset, run.Schedule = cmp.Or(run.Dataset, r.Dataset), cmp.Or(run.Schedule, r.Schedule)
		if r.BatchSize == batch && training.IsAtFirstSize(*r) && run.Schedule == r.Schedule {
			run.Sizes = r.Sizes
		}
		switch {
		case run.IterationsPerEpoch != nil:
		case r.TrainSize != nil && batch > 0:
			run.IterationsPerEpoch = new(math.Ceil(*r.TrainSize / float64(batch)))
		case r.IterationsPerEpoch != nil && batch > 0:
			run.IterationsPerEpoch = new(*r.IterationsPerEpoch * float64(r.BatchSize) / float64(batch))
		}
		if r.BatchSize == batch && run.Epochs == nil {
			run.Epochs = r.Epochs // the VM type changes the time of an epoch, not how many it takes
		}
		if run.Validations == nil && r.BatchSize == batch {
			run.Validations = r.Validations
		}
	}
	return run
}

// validation is what a validation takes: as many iterations' time as where it was
// measured, by the median, for samples in place of batches. Nil where it never
// was.
func validation(donors []*profile.Run) *float64 {
	var samples []float64
	for _, r := range donors {
		if r.ValidationS != nil && r.Steady.Value > 0 && r.BatchSize >= 1 {
			samples = append(samples, *r.ValidationS/r.Steady.Value*float64(r.BatchSize))
		}
	}
	if len(samples) == 0 {
		return nil
	}
	return new(estimate.Median(samples))
}

// sensible reports whether a batch size is one for the work: no more than an
// epoch, or than all units.
func (f *facts) sensible(run *profile.Run) bool {
	if f.work.Mode == profile.Infer {
		return float64(run.BatchSize) <= f.work.Units
	}
	return run.IterationsPerEpoch == nil || *run.IterationsPerEpoch >= 1
}

// leastStartupSpread is the relative spread of a start-up that was not seen: nine
// of ten within a factor of three. The start-ups of one model on one VM type at
// four batch sizes have a standard deviation of 0.67 in the logarithm in Malta's
// tables, the first of a VM type being by far the longest.
const leastStartupSpread = 2.0

// startup is a start-up that was not seen, with all else that comes once: its geometric
// mean and its relative spread.
type startup struct{ mean, spread float64 }

// anyGPUs stands for VM types with any number of GPUs.
const anyGPUs = -1

// startups are what the model's start-ups on VM types with as many GPUs, and on
// all, say of those on others.
func startups(donors []*profile.Run) map[int]startup {
	logs := map[int][]float64{}
	for _, r := range donors {
		if v, ok := r.OneOff(); ok && v > 0 {
			logs[r.GPUCount], logs[anyGPUs] = append(logs[r.GPUCount], math.Log(v)), append(logs[anyGPUs], math.Log(v))
		}
	}
	out := map[int]startup{}
	for gpus, all := range logs {
		mean, spread := all[0], leastStartupSpread
		if len(all) > 1 {
			var sd float64
			mean, sd = stat.MeanStdDev(all, nil)
			spread = math.Max(spread, math.Expm1(estimate.Z90*sd))
		}
		out[gpus] = startup{math.Exp(mean), spread}
	}
	return out
}

// startup of a run is unknown where none was measured.
func (p *predictions) startup(r profile.Run) estimate.Estimate {
	s, ok := p.startups[r.GPUCount]
	if !ok {
		s, ok = p.startups[anyGPUs]
	}
	if !ok {
		return estimate.Estimate{}
	}
	return estimate.Spread(s.mean, s.spread, r.Basis)
}

// longestPauses are those that the longest training of the model tells of. How
// often a script writes a checkpoint is not the VM type's doing.
func longestPauses(donors []*profile.Run) (best training.Pauses) {
	for _, s := range donors {
		if p := training.PausesOf(*s); p.Seen() && (!best.Seen() || p.Watched() > best.Watched()) {
			best = p
		}
	}
	return best
}

// predictedTraining is the candidate of a training that is predicted; ok is false where
// its number of epochs or of their iterations is not known.
func (p *predictions) predictedTraining(g *prediction) (c Candidate, ok bool) {
	runs, c, _ := p.answering(g.cell())
	c.Why = g.why()
	if c.Epochs = p.epochs(runs[0]); c.Epochs == nil || runs[0].IterationsPerEpoch == nil {
		return c, false
	}
	return p.trainingOf(c, runs[0]), true
}

// trainingOf completes the candidate of a training as it is predicted.
func (p *predictions) trainingOf(c Candidate, r profile.Run) Candidate {
	startup, pauses := p.startup(r), training.Pauses{}
	if p.pauses.Seen() {
		pauses = p.pauses.On(*r.IterationsPerEpoch, r.Basis)
	}
	if pauses.Seen() {
		c.Why += "; " + pauses.Words(*c.Epochs)
	}
	c.Time = training.Predicted(r, *c.Epochs, startup, pauses)
	if c.probed(r, c.Time); startup.Known() {
		c.Probe.StartupS = &startup.Value
	}
	at := func(n float64) float64 { return training.Predicted(r, n, startup, training.Pauses{}).Value }
	slope := at(2) - at(1)
	c.TimeByEpochs = &training.Line{At0: at(1) - slope, Slope: slope + pauses.PerEpoch()}
	c.Energy = p.energy(&c, []profile.Run{r}, 1)
	c.EnergyByEpochs = p.energyByEpochs(c, []profile.Run{r})
	even := c.Time
	if p.unseen {
		c.Time, c.Why = training.WithUnseenEnds(r, *c.Epochs, c.Time), c.Why+"; "+training.UnseenEnds
	}
	if r.Schedule != "" {
		c.sayScheduled(r)
		even = training.Predicted(training.AsIfEven(r), *c.Epochs, startup, pauses)
	}
	p.errAlike(&c, r, even)
	p.withEpochs(&c, r)
	p.inSteps(&c, r)
	p.finish(&c, r, 1)
	return c
}

// errAlike parts what a time is off by where predictions are off alike on all VM types:
// which of them is best is surer than what it takes. A schedule, which makes the rest of
// that, is the script's.
func (p *predictions) errAlike(c *Candidate, r profile.Run, even estimate.Estimate) {
	vm := profile.VMType{Cloud: r.Cloud, Region: r.Region, InstanceType: r.InstanceType, GPU: r.GPU, GPUCount: r.GPUCount}
	common := p.predictor.Common(p.work.Model, r.Variant, vm, r.GPUCount, r.BatchSize)
	c.FromWork = c.FromWork || common != 0
	all, own := c.Time.LogSigma(), even.LogSigma()
	common = math.Hypot(common, math.Sqrt(math.Max(0, all*all-own*own)))
	if common == 0 {
		return
	}
	common = math.Min(common, all)
	c.Probe.Sigma = math.Sqrt(all*all - common*common)
	c.Errors = []CellError{{int32(c.Cell), c.Probe.Sigma}, {SeveralCells, common}} // the list numbers the second
}
