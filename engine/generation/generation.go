// Package generation predicts how long a language model takes to read prompts and write answers,
// many at once, from its architecture and the GPU's published figures, and what that takes of the
// GPU's memory.
//
// Prompts are bound by arithmetic, answers by the memory's bandwidth: each token of an answer takes
// all weights and the cache of all sequences out of memory once (Pope et al. 2022, Efficiently
// scaling transformer inference). What published measurements are off by on a GPU corrects it.
package generation

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
	"sweetspot/engine/finetune"
	"sweetspot/engine/memory"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/tokens"
	"sweetspot/engine/transformer"
)

// Batch is sequences of equal lengths that a replica works on at once.
type Batch struct {
	Architecture transformer.Architecture
	Weights      Weights
	GPUs         int // of the replica, which share each matrix (tensor parallel)
	Sequences    int
	Input        int // tokens of a prompt
	Output       int // tokens of an answer
}

// Constants of the rule. They are fitted to 472 latencies of batches that LLM-Inference-Bench measured
// with vLLM on A100, H100 and GH200 from 1 to 64 sequences of 128 to 2,048 tokens, from which it is off
// by 8 % in the median: shares of the peak and the bandwidth, seconds of a layer in each step, half
// more with several GPUs, and of each sequence in each step.
const (
	ofPeak      = 0.4
	ofBandwidth = 0.8
	layerS      = 50e-6
	sequenceS   = 100e-6
)

// Plain is the rule's time in seconds of a batch; ok is false on GPUs of which it cannot be told.
func (b Batch) Plain(g profile.GPUSpec) (seconds float64, ok bool) {
	if g.FP16TFLOPS == nil || g.BandwidthGBs == nil {
		return 0, false
	}
	a, gpus := b.Architecture, float64(b.GPUs)
	layers, head := a.Active()
	peak, bandwidth := *g.FP16TFLOPS*1e12*gpus, *g.BandwidthGBs*1e9*gpus
	sequences, input, output := float64(b.Sequences), float64(b.Input), float64(b.Output)
	prompts := sequences * input * (2*layers + a.AttentionFLOPs(b.Input)) / (peak * b.Weights.Faster)
	moved := b.weights()
	if !a.Tied { // of an embedding that is not the output matrix too, single rows are read
		moved -= 2 * a.Params().Embedding
	}
	moved += sequences * (input + output/2) * a.KVCacheBytes(2)
	step := b.unpacked(bandwidth) +
		math.Max(moved/bandwidth/ofBandwidth, sequences*2*(layers+head)/(peak*b.Weights.Faster)/ofPeak)
	launches := layerS * float64(a.Layers)
	if b.GPUs > 1 {
		launches *= 1.5
	}
	return prompts/ofPeak + output*(step+launches+sequenceS*sequences) + b.exchanged(g), true
}

// exchanged are the seconds in which GPUs of a replica sum up what each computed of a matrix: twice in
// each layer, of each token its width in 16 bits (Shoeybi et al. 2019, Megatron-LM, section 3).
func (b Batch) exchanged(g profile.GPUSpec) float64 {
	if b.GPUs < 2 {
		return 0
	}
	tokens, others := float64(b.Sequences)*float64(b.Input+b.Output), float64(b.GPUs-1)/float64(b.GPUs)
	bytes := tokens * 2 * float64(b.Architecture.Layers) * 2 * others * float64(b.Architecture.Hidden) * 2
	return bytes / (finetune.UsualLink * finetune.LinkGBs(g) * 1e9)
}

// unpacked are the seconds in which a step of several sequences makes matrices of 16 bits of packed ones;
// for a single one, bitsandbytes multiplies them as they are. Prompts come together, so that it is little
// beside their arithmetic.
func (b Batch) unpacked(bandwidth float64) float64 {
	if !b.Weights.Unpacked || b.Sequences < 2 {
		return 0
	}
	return finetune.Unpacking * b.Architecture.Params().Linear * (b.Weights.Bytes + 2) / bandwidth
}

// weights are the bytes of all weights.
func (b Batch) weights() float64 {
	p := b.Architecture.Params()
	return b.Weights.Bytes*p.Linear + 2*(p.Total()-p.Linear)
}

