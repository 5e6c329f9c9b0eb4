// Package energy turns the electricity that was measured of a run into that of
// a whole job, in joules.
//
// It covers what the sensors covered ([profile.Run.EnergyOf]): the GPUs, or the
// packages of the CPUs. The rest of the machine, its power supply and its
// cooling are not in it.
package energy

import (
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// JoulesPerKWh is the number of joules in a kilowatt hour.
const JoulesPerKWh = 3.6e6

// sensorRel is the relative half-width (90 %) of what the sensors say. NVIDIA
// states that its boards report power to within 5 % (NVML API reference,
// nvmlDeviceGetPowerUsage), and RAPL was found to err by about as much against
// meters (Khan et al., "RAPL in Action", ACM TOMPECS 3(2), 2018).
const sensorRel = 0.05

// Job is what a run's machine is asked to do.
type Job struct {
	Units   float64           // of work; 0 is unknown
	Seconds estimate.Estimate // of the whole job on the machine: start-up, work and validations
	VMs     int               // that work at once
	Watts   estimate.Estimate // predicted mean power of one VM; unknown where the run's is known
}

// Of is the energy of a job that is done as the run was, in joules, with a 90 %
// interval. It is unknown where nothing was measured of the run.
//
// Where the energy of a unit is known, the units take that. Of the rest of the
// time, start-up and validations, nothing is known but that the power is between
// none and that of the work: the value takes half, and the interval all of it.
//
// Where only the mean power is known the energy is power × time, as in equation
// 1 of Zeus (You, Chung and Chowdhury, NSDI 2023).
func Of(r profile.Run, j Job) estimate.Estimate {
	watts := r.AveragePowerW
	switch {
	case j.Watts.Known() && j.Seconds.Known():
		return j.Seconds.By(j.Watts.Times(float64(max(j.VMs, 1))))
	case r.EnergyJPerUnit != nil && j.Units > 0:
		work := estimate.Spread(*r.EnergyJPerUnit*j.Units, sensorRel, r.Basis)
		if watts == nil || !(*watts > 0) || !j.Seconds.Known() {
			return work
		}
		power := *watts * float64(max(j.VMs, 1))
		if rest := j.Seconds.Value*power - work.Value; rest > 0 {
			work = work.Plus(estimate.Around(rest/2, rest/2, r.Basis))
		}
		return work
	case watts != nil && j.Seconds.Known():
		power := estimate.Spread(*watts*float64(max(j.VMs, 1)), sensorRel, r.Basis)
		joules := j.Seconds.By(power)
		joules.Basis = estimate.Weakest(j.Seconds.Basis, r.Basis)
		return joules
	}
	return estimate.Estimate{}
}
