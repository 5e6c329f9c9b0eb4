package roofline

import (
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// What is known of CPUs: how many hardware threads (vCPUs) there are. Their processors are
// not in price lists.
const (
	// cpuSpread is the standard deviation of ln(time) between as many vCPUs of two
	// processors. Peaks in fp32 are from 37 GFLOP/s a vCPU (two threads of a Broadwell core,
	// AVX2, 2.3 GHz: AWS' m4) to 83 (a core of Graviton3, 2.6 GHz: c7g; a Skylake core with
	// AVX-512, as in m5, has 80 a thread), by Intel's, Arm's and AWS' figures.
	cpuSpread = 0.45
	// vcpuFLOPs is what trainings and inferences reach on each of fewVCPUs: this project's two
	// small networks 6 to 13 GFLOP/s on an EPYC, large ones up to half of the peak.
	vcpuFLOPs = 13e9
	fewVCPUs  = 4.0
	// vcpuSpread holds from 3.5 to 48 GFLOP/s in nine of ten cases. It is assumed.
	vcpuSpread = 0.8
	// cpuLayerS is what calling a layer's functions takes, however small it is. It is assumed.
	cpuLayerS = 50e-6
)

// CPURatio is ln(time on target / time on from) of vCPUs, and its standard deviation. More
// of them take between as long and as much less as they are more, the ends of the 90 %
// interval: small batches leave most of them without work. known is false where a number is
// not.
func CPURatio(from, target float64) (ratio, spread float64, known bool) {
	if !(from > 0) || !(target > 0) {
		return 0, 0, false
	}
	more := math.Log(target / from)
	return -more / 2, math.Hypot(cpuSpread, math.Abs(more)/2/estimate.Z90), true
}

// OnCPUs is the time of an iteration in seconds on so many vCPUs, by the operations alone:
// within a factor of 4.5 at best. It is unknown where they are.
func OnCPUs(j Job, vcpus float64) (e estimate.Estimate) {
	ratio, spread, ok := CPURatio(fewVCPUs, vcpus)
	if !ok || j.FLOPs == nil || !(*j.FLOPs > 0) || !(j.Batch > 0) {
		return e
	}
	passes := 1.0
	if j.Mode == profile.Train {
		passes = trained
	}
	seconds := passes * *j.FLOPs * j.Batch / (vcpuFLOPs * fewVCPUs) * math.Exp(ratio)
	seconds += passes * cpuLayerS * or(j.Layers, unknownLayers)
	if !estimate.Plausible(seconds) {
		return e
	}
	factor := math.Exp(estimate.Z90 * math.Hypot(vcpuSpread, spread))
	return estimate.Estimate{Value: seconds, Low: seconds / factor, High: seconds * factor, Basis: estimate.Spec}
}

// WhyOnCPUs says what an estimate on CPUs rests on.
func WhyOnCPUs(j Job) string {
	return "from its operations alone, " + Amount(*j.FLOPs) + " a unit, and the number of vCPUs"
}
