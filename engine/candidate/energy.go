package candidate

import (
	"sweetspot/engine/bill"
	"sweetspot/engine/energy"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

// energy is that of the candidate's work in kilowatt-hours, by those of its runs
// of which it was measured. Its time is still that of the work alone.
func (f *facts) energy(c *Candidate, runs []profile.Run, vms int) estimate.Estimate {
	var of []estimate.Estimate
	for i := range runs {
		r := &runs[i]
		if r.EnergyJPerUnit == nil && r.AveragePowerW == nil {
			continue
		}
		joules := energy.Of(*r, energy.Job{Units: f.units(c, r), Seconds: c.Time, VMs: vms})
		if joules.Known() {
			of = append(of, joules.Times(1/energy.JoulesPerKWh))
		}
	}
	if len(of) == 0 {
		return estimate.Estimate{}
	}
	return training.Pool(of)
}

// energyByEpochs is how the energy of a training grows with its epochs; nil where
// that is not known.
func (f *facts) energyByEpochs(c Candidate, runs []profile.Run) *training.Line {
	line := c.TimeByEpochs
	if line == nil || !c.Energy.Known() {
		return nil
	}
	at := func(epochs float64) float64 {
		c.Epochs, c.Time = &epochs, estimate.Exact(line.At(epochs), c.Time.Basis)
		return f.energy(&c, runs, max(runs[0].Count, 1)).Value
	}
	slope := at(2) - at(1)
	return &training.Line{At0: at(1) - slope, Slope: slope}
}

// units is the work of the whole job, 0 where it is not known.
func (f *facts) units(c *Candidate, r *profile.Run) float64 {
	switch {
	case c.Mode == profile.Infer:
		return f.work.Units
	case c.Epochs == nil:
		return 0
	case r.TrainSize != nil:
		return *c.Epochs * *r.TrainSize
	case r.IterationsPerEpoch != nil:
		return *c.Epochs * *r.IterationsPerEpoch * float64(r.BatchSize)
	}
	return 0
}

// billOf is the bill of a VM. A machine of one's own without a price is not
// rented: of its bill only the electricity is paid.
func (f *facts) billOf(p Part) bill.Bill {
	if p.VM.Cloud == "" && p.USDPerHour == nil {
		return bill.Bill{ElectricityUSDPerKWh: f.work.Bill.ElectricityUSDPerKWh, PUE: f.work.Bill.PUE}
	}
	return f.work.Bill
}
