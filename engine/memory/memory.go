// Package memory estimates what the training of a language model takes of a GPU's memory,
// part by part, from its architecture and the way it is tuned, before anything is loaded.
//
// What PyTorch, transformers and PEFT hold is counted as they hold it: weights, gradients
// and the optimizer's state exactly, saved activations as their layers save them. What
// depends on versions, kernels and the allocator is in the interval.
package memory

import (
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/transformer"
)

// GiB is in bytes.
const GiB = 1 << 30

// Job is a training on GPUs of one kind, each with a part of the batch.
type Job struct {
	Architecture transformer.Architecture
	Tuning       transformer.Tuning
	GPUs         int
	MicroBatch   int // sequences on one GPU at once
	// Accumulates tells that gradients of several micro-batches are summed before a step.
	Accumulates bool
	// Measured is a peak of the same network, tuned by the same method; nil where there is none.
	Measured *Peak
}

// Part is what one GPU holds of one kind, in bytes.
type Part struct {
	Name             string
	Low, Value, High float64
}

// Need is what a training takes of each GPU.
type Need struct {
	Parts []Part
	// Total is the peak in bytes: measured of this very job, transferred from another job's, or
	// spec. Not all parts are there at once: gradients come
	// as activations go, unless they are summed over micro-batches.
	Total estimate.Estimate
}

// Of estimates the need of a job. Sharding [transformer.Auto] is taken as stage 3.
func Of(j Job) Need {
	if j.Measured != nil {
		return j.corrected(counted(j), *j.Measured)
	}
	return counted(j)
}

// counted is the need as it is counted, whatever was measured.
func counted(j Job) Need {
	weights, gradients, optimizer := j.weights(), j.gradients(), j.optimizer()
	activations, logits, working := j.inSingle(j.activations()), j.inSingle(j.logits()), j.inSingle(j.working())
	framework, buckets := j.framework(), j.inSingle(j.buckets())
	step := j.step()
	n := Need{Parts: []Part{weights, gradients, optimizer, activations, logits, working, buckets, framework}}
	peak := func(of func(p Part) float64, together bool) float64 {
		held := of(weights) + of(optimizer) + of(buckets) + of(framework)
		passes := of(activations) + of(logits) + of(working)
		if together {
			return held + of(gradients) + math.Max(passes, of(step))
		}
		return held + math.Max(passes, of(gradients)+of(step))
	}
	low := peak(func(p Part) float64 { return p.Low }, j.Accumulates)
	value := peak(func(p Part) float64 { return p.Value }, j.Accumulates)
	high := peak(func(p Part) float64 { return p.High }, true)
	high += fragmented * (activations.High + logits.High + working.High)
	n.Total = estimate.Estimate{Value: value, Low: low, High: high, Basis: estimate.Spec}
	return n
}

// fragmented is the share of what comes and goes that PyTorch's allocator may hold beyond
// what is allocated: a tenth where all sequences have one length, as is assumed here.
const fragmented = 0.1

func exactly(name string, bytes float64) Part { return Part{name, bytes, bytes, bytes} }

// plus adds parts of one kind.
func (p Part) plus(q Part) Part {
	return Part{p.Name, p.Low + q.Low, p.Value + q.Value, p.High + q.High}
}

func (p Part) times(k float64) Part { return Part{p.Name, p.Low * k, p.Value * k, p.High * k} }

// Bytes of an element.
const (
	half   = 2.0
	single = 4.0
)

// Bytes of a weight in 4 bits: NF4 with a scale of 8 bits for each 64 and one of 32 bits
// for each 256 of these (Dettmers et al. 2023, QLoRA, section 3), and without the second
// quantisation a scale of 32 bits for each 64.
const (
	NF4Double = 0.5 + 1.0/64 + 4.0/(64*256)
	NF4       = 0.5 + 4.0/64
)

// learning is the bytes of a parameter that learns, and of its gradient.
func (j Job) learning() float64 {
	if j.Tuning.Weights == transformer.Half {
		return half
	}
	return single
}

// frozen is the bytes of a parameter that does not learn.
func (j Job) frozen() float64 {
	if j.Tuning.Weights == transformer.Single || j.Tuning.Frozen32 {
		return single
	}
	return half
}

// inSingle makes what is counted in 16 bits that of a training without autocast, whose
// activations have 32; norms and losses that have these in any case are in its lower end.
func (j Job) inSingle(p Part) Part {
	if j.Tuning.Weights != transformer.Single {
		return p
	}
	return Part{p.Name, p.Low, 2 * p.Value, 2 * p.High}
}

// sharded divides by the GPUs what a stage of ZeRO shares out (Rajbhandari et al. 2020,
// ZeRO, section 5).
func (j Job) sharded(p Part, from transformer.Sharding) Part {
	stage := j.Tuning.Sharding
	if stage == transformer.Auto {
		stage = transformer.Zero3
	}
	if j.GPUs > 1 && stage >= from && stage != transformer.None { // "zero1" < "zero2" < "zero3"
		return p.times(1 / float64(j.GPUs))
	}
	return p
}

