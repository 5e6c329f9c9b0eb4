package candidate

import (
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// prediction is a variant on a VM type at a batch size that no run answers for, by their
// places among the predictions, and the predicted seconds of an iteration. There may be
// very many: what else is known of one is made when it is looked at.
type prediction struct {
	from                  *predictions
	variant, offer, shape int32
	steady                estimate.Estimate
}

// asked is the run without what has to be predicted.
func (g *prediction) asked() profile.Run {
	run, vm := g.from.shapes[g.shape], &g.from.offers[g.offer]
	run.Variant = g.from.variants[g.variant]
	run.Cloud, run.Region, run.InstanceType = vm.Cloud, vm.Region, vm.InstanceType
	run.GPU, run.GPUCount, run.GPUMemGiB = vm.GPU, vm.GPUCount, vm.GPUMemGiB
	return run
}

// run is the run as it is predicted to be, labelled by the basis of its time.
func (g *prediction) run() profile.Run {
	p, run := g.from, g.asked()
	run.Steady, run.Basis = g.steady, g.steady.Basis
	run.PeakMemoryBytes = p.peak(&run, p.keys[g.variant])
	if p.validated != nil {
		run.ValidationS = new(*p.validated / float64(max(run.BatchSize, 1)) * run.Steady.Value)
	}
	return run
}

// why says what the prediction rests on.
func (g *prediction) why() string {
	p, run := g.from, g.asked()
	_, why := p.predictor.Iteration(p.work.Model, run.Variant, p.offers[g.offer], run.GPUCount, run.BatchSize)
	return why
}

// peak is the GPU memory that the batch size needs by those that were run,
// wherever: a line through their peaks. Nil where fewer than two tell.
func (p *predictions) peak(run *profile.Run, variant string) *float64 {
	line := p.memory[variant]
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
