package candidate

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
	"sweetspot/engine/transfer"
)

// Predictor answers for what nobody measured.
type Predictor interface {
	// Iteration is the time in seconds of a steady iteration of a variant on so
	// many GPUs of a VM type, and what it rests on in words; unknown where
	// nothing can be said.
	Iteration(model string, v profile.Variant, vm profile.VMType, gpus, batch int) (seconds estimate.Estimate, why string)
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

// mostPredicted bounds how many predictions are listed in full, and their
// multiple how many after narrowing: a training takes some 1.5 kB, and each
// prediction about 4 µs (BenchmarkPredicted in rank).
const (
	mostPredicted = 100_000
	mostNarrowed  = 4 * mostPredicted
)

// variantBatch is a variant, by its key, at a batch size.
type variantBatch struct {
	variant string
	batch   int
}

// predictions are what to predict for a workload, and what it rests on: every
// variant that was run, at every batch size that was, on every VM type with a GPU.
// They are immutable.
type predictions struct {
	*facts
	narrowed  Narrowed
	maxCount  int // of VMs that each is made for
	variants  []profile.Variant
	keys      []string // of the variants
	offers    []profile.VMType
	shapes    []profile.Run // by batch size: what is known whatever the variant and the VM type
	ran       map[variantBatch]bool
	answered  map[cellKey]bool // cells, without their regions, that a run has answered for
	first     int              // number of the first predicted cell
	origins   origins
	sources   map[string][]int64          // runs with a steady time, by variant
	memory    map[string]*transfer.Memory // by variant; nil where nothing tells
	startups  map[int]startup             // by number of GPUs, and of all under [anyGPUs]
	pauses    training.Pauses
	validated *float64 // what a validation takes, see [validation]
}

// predictions gathers what predictions rest on: the runs of the model in the mode.
func (f *facts) predictions(known cells) *predictions {
	p := &predictions{facts: f, first: len(known.keys), origins: known.origins, ran: map[variantBatch]bool{},
		sources: map[string][]int64{}}
	if f.predictor == nil {
		return p
	}
	var donors []profile.Run
	for _, r := range f.set.Runs {
		if r.Model != f.work.Model || r.Mode != f.work.Mode || r.PowerLimitW != nil {
			continue // a lowered power limit slows the GPU down
		}
		id := r.Variant.Key()
		donors = append(donors, r)
		if f.asked.KeepsVariant(r.Variant) {
			p.ran[variantBatch{id, r.BatchSize}] = true
		}
		if r.Steady.Known() {
			p.sources[id] = append(p.sources[id], r.ID)
		}
	}
	var batches []int
	p.variants, batches = f.axes(donors)
	p.offers = f.offers()
	if p.narrow(len(p.variants)*len(batches), len(p.offers)); p.narrowed == Nothing {
		p.offers = nil
		return p
	}
	p.answered = f.answered(known)
	for _, batch := range batches {
		p.shapes = append(p.shapes, f.shape(donors, batch))
	}
	p.memory = map[string]*transfer.Memory{}
	for _, v := range p.variants {
		p.keys = append(p.keys, v.Key())
		p.memory[v.Key()] = transfer.MemoryLine(transfer.Peaks(f.set, f.work.Mode, f.work.Model, v))
	}
	p.startups, p.pauses, p.validated = startups(donors), longestPauses(donors), validation(donors)
	return p
}

// narrow decides what to leave out of the predictions for so many variants at
// batch sizes on so many VM types, and on how many VMs each is made.
func (p *predictions) narrow(variants, offers int) {
	p.maxCount = 1
	if p.work.Mode == profile.Infer {
		p.maxCount = max(p.work.MaxCount, 1)
	}
	if variants*offers*p.maxCount <= mostPredicted {
		return
	}
	p.maxCount, p.narrowed = 1, OwnBatches
	if len(p.ran)*offers > mostNarrowed {
		p.narrowed = Nothing
	}
}

// all are the cells that no run answers for.
func (p *predictions) all() iter.Seq[cell] {
	type kind struct {
		gpu   string
		count int
	}
	return func(yield func(cell) bool) {
		// All predictions for a GPU err together: they rest on the same knowledge
		// of it.
		kinds, origins := map[kind]int{}, maps.Clone(p.origins)
		var run profile.Run // one for all: it is large
		for variant, v := range p.variants {
			key := keyOf(&profile.Run{Variant: v, Mode: p.work.Mode})
			for offer, vm := range p.offers {
				for shape := range p.shapes {
					g := prediction{p, int32(variant), int32(offer), int32(shape), estimate.Estimate{}}
					run = g.asked()
					key.vm, key.batch = run.VM(), run.BatchSize
					if !p.wants(&run, variant, key) {
						continue
					}
					if g.steady, _ = p.predictor.Iteration(p.work.Model, v, vm, vm.GPUCount, run.BatchSize); !g.steady.Known() {
						continue
					}
					k := kind{vm.GPU, vm.GPUCount}
					if _, seen := kinds[k]; !seen {
						kinds[k] = p.first + len(kinds)
					}
					if !yield(cell{number: origins.number(kinds[k], &run, p.keys[variant]), predicted: new(g)}) {
						return
					}
				}
			}
		}
	}
}

// wants reports whether a run is to be predicted: it is asked for, and no run answers
// for its cell.
func (p *predictions) wants(run *profile.Run, variant int, key cellKey) bool {
	if p.narrowed == OwnBatches && !p.ran[variantBatch{p.keys[variant], run.BatchSize}] {
		return false
	}
	return p.asked.Keeps(run) && p.sensible(*run) && !p.answered[anywhere(key)]
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
		if o := (offer{vm.Cloud, vm.InstanceType, price.USDPerHour}); !seen[o] && vm.GPUCount > 0 && f.asked.KeepsVM(vm) {
			seen[o] = true
			out = append(out, vm)
		}
	}
	return out
}

