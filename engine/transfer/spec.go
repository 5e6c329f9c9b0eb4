package transfer

import (
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Standard deviations of ln(ratio of times between two platforms) before any
// model was measured on both. A greater one widens the interval and lets the
// first observation move the prediction further.
const (
	// By the square root of compute times bandwidth. With all runs on a GPU hidden
	// (make accuracy, question "vm-spec") nine of ten times on PROFET's four GPUs
	// lie within a factor of 2. The ratio of compute alone does better there (27 %
	// against 35 % mean error) and far worse on later GPUs: over 1396 networks of
	// timm's benchmark an RTX 4090 is 1.40 times as fast as an RTX 3090 in the
	// median, where the root says 1.6 and compute alone 2.3. With 0.3 the coverage
	// falls from 94 to 75 %.
	specSpread = 0.43
	// By nothing: nine of ten times are assumed to lie within a factor of 5.
	blindSpread = 1.0
	// By the same GPU in another VM type: another host. Assumed, not measured.
	hostSpread = 0.1
	// For each doubling of the number of GPUs at the same batch size per GPU: a
	// tenth slower for the exchange of gradients, anything from nothing to a
	// quarter. Assumed, and replaced by the models that ran on both.
	exchangeCost   = 0.1
	exchangeSpread = 0.12
)

// specRatio is ln(time on the target / time on the sources) before any model was
// measured on both, with its standard deviation: by the GPUs' published figures
// and by their number. known is false where it rests on neither figures nor the
// same GPU.
func (t *Table) specRatio(r route, precision string) (ratio, spread float64, known bool) {
	known = true
	for _, from := range r.sources {
		gpu, sd := t.gpuRatio(precision, from, r.target)
		known = known && sd < blindSpread
		scale, more := r.scaling(from)
		ratio += (gpu + scale) / float64(len(r.sources))
		spread = math.Max(spread, math.Hypot(sd, more))
	}
	return ratio, spread, known
}

// gpuRatio is the ratio's part that depends on the kind of GPU.
func (t *Table) gpuRatio(precision string, from, target Platform) (ratio, spread float64) {
	a, b := t.gpus[from.VM], t.gpus[target.VM]
	switch x, y := t.strength(a, precision), t.strength(b, precision); {
	case a == b && from.VM == target.VM:
		return 0, 0
	case a == b:
		return 0, hostSpread
	case x > 0 && y > 0:
		return math.Log(x / y), specSpread
	default:
		return 0, blindSpread
	}
}

// scaling is the ratio's part that depends on the number of GPUs. For the same
// global batch, n times the GPUs take between as long and 1/n of the time; these
// are the ends of the 90 % interval.
func (r route) scaling(from Platform) (ratio, spread float64) {
	more := math.Log(r.target.all() / from.all())
	if r.globalBatch {
		return -more / 2, math.Abs(more) / 2 / estimate.Z90
	}
	return exchangeCost * more / math.Ln2, exchangeSpread * math.Abs(more) / math.Ln2
}

// strength is the square root of a GPU's compute (TFLOPS) times its bandwidth
// (GB/s), 0 where either is unknown: most kernels are bound by one of the two.
func (t *Table) strength(gpu, precision string) float64 {
	g, ok := t.specs(gpu)
	if !ok || g.BandwidthGBs == nil {
		return 0
	}
	flops := compute(g, precision)
	if flops == nil {
		return 0
	}
	return math.Sqrt(*flops * *g.BandwidthGBs)
}

// compute is the peak TFLOPS for a precision; that of FP32 where the GPU has no
// figure for it or the precision is unknown.
func compute(g profile.GPUSpec, precision string) *float64 {
	own := map[string]*float64{
		"tf32": g.TF32TFLOPS, "fp16": g.FP16TFLOPS, "bf16": g.FP16TFLOPS, "int8": g.INT8TOPS,
	}[precision]
	if own == nil {
		return g.FP32TFLOPS
	}
	return own
}
