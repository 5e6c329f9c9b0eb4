package candidate

import (
	"math"
	"slices"

	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

const gib = 1 << 30

// overMemory tests the GPU's memory: the measured peak of the run, else the
// floor that the weights alone need (training holds gradients too). Of a pruned
// variant it isn't known how many are left.
func (f *facts) overMemory(r profile.Run) *Violation {
	mem := r.GPUMemGiB
	if vm, ok := f.market.vmOf(r); ok && vm.GPUMemGiB != nil {
		mem = vm.GPUMemGiB
	}
	if mem == nil {
		return nil
	}
	var need float64
	switch {
	case r.PeakMemoryBytes != nil:
		need = *r.PeakMemoryBytes / gib
	case f.model.Params != nil && r.GPUCount > 0 && r.Variant.Pruning == nil:
		need = *f.model.Params * weightBytes(r.Variant.Precision) / gib
		if r.Mode == profile.Train {
			need *= 2
		}
	}
	if need > *mem {
		return &Violation{Constraint: question.GPUMemory, Limit: *mem, Value: &need}
	}
	return nil
}

// weightBytes is what one weight takes in memory.
func weightBytes(precision string) float64 {
	switch precision {
	case "fp16", "bf16":
		return 2
	case "int8":
		return 1
	}
	return 4
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
