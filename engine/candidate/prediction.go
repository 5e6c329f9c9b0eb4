package candidate

import (
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/transfer"
)

// prediction is a variant on a VM type at a batch size that no run answers for, by their
// places among the predictions, and the predicted seconds of an iteration, which others
// share. There may be very many: what else is known of one is made when it is looked at.
type prediction struct {
	from                          *predictions
	steady                        *estimate.Estimate
	variant, offer, shape, number int32 // number: that of its cell
}

func (g *prediction) cell() cell { return cell{number: int(g.number), predicted: g} }

// asked is the run without what has to be predicted.
func (g *prediction) asked() profile.Run {
	run, vm := g.from.shapes[g.shape], &g.from.offers[g.offer]
	run.Variant = g.from.variants[g.variant]
	run.Cloud, run.Region, run.InstanceType = vm.Cloud, vm.Region, vm.InstanceType
	run.GPU, run.GPUCount, run.GPUMemGiB, run.NoGPU = vm.GPU, vm.GPUCount, vm.GPUMemGiB, vm.IsCPU()
	run.Steady, run.Basis, run.Work = *g.steady, g.steady.Basis, g.from.works[g.variant]
	return run
}

// run is the run as it is predicted to be, labelled by the basis of its time.
func (g *prediction) run() profile.Run {
	p, run := g.from, g.asked()
	run.PeakMemoryBytes = p.peak(&run, g.variant)
	if p.validated != nil {
		run.ValidationS = new(*p.validated / float64(max(run.BatchSize, 1)) * run.Steady.Value)
	}
	return run
}

// why says what the prediction rests on.
func (g *prediction) why() string {
	p, vm, batch := g.from, g.from.offers[g.offer], g.from.shapes[g.shape].BatchSize
	_, why := p.asker(int(g.variant)).Iteration(p.work.Model, p.variants[g.variant], vm, vm.GPUCount, batch)
	if _, power := g.power(); power != "" && why != "" {
		why += "; " + power
	}
	return why
}

// watts is the mean power of one VM, unknown where no power of the variant was measured.
func (g *prediction) watts() estimate.Estimate {
	e, _ := g.power()
	return e
}

func (g *prediction) power() (watts estimate.Estimate, why string) {
	p, vm := g.from, &g.from.offers[g.offer]
	if p.powers == nil {
		return watts, ""
	}
	return p.powers.Of(transfer.SubjectOf(p.work.Model, p.variants[g.variant]), vm.GPU, vm.GPUCount,
		p.shapes[g.shape].BatchSize, p.work.Mode)
}

// peak is the GPU memory that the batch size needs by those that were run,
// wherever: a line through their peaks. Nil where fewer than two tell.
func (p *predictions) peak(run *profile.Run, variant int32) *float64 {
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

// common is what the predictions of batch inference of a variant at a batch size have in
// common, on whatever VM type.
type common struct {
	known   bool
	peak    *float64
	quality *Quality
}

// look makes the candidate of a prediction of batch inference in the listing, but for
// what depends on the number of VMs. What predictions have in common it takes from the
// one before.
func (l *listing) look(g *prediction) (runs []profile.Run, part Part) {
	p := g.from
	if len(l.common) == 0 || l.variant != g.variant {
		l.variant, l.common = g.variant, append(l.common[:0], make([]common, len(p.shapes))...)
	}
	l.runs = append(l.runs[:0], g.asked())
	run, of := &l.runs[0], &l.common[g.shape]
	if !of.known {
		*of = common{true, p.peak(run, g.variant), p.quality(*run)}
	}
	part, run.PeakMemoryBytes = p.parts[g.offer], of.peak
	l.Candidate = p.with(of.quality, &part.VM, run)
	l.Cell, l.Sources, l.watts = int(g.number), p.sources[g.variant], g.watts()
	return l.runs, part
}
