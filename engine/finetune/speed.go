// Package finetune predicts how fast a language model trains on GPUs, from the work of a
// token, the GPUs' published figures, and what others published of such trainings.
package finetune

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/roofline"
	"sweetspot/engine/transformer"
)

// Plain is the stack of software that a training is assumed to run on, transformers and
// PEFT. Others are tuned for one model on one kind of machine, and are faster.
const Plain = "transformers"

// precision is that of the arithmetic: 16 bits, whether bf16 or, on older GPUs, fp16.
const precision = "bf16"

// Speeds are what shares of their peaks GPUs reached in published trainings.
type Speeds struct {
	set    *profile.Set
	points []point
	plain  float64 // ln of how much of what a tuned stack reaches the plain one does
	mean   float64 // ln of the share that the plain one reaches, over GPUs
	sd     float64 // of the ln from GPU to GPU
}

// point is ln of the share of its sustained peak that a stack reached on a kind of GPU, by
// the median of its figures.
type point struct {
	gpu    profile.GPUName
	stack  string
	share  float64
	models []string
}

const (
	// leastTokens at once on a GPU keep it busy: below it waits for the host.
	leastTokens = 2048
	// stackSpread is the standard deviation of ln(speed) from one user's training to another's
	// on the same GPU, by versions, kernels and padding. On an A100 llm-foundry is 1.3 times as
	// fast as transformers and PEFT, and these are both well kept.
	stackSpread = 0.4
)

// Common is the standard deviation of ln(time) by which all predictions of a training are off
// alike, since its software is the same everywhere: more than half of the variance.
const Common = 0.3

// NewSpeeds reads the figures of a set.
func NewSpeeds(set *profile.Set) *Speeds {
	s := &Speeds{set: set}
	type key struct {
		gpu   profile.GPUName
		stack string
	}
	found := map[key]*point{}
	var order []key
	shares := map[key][]float64{}
	for i := range set.Throughputs {
		x := &set.Throughputs[i]
		share, ok := s.share(x)
		if !ok {
			continue
		}
		k := key{profile.ParseGPUName(x.GPU), x.Stack}
		k.gpu.Form, k.gpu.Memory = "", 0
		if found[k] == nil {
			found[k] = &point{gpu: k.gpu, stack: k.stack}
			order = append(order, k)
		}
		if p := found[k]; !slices.Contains(p.models, x.Model) {
			p.models = append(p.models, x.Model)
		}
		shares[k] = append(shares[k], math.Log(share))
	}
	for _, k := range order {
		found[k].share = estimate.Median(shares[k])
		s.points = append(s.points, *found[k])
	}
	s.pool()
	return s
}

// share is the part of what its GPUs keep up that a training reached.
func (s *Speeds) share(x *profile.Throughput) (share float64, ok bool) {
	g, known := s.set.GPUSpec(x.GPU)
	peak, has := Peak(g)
	if !known || !has || x.MicroBatch*x.Tuning.Sequence < leastTokens || x.Tuning.Method == transformer.QLoRA {
		return 0, false
	}
	if x.OfPeak != nil {
		return *x.OfPeak * *g.FP16TFLOPS / peak, true
	}
	a, known := s.set.Architecture(x.Model)
	if !known {
		return 0, false
	}
	return x.TokensPerS / float64(x.GPUs) * x.Tuning.FLOPs(a) / (peak * 1e12), true
}

// pool compares the plain stack with the tuned ones where both ran, and takes the mean over
// GPUs of what the plain one reaches.
func (s *Speeds) pool() {
	var ratios []float64
	for _, p := range s.points {
		for _, q := range s.points {
			if p.gpu == q.gpu && p.stack == Plain && q.stack != Plain {
				ratios = append(ratios, p.share-q.share)
			}
		}
	}
	if len(ratios) > 0 {
		s.plain = math.Min(stat.Mean(ratios, nil), 0)
	}
	byGPU := map[profile.GPUName][]float64{}
	var means []float64
	for _, p := range s.points {
		byGPU[p.gpu] = append(byGPU[p.gpu], s.asPlain(p))
	}
	for _, shares := range byGPU {
		means = append(means, stat.Mean(shares, nil))
	}
	slices.Sort(means) // maps have no order, and sums shall be the same every time
	if len(means) > 0 {
		s.mean = stat.Mean(means, nil)
	}
	if len(means) > 1 {
		s.sd = stat.StdDev(means, nil)
	}
}

func (s *Speeds) asPlain(p point) float64 {
	if p.stack == Plain {
		return p.share
	}
	return p.share + s.plain
}

// Peak is what a GPU keeps up in 16 bits with tensor cores, in TFLOPS; ok is false of one
// without, on which nobody tunes language models.
func Peak(g profile.GPUSpec) (tflops float64, ok bool) {
	if g.FP16TFLOPS == nil || g.BandwidthGBs == nil || g.Architecture == "Pascal" {
		return 0, false
	}
	kept, tensor := roofline.Sustained(g, precision)
	return *kept, tensor
}

// Share is the part of what a GPU keeps up that a training reaches on it, and what that
// rests on: figures of the same chip, else those of others. It is unknown without any.
func (s *Speeds) Share(gpu string) (e estimate.Estimate, why string) {
	if len(s.points) == 0 {
		return e, ""
	}
	own, models, stacks := s.own(gpu)
	centre, basis := s.mean, estimate.Spec
	spread := math.Hypot(stackSpread, s.sd*math.Sqrt(1+1/float64(len(s.points))))
	if len(own) > 0 {
		centre, spread, basis = stat.Mean(own, nil), stackSpread, estimate.Transferred
		why = fmt.Sprintf("published trainings of %s on the same GPU (%s)", strings.Join(models, ", "),
			strings.Join(stacks, ", "))
	} else {
		why = fmt.Sprintf("the GPU's published figures, and what %s reached of theirs",
			quantity.Several(s.kinds(), "other kind")+" of GPU")
	}
	factor := math.Exp(estimate.Z90 * spread)
	value := math.Exp(centre)
	return estimate.Estimate{Value: value, Low: value / factor, High: math.Min(value*factor, 1), Basis: basis}, why
}

func (s *Speeds) own(gpu string) (shares []float64, models, stacks []string) {
	name := profile.ParseGPUName(gpu)
	for _, p := range s.points {
		if p.gpu.SameChip(name) {
			shares, models, stacks = append(shares, s.asPlain(p)), append(models, p.models...), append(stacks, p.stack)
		}
	}
	return shares, models, stacks
}

// kinds is how many chips there are figures of.
func (s *Speeds) kinds() int {
	chips := map[profile.GPUName]bool{}
	for _, p := range s.points {
		chips[p.gpu] = true
	}
	return len(chips)
}
