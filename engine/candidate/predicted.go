package candidate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
	"sweetspot/engine/transfer"
)

// imagine calls f for every cell that no run answers for but a prediction does:
// every variant that was run, at every batch size that was, on every VM type with
// a GPU. Each is labelled by the basis of its prediction. Where these are too
// many they are narrowed, which is returned.
func (b *builder) imagine(keys []cellKey, cells [][]int32, f func(index int, r profile.Run, why string)) Narrowed {
	if b.w.Predictor == nil {
		return InFull
	}
	b.findDonors()
	variants, batches := b.axes()
	offers, known := b.offers(), b.answeredAnywhere(keys, cells)
	narrowed := b.narrow(len(variants)*len(batches), len(offers))
	if narrowed == Nothing {
		return narrowed
	}
	// All predictions for a GPU err together: they rest on the same knowledge
	// of it.
	gpus := map[string]int{}
	share := b.validation()
	shapes := make([]profile.Run, len(batches))
	for i, batch := range batches {
		shapes[i] = b.shaped(batch)
	}
	for _, v := range variants {
		id := variantKey(v)
		for _, vm := range offers {
			for i, batch := range batches {
				if narrowed == OwnBatches && !b.ran[variantBatch{id, batch}] {
					continue
				}
				run := b.imagined(shapes[i], v, vm)
				if !b.wanted(&run) || !b.sensible(run) || known[anywhere(keyOf(&run))] {
					continue
				}
				var why string
				if run.Steady, why = b.w.Predictor.Iteration(b.w.Model, v, vm, run.GPUCount, batch); !run.Steady.Known() {
					continue
				}
				run.Basis, run.PeakMemoryBytes = run.Steady.Basis, b.peak(run)
				if share != nil {
					run.ValidationS = new(*share / float64(max(batch, 1)) * run.Steady.Value)
				}
				gpu := fmt.Sprint(vm.GPU, vm.GPUCount)
				if _, seen := gpus[gpu]; !seen {
					gpus[gpu] = len(keys) + len(gpus)
				}
				f(gpus[gpu], run, why)
			}
		}
	}
	return narrowed
}

// offers are the VM types to predict for. Of one that costs the same in several
// regions the first stands for all.
func (b *builder) offers() []profile.VMType {
	type offer struct {
		cloud, instance string
		hourly          float64
	}
	seen := map[offer]bool{}
	var out []profile.VMType
	for _, vm := range b.set.VMTypes {
		price, _ := vm.PriceOf(b.w.Purchase)
		if o := (offer{vm.Cloud, vm.InstanceType, price.USDPerHour}); !seen[o] && vm.GPUCount > 0 && b.wantedPlace(vm.GPU, vm.Cloud) {
			seen[o] = true
			out = append(out, vm)
		}
	}
	return out
}

