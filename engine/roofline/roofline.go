// Package roofline estimates how long an iteration takes on a GPU on which nothing of a
// network was run, from the network's work and the GPU's published figures alone.
//
// A GPU reaches only a part of its peak: how much of it is fitted to published
// measurements (see [Fit]). Of the operations, the memory traffic of activations and
// weights, and the launching of kernels, the parts add up, for layers that wait for
// memory follow layers that compute.
package roofline

import (
	"cmp"
	"fmt"
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Constants are by how much each part takes longer than the GPU's figures say, and how
// long a kernel launch takes.
type Constants struct {
	StepS, LayerS  float64 // seconds of a training's iteration, and of each of its layers, however small
	Lanes, Tensor  Part    // in full precision, and in tensor cores
	WeightsTraffic float64 // multiple of the weights' traffic at the memory's bandwidth
}

// Part is by how much longer the operations of a precision take than at the GPU's peak,
// and the traffic of their activations than at its memory's bandwidth.
type Part struct{ Compute, Traffic float64 }

// Fitted are the constants of 2026-11, as `make accuracy` fits them to PROFET (eight
// networks, trained on K80, M60, T4 and V100), Zeus (ResNet-50, trained on P100 and V100)
// and timm (a hundred networks, inference in tensor cores of RTX 3090 and 4090). Compute is
// below 1 where convolutions save operations (Winograd); traffic is far above 1, for
// what is between convolutions, such as normalisations, reads and writes as much again.
func Fitted() Constants {
	return Constants{
		StepS: 0.501e-3, LayerS: 0.515e-3, Lanes: Part{0.386, 15.5}, Tensor: Part{0.893, 8.20}, WeightsTraffic: 2.29,
	}
}

// Standard deviations of ln(time) around the estimates, with the network and the GPU left
// out of the fit: of a network on all GPUs alike, and of the GPU. Nine in ten times lie
// within a factor of 2.7.
const (
	networkSpread = 0.33
	gpuSpread     = 0.50
)

const (
	// activationsPerFLOP are those of a network whose activations are not known: the
	// median of timm's, whose logarithms have the standard deviation activationsSpread.
	activationsPerFLOP = 1.4e-3
	activationsSpread  = 0.84
	// unknownLayers are those of ResNet-50, taken where the layers are not known. The
	// spread is assumed: from a third as many to three times as many.
	unknownLayers = 53
	layersSpread  = 0.7
	// trained is how many times the work of a forward pass a training does.
	trained = 3
	// weightsMoved is how often a training reads or writes the weights: forward, backward,
	// and for the gradients and the step.
	weightsMoved = 5
)

// Job is what is to be timed on one GPU.
type Job struct {
	profile.Work
	Mode      profile.Mode
	Precision string  // "" is taken to be fp32
	Batch     float64 // units on the GPU
}

// Seconds are those of an iteration, and of them those that do not depend on the batch
// size. ok is false where the operations or the GPU's figures are not known.
func (k Constants) Seconds(j Job, g profile.GPUSpec) (seconds, fixed float64, ok bool) {
	p, ok := k.parts(j, g)
	if !ok {
		return 0, 0, false
	}
	for i, c := range k.list() {
		seconds += c * p[i]
		if i < 2 {
			fixed += c * p[i]
		}
	}
	return seconds, fixed, true
}

// list are the constants in the order of the parts.
func (k Constants) list() parts {
	return parts{k.StepS, k.LayerS, k.Lanes.Compute, k.Lanes.Traffic, k.Tensor.Compute, k.Tensor.Traffic, k.WeightsTraffic}
}

func constants(of parts) Constants {
	return Constants{of[0], of[1], Part{of[2], of[3]}, Part{of[4], of[5]}, of[6]}
}

// parts are what the constants multiply: 1 and the number of layers, then seconds at the
// peaks.
type parts [7]float64

func (k Constants) parts(j Job, g profile.GPUSpec) (p parts, ok bool) {
	peak, tensor := Sustained(g, j.Precision)
	if peak == nil || g.BandwidthGBs == nil || j.FLOPs == nil || !(*j.FLOPs > 0) || !(j.Batch > 0) {
		return p, false
	}
	passes, moved := 1.0, 1.0
	if j.Mode == profile.Train {
		passes, moved = trained, weightsMoved
	}
	width, bandwidth := Width(j.Precision), *g.BandwidthGBs*1e9
	p[0], p[1] = passes/trained, passes/trained*or(j.Layers, unknownLayers)
	at := 2
	if tensor {
		at = 4
	}
	p[at] = passes * *j.FLOPs * j.Batch / (*peak * 1e12)
	p[at+1] = passes * or(j.Activations, activationsPerFLOP**j.FLOPs) * j.Batch * width / bandwidth
	p[6] = moved * or(j.Params, 0) * 4 / bandwidth
	return p, true
}

func or(v *float64, unknown float64) float64 {
	if v == nil {
		return unknown
	}
	return *v
}

// Estimate is the time of an iteration in seconds with its 90 % interval; unknown where
// the operations or the GPU's figures are. common is the standard deviation of ln(time)
// that a network's estimates have in common on all GPUs: a comparison of GPUs is that much
// surer than either time.
func (k Constants) Estimate(j Job, g profile.GPUSpec) (e estimate.Estimate, common float64) {
	seconds, fixed, ok := k.Seconds(j, g)
	if !ok || !estimate.Plausible(seconds) {
		return e, 0
	}
	common = commonSpread(j, fixed/seconds)
	factor := math.Exp(estimate.Z90 * math.Hypot(common, gpuSpread))
	e = estimate.Estimate{Value: seconds, Low: seconds / factor, High: seconds * factor, Basis: estimate.Spec}
	return e, common
}

// commonSpread is wider where what is not known of the network has a large share in the
// time.
func commonSpread(j Job, fixed float64) float64 {
	sd := networkSpread
	if j.Activations == nil {
		sd = math.Hypot(sd, activationsSpread*(1-fixed))
	}
	if j.Layers == nil {
		sd = math.Hypot(sd, layersSpread*fixed)
	}
	return sd
}

// Why says what an estimate rests on.
func Why(j Job) string {
	words := "from its work alone, " + Amount(*j.FLOPs) + " operations"
	if j.Activations != nil {
		words += " and " + Amount(*j.Activations) + " activations"
	}
	return words + " a unit, and the GPU's published figures for " + cmp.Or(j.Precision, "fp32 (precision not known)")
}

// Amount is a number with its thousands as a prefix: 3.6 G.
func Amount(x float64) string {
	prefixes := []string{"", " k", " M", " G", " T", " P"}
	k := 0
	for ; x >= 1000 && k < len(prefixes)-1; k++ {
		x /= 1000
	}
	return fmt.Sprintf("%.3g%s", x, prefixes[k])
}

// Width is the bytes of one value in a precision.
func Width(precision string) float64 {
	switch precision {
	case "fp64":
		return 8
	case "fp16", "bf16":
		return 2
	case "int8", "fp8":
		return 1
	case "int4", "nf4", "fp4":
		return 0.5
	}
	return 4
}

// Peak is the peak TFLOPS for a precision, and whether tensor cores reach it. It is that
// of FP32, in full precision, where the GPU has no figure for it or the precision is
// unknown: of the lanes that do FP32 alone, since kernels address memory with integers in
// the others.
func Peak(g profile.GPUSpec, precision string) (tflops *float64, tensor bool) {
	switch precision {
	case "tf32":
		tflops = g.TF32TFLOPS
	case "fp16", "bf16":
		tflops = g.FP16TFLOPS
	case "int8":
		tflops = g.INT8TOPS
	}
	if tflops != nil {
		return tflops, true
	}
	return cmp.Or(g.OwnFP32TFLOPS, g.FP32TFLOPS), false
}