// axes are the variants that were run, and the batch sizes: those asked for,
// else those that were run, in rising order.
func (f *facts) axes(donors []profile.Run) (variants []profile.Variant, batches []int) {
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

// anywhere is the cell without its region.
func anywhere(k cellKey) cellKey {
	k.vm.Region = ""
	return k
}

// answered are the cells, without their regions, that a run has answered for, be
// it that it ran out of memory there.
func (f *facts) answered(known cells) map[cellKey]bool {
	out := make(map[cellKey]bool, len(known.keys))
	for n, k := range known.keys {
		if slices.ContainsFunc(f.gather(known.all[n].runs), func(r profile.Run) bool {
			return isOutOfMemory(r) ||
				f.answers(r)
		}) {
			out[anywhere(k)] = true
		}
	}
	return out
}

// shape is a run at a batch size as far as the donors tell what it does.
func (f *facts) shape(donors []profile.Run, batch int) profile.Run {
	run := profile.Run{Model: f.work.Model, Unit: f.work.Unit, Mode: f.work.Mode, BatchSize: batch, Count: 1}
	for _, r := range donors {
		run.Dataset = cmp.Or(run.Dataset, r.Dataset)
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
func validation(donors []profile.Run) *float64 {
	var samples []float64
	for _, r := range donors {
		if r.ValidationS != nil && r.Steady.Value > 0 && r.BatchSize >= 1 {
			samples = append(samples, *r.ValidationS/r.Steady.Value*float64(r.BatchSize))
		}
	}
	if len(samples) == 0 {
		return nil
	}
	slices.Sort(samples)
	return new(stat.Quantile(0.5, stat.LinInterp, samples, nil))
}

// sensible reports whether a batch size is one for the work: no more than an
// epoch, or than all units.
func (f *facts) sensible(run profile.Run) bool {
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

// startup is a start-up that was not seen: its geometric mean and its relative
// spread.
type startup struct{ mean, spread float64 }

// anyGPUs stands for VM types with any number of GPUs.
const anyGPUs = -1

// startups are what the model's start-ups on VM types with as many GPUs, and on
// all, say of those on others.
func startups(donors []profile.Run) map[int]startup {
	logs := map[int][]float64{}
	for _, r := range donors {
		if v, ok := r.Startup(); ok && v > 0 {
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
func longestPauses(donors []profile.Run) (best training.Pauses) {
	for _, s := range donors {
		if p := training.PausesOf(s); p.Seen() && (!best.Seen() || p.Watched() > best.Watched()) {
			best = p
		}
	}
	return best
}

// predictedTraining is the candidate of a training that is predicted; ok is false where
// its number of epochs or of their iterations is not known.
func (p *predictions) predictedTraining(of cell) (c Candidate, ok bool) {
	runs, c, _ := p.answering(of, nil)
	c.Why = of.predicted.why()
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
	p.withEpochs(&c, r)
	p.finish(&c, r, 1)
	return c
}