// weights are all parameters: frozen ones in 16 bits, or in 4 those of the layers. The upper
// end has the 16-bit copies that autocast keeps of weights in 32 bits, and of QLoRA the
// embeddings in 32 bits, as PEFT's prepare_model_for_kbit_training casts them.
func (j Job) weights() Part {
	p, t := j.Architecture.Params(), j.Tuning
	const name = "weights"
	var w Part
	switch t.Method {
	case transformer.Full:
		w = exactly(name, j.learning()*p.Total())
		if t.Weights == transformer.Mixed {
			w.High += half * p.Total()
		}
	case transformer.QLoRA:
		others := p.Total() - p.Linear
		w = Part{name, NF4Double*p.Linear + half*others, NF4Double*p.Linear + half*others, NF4*p.Linear + single*others}
	default:
		if w = exactly(name, j.frozen()*p.Total()); t.Frozen32 {
			w.High += half * p.Total()
		}
	}
	if t.Method != transformer.Full {
		w = w.plus(exactly(name, j.learning()*t.Trainable(j.Architecture)))
	}
	return j.sharded(w, transformer.Zero3)
}

func (j Job) gradients() Part {
	return j.sharded(exactly("gradients", j.learning()*j.Tuning.Trainable(j.Architecture)), transformer.Zero2)
}

// optimizer is its state. AdamW keeps two moments of each parameter, in its precision; in 8
// bits it keeps a scale of 32 bits for each 256 (Dettmers et al. 2022, 8-bit optimizers).
// Adafactor keeps sums of rows and columns (Shazeer and Stern 2018).
func (j Job) optimizer() Part {
	n := j.Tuning.Trainable(j.Architecture)
	const name = "optimizer"
	var p Part
	switch j.Tuning.Optimizer {
	case transformer.AdamW:
		p = exactly(name, 2*j.learning()*n)
	case transformer.AdamW8bit:
		p = exactly(name, 2*(1+4.0/256)*n)
	case transformer.Adafactor:
		p = exactly(name, single*j.factored())
	default:
		p = exactly(name, 0)
	}
	return j.sharded(p, transformer.Zero1)
}

// factored is how many rows and columns the matrices that learn have; vectors have as many
// as elements.
func (j Job) factored() (n float64) {
	a, t := j.Architecture, j.Tuning
	layers := float64(a.Layers)
	for _, m := range a.Matrices() {
		copies := layers
		if m.Expert {
			copies *= float64(a.Experts)
		}
		switch {
		case t.Method == transformer.Full:
			n += copies * float64(m.In+m.Out)
		case t.Targeted(m):
			n += copies * float64(m.In+m.Out+2*t.Rank)
		}
	}
	if t.Method == transformer.Full {
		p := a.Params()
		n += float64(a.Vocabulary+a.Hidden) + p.Rest
		if !a.Tied {
			n += float64(a.Vocabulary + a.Hidden)
		}
	}
	return n
}

// step is what an optimizer's step holds for a moment: PyTorch's foreach implementation a
// copy of all that learns, its fused one, which transformers' Trainer takes, nothing.
func (j Job) step() Part {
	s := Part{High: j.learning() * j.Tuning.Trainable(j.Architecture)}
	if j.Tuning.Optimizer == transformer.AdamW8bit {
		s.High = 0
	}
	return j.sharded(s, transformer.Zero1)
}

// buckets are in which DDP gathers gradients: as large as these, unless they are the
// gradients themselves (gradient_as_bucket_view). Of stage 3 they are the layers that are
// gathered to be computed, with one ahead, and the whole gradient of a layer.
func (j Job) buckets() Part {
	p := Part{Name: "buckets"}
	if j.GPUs < 2 {
		return p
	}
	a, t := j.Architecture, j.Tuning
	if t.Sharding == transformer.Zero3 || t.Sharding == transformer.Auto {
		all, width := a.Params(), half
		if t.Method == transformer.QLoRA {
			width = NF4
		}
		layer := all.Linear / float64(a.Layers) * width
		p.Value = 2*layer + half*(all.Embedding+all.Head)
		p.Low, p.High = layer, 3*layer+single*(all.Embedding+all.Head)
		if t.Method == transformer.Full {
			p.Value, p.High = p.Value+layer, p.High+2*layer
		}
		return p
	}
	p.Value = j.learning() * t.Trainable(a)
	p.High = p.Value
	return p
}

// framework is the CUDA context with its loaded kernels and workspaces, and of several GPUs
// the buffers of their communication.
func (j Job) framework() Part {
	p := Part{"framework", 0.4 * GiB, 0.8 * GiB, 1.5 * GiB}
	if j.GPUs > 1 {
		p = p.plus(Part{"", 0.2 * GiB, 0.6 * GiB, 1.5 * GiB})
	}
	return p
}