// Memory is what a batch takes of each GPU: weights, the cache of all its sequences, and what servers
// hold beside these.
func (b Batch) Memory() memory.Need {
	gpus := float64(b.GPUs)
	// Heads of keys and values that are fewer than the GPUs are kept more than once.
	shares := math.Min(gpus, float64(b.Architecture.KVHeads))
	cache := float64(b.Sequences) * float64(b.Input+b.Output) * b.Architecture.KVCacheBytes(2) / shares
	weights := b.weights() / gpus
	n := memory.Need{Parts: []memory.Part{
		{Name: "weights", Low: weights, Value: weights, High: weights},
		{Name: "KV cache", Low: cache, Value: cache, High: 1.05 * cache}, // blocks are not all full
		{Name: "working", Low: 0.5 * memory.GiB, Value: 1 * memory.GiB, High: 3 * memory.GiB},
		{Name: "framework", Low: 0.4 * memory.GiB, Value: 0.8 * memory.GiB, High: 1.5 * memory.GiB},
	}}
	n.Total = estimate.Estimate{Basis: estimate.Spec}
	for _, p := range n.Parts {
		n.Total.Low, n.Total.Value, n.Total.High = n.Total.Low+p.Low, n.Total.Value+p.Value, n.Total.High+p.High
	}
	return n
}

// Speeds are how far off the rule is by published measurements.
type Speeds struct {
	set    *profile.Set
	off    map[profile.GPUName][]float64 // ln(measured / rule), by chip
	models map[profile.GPUName][]string
	mean   float64
	sd     float64 // of single measurements around their chip's mean
	known  []published
	ratios func() *tokens.Corrections // of [Speeds.Through]
}

// published is a published measurement.
type published struct {
	Probe
	gpu profile.GPUSpec
}

// stackSpread is the standard deviation of ln(time) from the version of vLLM that was measured, of 2024,
// to a user's, of which later ones are faster; and unlike is that of weights or GPUs that nothing was
// measured of. Both are judged. That of networks with experts is by how much the source's 27 latencies of
// Mixtral differ from the rule.
const (
	stackSpread = 0.25
	unlike      = 0.25
	ofExperts   = 0.35
)

// Common is the standard deviation of ln(time) by which all predictions are off alike.
const Common = 0.2

// NewSpeeds compares the rule with the published measurements of a set.
func NewSpeeds(set *profile.Set) *Speeds {
	s := &Speeds{set: set, off: map[profile.GPUName][]float64{}, models: map[profile.GPUName][]string{}}
	s.ratios = sync.OnceValue(s.learn)
	var all, around []float64
	for _, x := range set.Latencies {
		a, known := set.Architecture(x.Model)
		g, has := set.GPUSpec(x.GPU)
		b := Batch{a, Half, x.GPUs, x.Sequences, x.Input, x.Output}
		plain, ok := b.Plain(g)
		if !known || !has || !ok {
			continue
		}
		s.known = append(s.known, published{Probe{b, x.Seconds}, g})
		chip := chipOf(x.GPU)
		s.off[chip] = append(s.off[chip], math.Log(x.Seconds/plain))
		if !slices.Contains(s.models[chip], x.Model) {
			s.models[chip] = append(s.models[chip], x.Model)
		}
		all = append(all, math.Log(x.Seconds/plain))
	}
	if len(all) < 2 {
		return s
	}
	s.mean = stat.Mean(all, nil)
	for _, x := range set.Latencies { // in order: sums round alike every time
		if off := s.off[chipOf(x.GPU)]; len(off) > 0 {
			around = append(around, stat.Variance(off, nil))
		}
	}
	s.sd = math.Sqrt(stat.Mean(around, nil))
	return s
}

func chipOf(gpu string) profile.GPUName {
	n := profile.ParseGPUName(gpu)
	n.Form, n.Memory = "", 0
	return n
}

// Seconds are those of a batch on a GPU, and what they rest on; unknown without published figures.
func (s *Speeds) Seconds(b Batch, gpu string) (e estimate.Estimate, why string) {
	g, known := s.set.GPUSpec(gpu)
	plain, ok := b.Plain(g)
	if !known || !ok || len(s.off) == 0 {
		return e, ""
	}
	off, basis, spread := s.mean, estimate.Spec, math.Hypot(math.Hypot(s.sd, stackSpread), unlike)
	why = fmt.Sprintf("the GPU's published figures, corrected by what batches took on %s of GPU",
		quantity.Several(len(s.off), "other kind"))
	chip := chipOf(gpu)
	if own := s.off[chip]; len(own) > 1 && b.Weights == Half {
		off, basis, spread = stat.Mean(own, nil), estimate.Transferred, math.Hypot(s.sd, stackSpread)
		why = fmt.Sprintf("published latencies of batches of %s on the same GPU with vLLM",
			strings.Join(s.models[chip], ", "))
	}
	if b.Architecture.Experts > 0 {
		spread = math.Hypot(spread, ofExperts)
	}
	v, factor := plain*math.Exp(off), math.Exp(estimate.Z90*spread)
	return estimate.Estimate{Value: v, Low: v / factor, High: v * factor, Basis: basis}, why
}
