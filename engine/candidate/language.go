package candidate

import (
	"cmp"
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/finetune"
	"sweetspot/engine/memory"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/transformer"
)

// machine is a VM type on whose GPUs language models run.
type machine struct {
	vm     profile.VMType
	gpu    profile.GPUSpec
	hasGiB float64 // of each GPU
}

// machines are the VM types of the catalog with tensor cores and known figures.
func (f *facts) machines() (out []machine) {
	for _, vm := range f.offers() {
		g, known := f.set.GPUSpec(vm.GPU)
		has := cmp.Or(vm.GPUMemGiB, g.MemoryGB)
		if _, tensor := finetune.Peak(g); known && tensor && has != nil && vm.GPUCount >= 1 {
			out = append(out, machine{vm, g, *has})
		}
	}
	return out
}

// usable are the bytes of a GPU that a program gets. Drivers keep some: a card of 80 GB
// shows 79.3 GiB. ECC takes a sixteenth of memory that is no HBM: a T4 shows 15 GiB of 16, an
// L4 22.5 of 24, an L40S 45 of 48.
func (m machine) usable() float64 {
	const hbmGBs = 1000
	if *m.gpu.BandwidthGBs < hbmGBs && m.hasGiB == math.Trunc(m.hasGiB) {
		return m.hasGiB * memory.GiB * 15 / 16
	}
	return m.hasGiB * memory.GiB * 0.985
}

// precision is that of the arithmetic: bf16, but on GPUs before Ampere, unless all of it is in
// 32 bits.
func (m machine) precision(w transformer.Weights) string {
	switch {
	case w == transformer.Single:
		return "fp32"
	case m.gpu.Architecture == "Volta" || m.gpu.Architecture == "Turing":
		return "fp16"
	}
	return "bf16"
}

// predicted completes a candidate on one VM, of steps that each take as long as was predicted.
// common is the standard deviation of ln(time) by which all such predictions are off alike, beside that of the
// number of steps.
func (f *facts) predicted(c Candidate, m machine, step, steps estimate.Estimate, common float64) Candidate {
	c.Purchase, c.timed, c.FromWork = f.work.Purchase, step.Basis, step.Basis == estimate.Spec
	if c.Units == nil {
		c.Units = new(f.work.Units)
	}
	if c.Fit.Verdict != memory.Fits {
		c.OverMemory = &Violation{Constraint: question.GPUMemory, Limit: c.Fit.HasGiB,
			Value: new(c.Fit.Need.Total.High / memory.GiB)}
	}
	sigma := step.LogSigma()
	own := math.Sqrt(math.Max(sigma*sigma-common*common, 0))
	c.Time = step.By(steps)
	c.Time.Basis = estimate.Weakest(step.Basis, steps.Basis)
	c.Probe = Probe{IterationS: step.Value, Sigma: own}
	c.Errors = []CellError{{int32(c.Cell), own},
		{SeveralCells, math.Hypot(math.Min(common, sigma), steps.LogSigma())}} // the list numbers the second
	f.finish(&c, profile.Run{Cloud: m.vm.Cloud, Region: m.vm.Region, InstanceType: m.vm.InstanceType, GPU: m.vm.GPU,
		GPUCount: m.vm.GPUCount, GPUMemGiB: m.vm.GPUMemGiB}, 1)
	return c
}

// steps are those in which so many units of work are done, of which each does as many; at least one.
func steps(work estimate.Estimate, each float64) estimate.Estimate {
	n := work.Times(1 / each)
	if n.High <= n.Low { // an exact number of units takes whole steps
		return estimate.Exact(math.Max(math.Ceil(n.Value), 1), work.Basis)
	}
	return n.Times(math.Max(1, 1/n.Value))
}

// rate is so many tokens in each step, a second.
func rate(tokens float64, step estimate.Estimate) estimate.Estimate {
	return estimate.Estimate{Value: tokens / step.Value, Low: tokens / step.High, High: tokens / step.Low,
		Basis: step.Basis}
}

// cellNumbers give each key a number, in the order in which they are asked for.
type cellNumbers struct {
	first   int
	numbers map[string]int
}

func (n cellNumbers) of(key string) int {
	if _, seen := n.numbers[key]; !seen {
		n.numbers[key] = n.first + len(n.numbers)
	}
	return n.numbers[key]
}
