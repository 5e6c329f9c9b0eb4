package candidate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/finetune"
	"sweetspot/engine/memory"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/transformer"
)

// Fit is whether the training of a language model fits the GPUs of a candidate, and how it
// is spread over them.
type Fit struct {
	Verdict         memory.Verdict
	Need            memory.Need // of each GPU, in bytes
	HasGiB          float64     // of each GPU
	Tuning          transformer.Tuning
	GPUs            int
	MicroBatch      int // sequences on each GPU at once
	MicroBatches    int // of a step
	LargestBatch    int // sequences at once on each GPU that fit; 0 is none
	LargestSequence int // tokens of one sequence on each GPU that fit; 0 is none
	WouldFit        []string
	TokensPerSecond estimate.Estimate // on all GPUs
	FLOPsPerToken   float64
	Trainable       float64 // parameters that learn
}

// Uneven is a batch that the GPUs of so many VM types cannot share out evenly.
type Uneven struct{ Batch, VMTypes int }

// finetunes are the trainings of a language model, whose workload has a tuning, on the VM
// types of the catalog, and the batches that leave some of these out.
func (f *facts) finetunes(first int) (out []Candidate, uneven []Uneven) {
	a, known := f.set.Architecture(f.work.Model)
	if !known || !f.asked.KeepsVariant(profile.Variant{Name: f.work.Tuning.Words()}) {
		return nil, nil
	}
	speeds, cells := finetune.NewSpeeds(f.set), cellNumbers{first, map[string]int{}}
	batches := f.work.BatchSizes
	if len(batches) == 0 {
		batches = []int{0} // as many as fit
	}
	for _, batch := range batches {
		uneven = append(uneven, Uneven{Batch: batch})
	}
	measured := f.measuredPeak(a)
	for _, m := range f.machines() {
		x := tuner{machine: m, a: a, speeds: speeds, measured: measured}
		for k, batch := range batches {
			if batch%m.vm.GPUCount != 0 {
				uneven[k].VMTypes++
				continue
			}
			if fit, step, why := x.best(*f.work.Tuning, batch); fit != nil {
				cell := cells.of(fmt.Sprintf("%s/%d", m.vm.GPU, m.vm.GPUCount))
				out = append(out, f.tuned(fit, step, why, m, cell))
			}
		}
	}
	return out, slices.DeleteFunc(uneven, func(u Uneven) bool { return u.VMTypes == 0 })
}

// tuned is the candidate of a training that fits a machine so.
func (f *facts) tuned(fit *Fit, step estimate.Estimate, why string, m machine, cell int) Candidate {
	t, batch := fit.Tuning, fit.MicroBatch*fit.MicroBatches*fit.GPUs
	each := float64(batch) * float64(t.Sequence)
	work, to := f.workOf(each)
	return f.predicted(Candidate{
		Model: f.work.Model, Mode: profile.Train, BatchSize: batch, Fit: fit, Cell: cell, Why: fit.words(why),
		Variant: profile.Variant{Name: t.Words(), Precision: m.precision(t.Weights)}, Units: &work.Value, ToLoss: to,
	}, m, step, steps(work, each), finetune.Common)
}

// tuner looks for the fastest way on a VM type that fits in any case.
type tuner struct {
	machine
	a      transformer.Architecture
	speeds *finetune.Speeds
	// measured is a peak of the same network, tuned by the same method; nil where there is none.
	measured *memory.Peak
}

// best is the fastest way that fits; else how the thriftiest one falls short. It is nil where
// no time is known. The GPUs can share the batch evenly.
func (x *tuner) best(t transformer.Tuning, batch int) (fit *Fit, step estimate.Estimate, why string) {
	gpus := x.vm.GPUCount
	for _, way := range ways(t, gpus) {
		j := memory.Job{Architecture: x.a, Tuning: way, GPUs: gpus, MicroBatch: 1, Measured: x.measured}
		micro, micros := x.batches(j, batch/gpus)
		j.MicroBatch, j.Accumulates = micro, micros > 1
		e, words := x.speeds.Step(j, micros, x.vm.GPU)
		if !e.Known() {
			return nil, step, ""
		}
		f := &Fit{Tuning: way, GPUs: gpus, MicroBatch: j.MicroBatch, MicroBatches: micros, Need: memory.Of(j),
			HasGiB: x.hasGiB}
		f.Verdict = f.Need.Judge(x.usable())
		f.TokensPerSecond = rate(float64(micro*micros*gpus)*float64(way.Sequence), e)
		if fit == nil || f.betters(fit) {
			fit, step, why = f, e, words
		}
	}
	x.complete(fit)
	return fit, step, why
}

