package transfer_test

import (
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/transfer"
)

// cpuRun is a training's probe on a CPU.
func cpuRun() profile.Run {
	return profile.Run{ID: 1, Model: "net", Mode: profile.Train, InstanceType: "laptop", NoGPU: true, Count: 1,
		BatchSize: 64, Steady: estimate.Spread(10, 0.05, estimate.Measured), Basis: estimate.Measured, Status: profile.Done,
		Work: profile.Work{FLOPs: new(3.6e9), Activations: new(2.5e6), Params: new(1.2e7), Layers: new(21.0)}}
}

func withGPUs(runs ...profile.Run) *profile.Set {
	return &profile.Set{Runs: runs, GPUs: []profile.GPUSpec{
		{Name: "T4", FP32TFLOPS: new(8.1), BandwidthGBs: new(320.0)},
		{Name: "V100", FP32TFLOPS: new(15.7), BandwidthGBs: new(900.0)},
	}, VMTypes: []profile.VMType{t4, v100}}
}

var (
	t4   = profile.VMType{Cloud: "aws", InstanceType: "g4dn.xlarge", GPU: "T4", GPUCount: 1}
	v100 = profile.VMType{Cloud: "aws", InstanceType: "p3.2xlarge", GPU: "V100", GPUCount: 1}
)

// A network that was run on a CPU alone is estimated on GPUs from its work, not from the
// CPU's time.
func TestACPUSaysNothingOfGPUs(t *testing.T) {
	slow := cpuRun()
	slow.Steady = slow.Steady.Times(100)
	var times []float64
	for _, run := range []profile.Run{cpuRun(), slow} {
		p := transfer.New(withGPUs(run), profile.Train)
		e, why := p.Iteration("net", profile.Variant{}, v100, 1, 64)
		if e.Basis != estimate.Spec || !strings.Contains(why, "3.6 G operations") || e.High < 5*e.Low {
			t.Errorf("%+v, %s", e, why)
		}
		if c := p.Common("net", profile.Variant{}, v100, 1, 64); !(c > 0.2 && c < e.LogSigma()) {
			t.Errorf("%g in common of %g", c, e.LogSigma())
		}
		times = append(times, e.Value)
	}
	if times[0] != times[1] {
		t.Errorf("%g s, %g s where the CPU is a hundred times slower", times[0], times[1])
	}
	bare := cpuRun()
	bare.Work = profile.Work{}
	if e, _ := transfer.New(withGPUs(bare), profile.Train).Iteration("net", profile.Variant{}, v100, 1, 64); e.Known() {
		t.Errorf("without its work %+v", e)
	}
}

// Other models that ran on the CPU and on a GPU do not make it a source either.
func TestACPUIsNoSourceWhateverOthersDid(t *testing.T) {
	set := withGPUs(cpuRun())
	for _, name := range []string{"a", "b", "c", "d"} {
		cpu := cpuRun()
		cpu.Model = name
		gpu := cpu
		gpu.NoGPU, gpu.Cloud, gpu.InstanceType, gpu.GPU, gpu.GPUCount = false, "aws", "p3.2xlarge", "V100", 1
		gpu.Steady = estimate.Spread(1e-6, 0.05, estimate.Measured)
		set.Runs = append(set.Runs, cpu, gpu)
	}
	e, why := transfer.New(set, profile.Train).Iteration("net", profile.Variant{}, v100, 1, 64)
	if e.Basis != estimate.Spec || e.Value < 0.01 {
		t.Errorf("%+v: %s", e, why)
	}
}

// One run on a GPU, and the work tells no more.
func TestARunOnAGPUTellsMoreThanTheWork(t *testing.T) {
	gpu := cpuRun()
	gpu.ID, gpu.NoGPU, gpu.Cloud, gpu.InstanceType, gpu.GPU, gpu.GPUCount = 2, false, "aws", "g4dn.xlarge", "T4", 1
	p := transfer.New(withGPUs(cpuRun(), gpu), profile.Train)
	e, why := p.Iteration("net", profile.Variant{}, v100, 1, 64)
	if !strings.Contains(why, "from g4dn.xlarge") || p.Common("net", profile.Variant{}, v100, 1, 64) != 0 {
		t.Errorf("%+v: %s", e, why)
	}
}

