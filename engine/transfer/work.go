package transfer

import (
	"fmt"
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/roofline"
)

// Common is the standard deviation of ln(time) that the predictions of a variant at a
// batch size have in common on all VM types: where nothing of it was run on a GPU they
// rest on its work alone, and are all too long or all too short. It is 0 otherwise.
func (p *Predictor) Common(model string, v profile.Variant, vm profile.VMType, gpus, batch int) float64 {
	_, _, common := p.byWork(model, v, vm, gpus, batch)
	return common
}

// byWork predicts the time on GPUs of a subject that has no time on any, from its work.
// The batch is split over the GPUs, which then exchange their gradients.
func (p *Predictor) byWork(model string, v profile.Variant, vm profile.VMType, gpus, batch int) (
	e estimate.Estimate, why string, common float64) {
	t, s := p.Iterations, SubjectOf(model, v)
	if n := t.units[s]; batch < 1 || n > 0 && float64(batch) > n {
		return e, "", 0
	}
	if vm.IsCPU() {
		job := roofline.Job{Work: t.works[s], Mode: t.mode, Batch: float64(batch)}
		if e = roofline.OnCPUs(job, *vm.VCPUs); e.Known() {
			why = roofline.WhyOnCPUs(job)
		}
		return e, why, 0
	}
	if vm.GPU == "" || t.ranOnGPU(s) || p.Epochs.ranOnGPU(s) {
		return e, "", 0
	}
	g, known := t.specs(vm.GPU)
	if !known {
		return e, "", 0
	}
	split := math.Log(t.platform(vm.Key(), gpus, 1).all())
	perGPU := float64(batch) / math.Exp(split)
	job := roofline.Job{Work: t.works[s], Mode: t.mode, Precision: t.precisions[s], Batch: perGPU}
	if e, common = roofline.Fitted().Estimate(job, g); !e.Known() {
		return e, "", 0
	}
	sd := math.Hypot(e.LogSigma(), exchangeSpread*split/math.Ln2)
	e = logNormal(math.Log(e.Value)+exchangeCost*split/math.Ln2, sd, estimate.Z90, estimate.Spec)
	why = roofline.Why(job)
	if wait := t.waits[s] * float64(batch); wait > 0 {
		// No GPU shortens it. The VM's CPUs may, or more loaders beside the GPU.
		e.Value, e.High = e.Value+wait, e.High+wait
		if wait >= boundByInput*e.Value {
			why += fmt.Sprintf("; of it %s are for input, as where it was run: input may bind", quantity.Duration(wait))
		}
	}
	return e, why, common
}

// boundByInput is the share of an iteration from which waiting for input is said.
const boundByInput = 0.1

// ranOnGPU reports whether a subject has a time on a platform that may have a GPU.
func (t *Table) ranOnGPU(s Subject) bool {
	for _, p := range t.platforms[s] {
		if !t.cpus[p] {
			return true
		}
	}
	return false
}