// betters reports whether one way is better than another: that it fits for certain, then
// that it is faster, or else that it needs less.
func (f *Fit) betters(o *Fit) bool {
	switch {
	case f.Verdict != o.Verdict:
		return rankOf(f.Verdict) < rankOf(o.Verdict)
	case f.Verdict == memory.Fits:
		return f.TokensPerSecond.Value > o.TokensPerSecond.Value
	}
	return f.Need.Total.High < o.Need.Total.High
}

// rankOf orders verdicts, the best first.
func rankOf(v memory.Verdict) int {
	return slices.Index([]memory.Verdict{memory.Fits, memory.MayFit, memory.TooMuch}, v)
}

// ways are those that a tuning leaves open: with and without checkpointing, and sharded or
// not.
func ways(t transformer.Tuning, gpus int) (out []transformer.Tuning) {
	shardings := []transformer.Sharding{t.Sharding}
	switch {
	case gpus == 1:
		shardings = []transformer.Sharding{transformer.None}
	case t.Sharding == transformer.Auto:
		shardings = []transformer.Sharding{transformer.None, transformer.Zero3}
	}
	again := []bool{false, true}
	if t.Checkpointing != transformer.WhereNeeded {
		again = []bool{t.Checkpointing == transformer.Always}
	}
	for _, s := range shardings {
		for _, checkpointing := range again {
			way := t
			way.Sharding, way.Checkpointing = s, transformer.Never
			if checkpointing {
				way.Checkpointing = transformer.Always
			}
			out = append(out, way)
		}
	}
	return out
}

// enoughTokens at once keep any GPU busy; more would only change the training.
const enoughTokens = 16384

// batches is how many sequences a GPU takes at once, and how often for a step of so many: as
// many as fit, or, where a step may have any number, the power of two that keeps it busy.
func (x *tuner) batches(j memory.Job, perGPU int) (micro, times int) {
	if perGPU == 0 {
		largest := min(memory.LargestBatch(j, x.usable()), max(enoughTokens/j.Tuning.Sequence, 1))
		for micro = 1; 2*micro <= largest; {
			micro *= 2
		}
		return micro, 1
	}
	if memory.LargestBatch(j, x.usable()) >= perGPU { // which needs no sums of gradients
		return perGPU, 1
	}
	j.Accumulates = true
	micro = min(max(memory.LargestBatch(j, x.usable()), 1), perGPU)
	for perGPU%micro != 0 {
		micro--
	}
	return micro, perGPU / micro
}

// complete adds what else would fit.
func (x *tuner) complete(f *Fit) {
	j := memory.Job{Architecture: x.a, Tuning: f.Tuning, GPUs: f.GPUs, MicroBatch: 1, Accumulates: f.MicroBatches > 1,
		Measured: x.measured}
	f.LargestBatch, f.LargestSequence = memory.LargestBatch(j, x.usable()), memory.LargestSequence(j, x.usable())
	if f.Verdict != memory.Fits {
		f.WouldFit = memory.WouldFit(j, x.usable())
	}
	f.FLOPsPerToken, f.Trainable = f.Tuning.FLOPs(x.a), f.Tuning.Trainable(x.a)
}

// words say how the training is spread and what its time rests on.
func (f *Fit) words(why string) string {
	parts := []string{fmt.Sprintf("%s tokens/s", quantity.Count(math.Round(f.TokensPerSecond.Value)))}
	batch := quantity.Several(f.MicroBatch, "sequence") + " at once"
	if f.MicroBatches > 1 {
		batch += fmt.Sprintf(", %d times a step", f.MicroBatches)
	}
	if f.GPUs > 1 {
		batch += " on each GPU"
	}
	parts = append(parts, batch)
	switch f.Tuning.Sharding {
	case transformer.Zero3:
		parts = append(parts, "weights sharded over the GPUs (ZeRO-3, FSDP)")
	case transformer.Zero1, transformer.Zero2:
		parts = append(parts, "sharded as "+string(f.Tuning.Sharding))
	}
	if f.Tuning.Checkpointing == transformer.Always {
		parts = append(parts, "with checkpointing")
	}
	return strings.Join(append(parts, "from "+why), "; ")
}