// A run that claims a VM type with a GPU, on a machine without, says nothing of it.
func TestAClaimThatTheMachineContradicts(t *testing.T) {
	claimed := cpuRun()
	claimed.Cloud, claimed.InstanceType = "aws", "g4dn.xlarge"
	for _, vm := range []profile.VMType{t4, v100} {
		e, why := transfer.New(withGPUs(claimed), profile.Train).Iteration("net", profile.Variant{}, vm, 1, 64)
		if e.Basis != estimate.Spec || !strings.Contains(why, "work alone") || e.High > 5 {
			t.Errorf("%s: %+v, %s", vm.InstanceType, e, why)
		}
	}
	if got := withGPUs(claimed).AsFound().Runs[0]; got.InstanceType != "g4dn.xlarge with no GPU" || got.Cloud != "" {
		t.Errorf("%s %q", got.Cloud, got.InstanceType)
	}
}

// What a script waits for its input no GPU shortens.
func TestWaitingForInput(t *testing.T) {
	waits := cpuRun()
	waits.InputWait = new(0.5)
	free, _ := transfer.New(withGPUs(cpuRun()), profile.Train).Iteration("net", profile.Variant{}, v100, 1, 64)
	bound, why := transfer.New(withGPUs(waits), profile.Train).Iteration("net", profile.Variant{}, v100, 1, 64)
	if bound.Value < free.Value+4.99 || bound.Low > free.Low || !strings.Contains(why, "input may bind") {
		t.Errorf("%+v, %+v without waiting: %s", bound, free, why)
	}
}

// cpus is a VM type without a GPU.
func cpus(name string, vcpus float64) profile.VMType {
	return profile.VMType{Cloud: "aws", InstanceType: name, VCPUs: &vcpus}
}

// What ran on a CPU tells of VM types with CPUs alone: the more vCPUs, the less time, but
// not for certain. It is an estimate from figures, and not from the same hardware.
func TestACPUTellsOfCPUs(t *testing.T) {
	run := cpuRun()
	run.CPUs = 4
	set := withGPUs(run)
	small, same, large := cpus("c.small", 2), cpus("c.same", 4), cpus("c.large", 96)
	set.VMTypes = append(set.VMTypes, small, same, large)
	p := transfer.New(set, profile.Train)
	ask := func(vm profile.VMType) estimate.Estimate {
		e, why := p.Iteration("net", profile.Variant{}, vm, 0, 64)
		if e.Basis != estimate.Spec || !strings.Contains(why, "from laptop by the number of CPUs alone") ||
			p.Common("net", profile.Variant{}, vm, 0, 64) != 0 && e.High < 2*e.Low {
			t.Errorf("%s: %+v, %s", vm.InstanceType, e, why)
		}
		return e
	}
	s, m, l := ask(small), ask(same), ask(large)
	if m.Low > 6 || m.High < 16 || m.Low < 3 || m.High > 30 {
		t.Errorf("as many vCPUs: %+v, 10 s where it was run", m)
	}
	if !(s.Value > m.Value && m.Value > l.Value) || l.Low > 10.0/24 || l.High < 10 {
		t.Errorf("%+v with 2 vCPUs, %+v with 4, %+v with 96", s, m, l)
	}
	// GPUs are told by the work as before.
	if e, why := p.Iteration("net", profile.Variant{}, v100, 1, 64); !strings.Contains(why, "work alone") || e.High > 5 {
		t.Errorf("%+v: %s", e, why)
	}
}

// Where nothing ran on CPUs, or it is not known on how many, the operations tell.
func TestOperationsTellOfCPUs(t *testing.T) {
	gpu := cpuRun()
	gpu.NoGPU, gpu.Cloud, gpu.InstanceType, gpu.GPU, gpu.GPUCount = false, "aws", "g4dn.xlarge", "T4", 1
	gpu.Steady = estimate.Spread(1e-6, 0.05, estimate.Measured) // must not matter
	vm := cpus("c.any", 8)
	for name, run := range map[string]profile.Run{"on a GPU": gpu, "on a CPU of unknown size": cpuRun()} {
		set := withGPUs(run)
		set.VMTypes = append(set.VMTypes, vm)
		e, why := transfer.New(set, profile.Train).Iteration("net", profile.Variant{}, vm, 0, 64)
		if e.Basis != estimate.Spec || !strings.Contains(why, "from its operations alone") || e.High < 10*e.Low ||
			e.Value < 1 {
			t.Errorf("%s: %+v, %s", name, e, why)
		}
	}
}
