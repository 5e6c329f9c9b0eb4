package transfer

import (
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Spreads of the ratio of times between two places before any model was
// measured in both, as standard deviations of its logarithm.
const (
	// The square root of compute times bandwidth, back-tested with all runs on a
	// GPU hidden (see validate): of PROFET's four GPUs nine of ten times lie
	// within a factor of 2. The ratio of compute alone does better there (27 %
	// against 35 % on average) and far worse on later GPUs: of 1396 networks of
	// timm's benchmark an RTX 4090 takes a time 1.40 times shorter than an RTX
	// 3090 in the middle, where the root says 1.6 and compute alone 2.3.
	specSpread = 0.43
	// Nothing published: nine of ten within a factor of 5.
	blindSpread = 1.0
	// The same GPU in another VM type: another host.
	hostSpread = 0.1
	// For each doubling of the GPUs, each with its share of the batch kept: a
	// tenth slower for the exchange of gradients, anything from nothing to a
	// quarter.
	exchangeCost   = 0.1
	exchangeSpread = 0.12
)

// specRatio is ln(time in the target / time in the sources) before any model
// was measured in both, with its standard deviation: by published figures, and
// by the number of GPUs. known is false where it rests on neither figures nor
// the same GPU.
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

// gpuRatio is that of one GPU to another.
func (t *Table) gpuRatio(precision string, from, target Place) (ratio, spread float64) {
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

// scaling is that of the numbers of GPUs. Of a batch of the same size, more of
// them take between as long and a share of the time: 90 % lie there.
func (r route) scaling(from Place) (ratio, spread float64) {
	more := math.Log(r.target.all() / from.all())
	if r.whole {
		return -more / 2, math.Abs(more) / 2 / estimate.Z90
	}
	return exchangeCost * more / math.Ln2, exchangeSpread * math.Abs(more) / math.Ln2
}

// strength is the square root of a GPU's compute times its bandwidth, 0 where
// one is not known. Most steps are bound by one of the two, here or there.
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

// compute is the figure for a precision; FP32 where the GPU has none of its
// own for it, or the precision is not known.
func compute(g profile.GPUSpec, precision string) *float64 {
	own := map[string]*float64{"tf32": g.TF32TFLOPS, "fp16": g.FP16TFLOPS, "bf16": g.FP16TFLOPS, "int8": g.INT8TOPS}[precision]
	if own == nil {
		return g.FP32TFLOPS
	}
	return own
}