// axes are the variants that were run, and the batch sizes: those asked for,
// else those that were run, in rising order.
func (b *builder) axes() (variants []profile.Variant, batches []int) {
	seen := map[string]bool{}
	batches = slices.Clone(b.w.BatchSizes)
	for _, r := range b.donors {
		if id := variantKey(r.Variant); !seen[id] && among(b.w.Variants, r.Variant.Name) {
			seen[id] = true
			variants = append(variants, r.Variant)
		}
		if len(b.w.BatchSizes) == 0 && r.BatchSize > 0 {
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

// answeredAnywhere are the cells, without their regions, that a run has answered
// for, be it that it ran out of memory there.
func (b *builder) answeredAnywhere(keys []cellKey, cells [][]int32) map[cellKey]bool {
	known := make(map[cellKey]bool, len(keys))
	for n, k := range keys {
		if slices.ContainsFunc(b.gather(cells[n]), func(r profile.Run) bool { return r.Status == profile.OutOfMemory || b.answers(r) }) {
			known[anywhere(k)] = true
		}
	}
	return known
}

// findDonors lists the runs that predictions rest on.
func (b *builder) findDonors() {
	b.donors, b.donorsOf, b.ran = nil, map[string][]int64{}, map[variantBatch]bool{}
	for _, r := range b.set.Runs {
		if r.Model != b.w.Model || r.Mode != b.w.Mode || r.PowerLimitW != nil {
			continue // a lowered power limit slows the GPU down
		}
		id := variantKey(r.Variant)
		b.donors = append(b.donors, r)
		if among(b.w.Variants, r.Variant.Name) {
			b.ran[variantBatch{id, r.BatchSize}] = true
		}
		if r.Steady.Known() {
			b.donorsOf[id] = append(b.donorsOf[id], r.ID)
		}
	}
}

// shaped is a run at a batch size as far as the donors tell what it does: they
// may be thousands, and so may the variants and VM types it is asked for.
func (b *builder) shaped(batch int) profile.Run {
	run := profile.Run{Model: b.w.Model, Unit: b.w.Unit, Mode: b.w.Mode, BatchSize: batch, Count: 1}
	for _, r := range b.donors {
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

// imagined is the run of a cell as far as it is known without running it.
func (b *builder) imagined(run profile.Run, v profile.Variant, vm profile.VMType) profile.Run {
	run.Variant = v
	run.Cloud, run.Region, run.InstanceType = vm.Cloud, vm.Region, vm.InstanceType
	run.GPU, run.GPUCount, run.GPUMemGiB = vm.GPU, vm.GPUCount, vm.GPUMemGiB
	return run
}

// validation is what a validation takes: as many iterations' time as where it was
// measured, by the median, for samples in place of batches. Nil where it never
// was.
func (b *builder) validation() *float64 {
	return typical(b.donors, func(r profile.Run) *float64 {
		if r.ValidationS == nil || !(r.Steady.Value > 0) || r.BatchSize < 1 {
			return nil
		}
		return new(*r.ValidationS / r.Steady.Value * float64(r.BatchSize)) // in samples
	})
}

// sensible reports whether a batch size is one for the work: no more than an
// epoch, or than all units.
func (b *builder) sensible(run profile.Run) bool {
	if b.w.Mode == profile.Infer {
		return float64(run.BatchSize) <= b.w.Units
	}
	return run.IterationsPerEpoch == nil || *run.IterationsPerEpoch >= 1
}

// peak is the GPU memory that the batch size needs by those that were run,
// wherever: a line through their peaks. Nil where fewer than two tell.
func (b *builder) peak(run profile.Run) *float64 {
	key := variantKey(run.Variant)
	line, fitted := b.memory[key]
	if !fitted {
		line = transfer.MemoryLine(transfer.Peaks(b.set, run.Mode, run.Model, run.Variant))
		b.memory[key] = line
	}
	if line == nil {
		return nil
	}
	batch := float64(run.BatchSize)
	if run.Mode == profile.Train {
		batch /= float64(max(run.GPUCount, 1))
	}
	if e := line.At(batch); e.Known() {
		return &e.Value
	}
	return nil
}

func typical(runs []profile.Run, of func(profile.Run) *float64) *float64 {
	var values []float64
	for _, r := range runs {
		if v := of(r); v != nil {
			values = append(values, *v)
		}
	}
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	return new(stat.Quantile(0.5, stat.LinInterp, values, nil))
}

// leastStartupSpread is the relative spread of a start-up that was not seen: nine
// of ten within a factor of three. The start-ups of one model on one VM type at
// four batch sizes have a standard deviation of 0.67 in the logarithm in Malta's
// tables, the first of a VM type being by far the longest.
const leastStartupSpread = 2.0

// startup is what the model's start-ups on VM types with as many GPUs, else on
// all, say of one on another VM type; unknown where none was measured.
func (b *builder) startup(r profile.Run) estimate.Estimate {
	var same, all []float64
	for _, s := range b.donors {
		if v, ok := s.Startup(); ok && v > 0 {
			all = append(all, math.Log(v))
			if s.GPUCount == r.GPUCount {
				same = append(same, math.Log(v))
			}
		}
	}
	if len(same) > 0 {
		all = same
	}
	if len(all) == 0 {
		return estimate.Estimate{}
	}
	mean, spread := all[0], leastStartupSpread
	if len(all) > 1 {
		var sd float64
		mean, sd = stat.MeanStdDev(all, nil)
		spread = math.Max(spread, math.Expm1(estimate.Z90*sd))
	}
	return estimate.Spread(math.Exp(mean), spread, r.Basis)
}

func (b *builder) imaginedCell(index int, r profile.Run, why string) []Candidate {
	base := b.candidate(index, r)
	base.Why = why
	base.Sources = slices.Clip(b.donorsOf[variantKey(r.Variant)])
	if b.w.Mode == profile.Infer {
		var out []Candidate
		for n := range b.counts {
			out = append(out, b.inference(base, []profile.Run{r}, n+1))
		}
		return out
	}
	c := base
	c.Epochs = b.epochs(r)
	if c.Epochs == nil || r.IterationsPerEpoch == nil {
		return nil
	}
	startup := b.startup(r)
	pauses := b.pauses(r)
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
	b.withEpochs(&c, r)
	b.finish(&c, r, 1)
	return []Candidate{c}
}

func SameVariant(a, b profile.Variant) bool { return variantKey(a) == variantKey(b) }

// IsPredicted reports whether the candidate rests on no run of its own.
// Its time may be weaker known than that: by the epochs it takes to a target.
func (c *Candidate) IsPredicted() bool { return c.Timing() >= estimate.OtherBatch }

// Timing is the basis of the iteration time behind the candidate's.
func (c *Candidate) Timing() estimate.Basis {
	if c.timed == estimate.Unknown {
		return c.Time.Basis
	}
	return c.timed
}
