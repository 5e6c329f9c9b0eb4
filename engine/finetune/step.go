package finetune

import (
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/memory"
	"sweetspot/engine/profile"
	"sweetspot/engine/roofline"
	"sweetspot/engine/transformer"
)

// Step is the time in seconds of an optimizer's step, of so many micro-batches on each GPU,
// and what it rests on. It is unknown on GPUs without tensor cores or known figures.
func (s *Speeds) Step(j memory.Job, microBatches int, gpu string) (e estimate.Estimate, why string) {
	g, known := s.set.GPUSpec(gpu)
	peak, has := Peak(g)
	share, why := s.Share(gpu)
	if !known || !has || !share.Known() {
		return e, ""
	}
	if j.Tuning.Weights == transformer.Single { // matrices are multiplied without tensor cores
		kept, _ := roofline.Sustained(g, "fp32")
		if kept == nil {
			return e, ""
		}
		peak, share.High, share.Basis = *kept, 1, estimate.Spec
		why += ", in 16 bits, taken for 32"
	}
	x := onGPU{j, g}
	work := float64(j.MicroBatch) * float64(j.Tuning.Sequence) * j.Tuning.FLOPs(j.Architecture) / (peak * 1e12)
	at := func(share float64, of func(p part) float64) float64 {
		micro := math.Max(work/share, of(x.launches())) + of(x.dequantised())
		return float64(microBatches)*math.Max(micro, of(x.gathered())) + of(x.reduced()) + of(x.updated())
	}
	e = estimate.Estimate{
		Value: at(share.Value, func(p part) float64 { return p.value }),
		Low:   at(share.High, func(p part) float64 { return p.low }),
		High:  at(share.Low/x.uneven(), func(p part) float64 { return p.high }),
		Basis: share.Basis,
	}
	return e, why
}

// uneven is by how much more a training with experts may fall short of a GPU's peak, of which
// no figure is known: loops over experts give it small matrices. It is judged.
func (x onGPU) uneven() float64 {
	if x.Architecture.Experts > 0 {
		return 3
	}
	return 1
}

// part is the seconds of a part of a step, with their ends.
type part struct{ low, value, high float64 }

func (p part) times(k float64) part { return part{p.low * k, p.value * k, p.high * k} }

type onGPU struct {
	memory.Job
	gpu profile.GPUSpec
}

// launches are the seconds that Python and the driver take for a layer, forward and
// backward: no micro-batch is faster, however small. The Qwen README's trainings with 256
// tokens take 4.7 to 5.2 ms a layer, LitGPT's with some 100 tokens 4.4 ms, PEFT's comparison
// on an L40S with 840 tokens 4.4 ms. Compiled networks take a fraction of it.
func (x onGPU) launches() part {
	return part{1.5e-3, 4.5e-3, 7e-3}.times(float64(x.Architecture.Layers))
}

// Unpacking is how many times as long as reading and writing them bitsandbytes takes to make matrices of
// 16 bits of those in NF4 (LitGPT's tables of 7B and 13B on an A100 with and without nf4: 79 ms and 191 ms,
// 3.5 and 4.6 times).
const Unpacking = 4

// dequantised are the seconds in which QLoRA's matrices become ones of 16 bits, each time
// that they are multiplied.
func (x onGPU) dequantised() part {
	if x.Tuning.Method != transformer.QLoRA {
		return part{}
	}
	passes := 2.0
	if x.Tuning.Again() {
		passes = 3
	}
	once := passes * x.Architecture.Params().Linear * (0.5 + 2) / (*x.gpu.BandwidthGBs * 1e9)
	return part{2, Unpacking, 6}.times(once)
}

// sharded reports whether the weights lie on all GPUs together.
func (x onGPU) sharded() bool {
	return x.GPUs > 1 && (x.Tuning.Sharding == transformer.Zero3 || x.Tuning.Sharding == transformer.Auto)
}

// gathered are the seconds in which each GPU gets the weights of the others, forward and
// backward, beside the computing (Rajbhandari et al. 2020, ZeRO, section 7).
func (x onGPU) gathered() part {
	if !x.sharded() {
		return part{}
	}
	p := x.Architecture.Params()
	bytes := 2 * p.Total()
	if x.Tuning.Method == transformer.QLoRA {
		bytes = 0.5*p.Linear + 2*(p.Total()-p.Linear)
	}
	passes := 2 * bytes
	if x.Tuning.Method == transformer.Full {
		passes += bytes // its gradients go back
	}
	return x.moved(passes)
}

// reduced are the seconds in which gradients are summed over the GPUs at the end of a step:
// each sends and gets them twice but for its own share.
func (x onGPU) reduced() part {
	if x.GPUs < 2 || x.sharded() {
		return part{}
	}
	return x.moved(2 * 4 * x.Tuning.Trainable(x.Architecture))
}

// moved are the seconds for so many bytes between GPUs.
func (x onGPU) moved(bytes float64) part {
	share := bytes * float64(x.GPUs-1) / float64(x.GPUs)
	once := share / (LinkGBs(x.gpu) * 1e9)
	return part{once, once / UsualLink, once / worstLink}
}

// Shares of a link's speed that collective operations reach. They are judged: NCCL reaches
// some 80 % of NVLink, and PCIe shared by several GPUs or across sockets far less.
const (
	UsualLink = 0.6
	worstLink = 0.2
)

// nvlinkGBs are the GB/s in one direction between GPUs of one machine, half of what NVIDIA's
// and AMD's data sheets print for both.
var nvlinkGBs = map[string]float64{"V100": 150, "A100": 300, "H100": 450, "H200": 450, "B200": 900, "B300": 900,
	"MI300X": 448}

// pcieGBs are those of 16 lanes of PCIe by the generation of the GPU: 3.0, 4.0 and 5.0.
var pcieGBs = map[string]float64{"Volta": 16, "Turing": 16, "Ampere": 32, "Ada": 32, "Hopper": 64, "Blackwell": 64}

// LinkGBs is the speed in GB/s, in one direction, of the links between such GPUs of one machine.
func LinkGBs(g profile.GPUSpec) float64 {
	name := profile.ParseGPUName(g.Name)
	switch fast, has := nvlinkGBs[name.Chip]; {
	case has && name.Form != "PCIE":
		return fast
	case pcieGBs[g.Architecture] > 0:
		return pcieGBs[g.Architecture]
	}
	return pcieGBs["Turing"]
}

// updated are the seconds in which the optimizer reads and writes weights, gradients and
// state, at the memory's bandwidth.
func (x onGPU) updated() part {
	n := x.Tuning.Trainable(x.Architecture)
	if x.GPUs > 1 && x.Tuning.Sharding != transformer.None {
		n /= float64(x.GPUs)
	}
	once := 28 * n / (*x.gpu.BandwidthGBs * 1e9) // AdamW in 32 bits: reads four values, writes three
	return part{once / 2, once, 3 * once}
}
