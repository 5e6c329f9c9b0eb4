package transfer

import (
	"math"

	"sweetspot/engine/profile"
)

// Spreads of the ratio of times between two places before any model was
// measured in both, as standard deviations of its logarithm.
const (
	// The square root of compute times bandwidth errs by 26 % median and 63 %
	// at the ninth of ten over the GPUs of the Zeus trace, and more elsewhere:
	// nine of ten within a factor of 1.8.
	specSpread = 0.36
	// Nothing published: nine of ten within a factor of 3.2.
	blindSpread = 0.7
	// The same GPU in another VM type: another host.
	hostSpread = 0.1
	// For each doubling of the GPUs, each with its share of the batch kept: a
	// tenth slower for the exchange of gradients, anything from nothing to a
	// quarter.
	exchangeCost   = 0.1
	exchangeSpread = 0.12
)

// specRatio is ln(time in the target / time in the sources) as published
// figures have it, with its standard deviation.
func (t *Table) specRatio(s Subject, sources []Place, target Place) (ratio, spread float64) {
	for _, from := range sources {
		r, sd := t.specRatioOf(t.precisions[s], from, target)
		ratio += r / float64(len(sources))
		spread = math.Max(spread, sd)
	}
	return ratio, spread
}

func (t *Table) specRatioOf(precision string, from, target Place) (ratio, spread float64) {
	a, b := t.gpus[from.VM], t.gpus[target.VM]
	switch x, y := t.strength(a, precision), t.strength(b, precision); {
	case a == b:
		spread = hostSpread
	case x > 0 && y > 0:
		ratio, spread = math.Log(x/y), specSpread
	default:
		spread = blindSpread
	}
	doublings := math.Log2(target.all() / from.all())
	return ratio + exchangeCost*doublings, math.Hypot(spread, exchangeSpread*doublings)
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
