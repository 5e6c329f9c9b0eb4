package transfer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// step is a run of a made-up model whose iterations take so many seconds.
func step(model, vm string, batch int, seconds float64) profile.Run {
	return profile.Run{
		Model: model, Mode: profile.Train, Cloud: "cloud", Region: "here", InstanceType: vm, GPU: vm + " GPU",
		GPUCount: 1, Count: 1,
		BatchSize: batch, Steady: estimate.Spread(seconds, 0.01, estimate.Measured), Basis: estimate.Measured,
		Status: profile.Done,
	}
}

func vmType(name string) profile.VMType {
	return profile.VMType{Cloud: "cloud", Region: "here", InstanceType: name, GPU: name + " GPU", GPUCount: 1}
}

// models are made-up ones of different size on two VM types: "fast" takes the
// same fixed time as "slow", and a third of it for each unit.
func models(n int) *profile.Set {
	set := &profile.Set{}
	random := rand.New(rand.NewPCG(1, 2))
	for m := range n {
		fixed, each := math.Exp(random.NormFloat64()-4), math.Exp(random.NormFloat64()-6)
		for _, batch := range []int{16, 32, 64, 128} {
			set.Runs = append(set.Runs,
				step(fmt.Sprint("model ", m), "slow", batch, fixed+each*float64(batch)),
				step(fmt.Sprint("model ", m), "fast", batch, fixed+each/3*float64(batch)))
		}
	}
	return set
}

func add(set *profile.Set, runs ...profile.Run) *profile.Set {
	out := *set
	out.Runs = append(append([]profile.Run(nil), set.Runs...), runs...)
	return &out
}

func ask(set *profile.Set, model, vm string, batch int) (estimate.Estimate, string) {
	return New(set, profile.Train).Iteration(model, profile.Variant{}, vmType(vm), 1, batch)
}

func TestFallingTrust(t *testing.T) {
	full := func(vm string, share float64) (runs []profile.Run) {
		for _, b := range []int{16, 32, 64, 128} {
			runs = append(runs, step("new", vm, b, 0.02+0.003*share*float64(b)))
		}
		return runs
	}
	truth := 0.02 + 0.001*128
	figures := &profile.Set{GPUs: []profile.GPUSpec{
		{Name: "slow", FP32TFLOPS: new(5.0), BandwidthGBs: new(300.0)}, {Name: "fast", FP32TFLOPS: new(15.0),
			BandwidthGBs: new(900.0)},
	}}
	width := map[estimate.Basis]float64{}
	for _, c := range []struct {
		name   string
		set    *profile.Set
		basis  estimate.Basis
		why    string
		within float64
	}{
		{"measured", add(models(8), step("new", "fast", 128, truth)), estimate.Measured, "measured there", 1e-9},
		{"two batch sizes there", add(models(8), step("new", "fast", 16, 0.036), step("new", "fast", 64, 0.084)),
			estimate.OtherBatch, "2 batch sizes", 0.01},
		{"one, and another VM type", add(models(8), append(full("slow", 1), step("new", "fast", 32, 0.052))...),
			estimate.OtherBatch, "1 batch size there, its shape from slow and 8 models", 0.1},
		{"another VM type", add(models(8), full("slow", 1)...), estimate.Transferred,
			"from slow, as 8 other models did", 0.15},
		{"figures only", add(figures, full("slow", 1)...), estimate.Spec, "from slow by the GPUs' published figures", 0.3},
	} {
		e, why := ask(c.set, "new", "fast", 128)
		if e.Basis != c.basis || !strings.Contains(why, c.why) || !near2(e.Value, truth, c.within) || e.Low > truth ||
			e.High < truth {
			t.Errorf("%s: %+v, want %g within %g; %q", c.name, e, truth, c.within, why)
		}
		width[c.basis] = e.HalfWidth()
	}
	if !(width[estimate.Measured] < width[estimate.Transferred] && width[estimate.Transferred] < width[estimate.Spec]) {
		t.Errorf("what is trusted less must be wider: %v", width)
	}
}

func TestNothingToGoBy(t *testing.T) {
	for name, c := range map[string]struct {
		set   *profile.Set
		batch int
	}{
		"no runs":           {&profile.Set{}, 32},
		"other models only": {models(3), 32},
		"another GPU of which nothing is published": {&profile.Set{Runs: []profile.Run{step("new", "slow", 32, 1)}}, 32},
		"no batch size": {add(models(3), step("new", "fast", 32, 1)), 0},
		"ran out of memory": {&profile.Set{Runs: []profile.Run{func() profile.Run {
			r := step("new", "fast", 32, 1)
			r.Status = profile.OutOfMemory
			return r
		}()}}, 64},
	} {
		if e, why := ask(c.set, "new", "fast", c.batch); e.Known() || why != "" {
			t.Errorf("%s: %+v, %q", name, e, why)
		}
	}
}

func TestOneRunIsWide(t *testing.T) {
	e, why := ask(&profile.Set{Runs: []profile.Run{step("new", "fast", 32, 1)}}, "new", "fast", 64)
	if !e.Known() || e.Low > 1.05 || e.High < 1.95 || why != "from 1 batch size measured there" {
		t.Errorf("%+v, %q", e, why)
	}
}

// Regions have the same machines; a GPU in another VM type is nearly the same.
func TestPlatforms(t *testing.T) {
	set := &profile.Set{Runs: []profile.Run{step("new", "fast", 32, 1)}}
	p := New(set, profile.Train)
	vm := vmType("fast")
	vm.Region = "there"
	if e, _ := p.Iteration("new", profile.Variant{}, vm, 1, 32); e.Value != 1 || e.Basis != estimate.Measured {
		t.Errorf("in another region: %+v", e)
	}
	vm.InstanceType = "fast.large"
	e, _ := p.Iteration("new", profile.Variant{}, vm, 1, 32)
	if e.Basis != estimate.Transferred || !near2(e.Value, 1, 0.01) || e.HalfWidth() < 0.1 {
		t.Errorf("on another host: %+v", e)
	}
	two, _ := p.Iteration("new", profile.Variant{}, vm, 2, 64)
	if !(two.HalfWidth() > e.HalfWidth()) || two.Low > 1 || two.High < 1 {
		t.Errorf("on two GPUs with as much each: %+v", two)
	}
}

// How models run on several GPUs is learnt from those that did.
func TestScaling(t *testing.T) {
	set := models(6)
	for _, r := range set.Runs {
		if r.InstanceType == "slow" {
			four := r
			four.InstanceType, four.GPUCount, four.BatchSize = "slow.4", 4, 4*r.BatchSize
			four.GPU = r.GPU
			four.Steady = estimate.Spread(1.5*r.Steady.Value, 0.01, estimate.Measured)
			set.Runs = append(set.Runs, four)
		}
	}
	set = add(set, step("new", "slow", 32, 1), step("new", "slow", 64, 1.8))
	vm := vmType("slow.4")
	vm.GPU = "slow GPU"
	e, why := New(set, profile.Train).Iteration("new", profile.Variant{}, vm, 4, 256)
	if !near2(e.Value, 1.5*1.8, 0.1) || e.Basis != estimate.Transferred {
		t.Errorf("%+v, want %g; %q", e, 1.5*1.8, why)
	}
}

// Of runs with the time of their epochs only, an iteration is the share of one.
func TestIterationsOfWholeEpochs(t *testing.T) {
	var runs []profile.Run
	seconds := func(b float64) float64 { return 5 + 0.5*b }
	for _, b := range []int{8, 32, 512} {
		r := step("new", "fast", b, 1)
		epoch := seconds(float64(b)) * math.Ceil(1000/float64(b))
		r.Steady, r.Epochs, r.TotalS, r.TrainSize = estimate.Estimate{}, new(2.0), new(2*epoch), new(1000.0)
		runs = append(runs, r)
	}
	p := New(&profile.Set{Runs: runs}, profile.Train)
	for _, b := range []int{8, 16, 100, 300} {
		e, why := p.Iteration("new", profile.Variant{}, vmType("fast"), 1, b)
		if !near2(e.Value, seconds(float64(b)), 0.01) || !strings.HasPrefix(why, "of whole epochs: ") {
			t.Errorf("an iteration at batch %d: %+v, want %g; %q", b, e, seconds(float64(b)), why)
		}
	}
	for i := range runs {
		runs[i].TrainSize = nil
	}
	p = New(&profile.Set{Runs: runs}, profile.Train)
	if e, why := p.Iteration("new", profile.Variant{}, vmType("fast"), 1, 8); e.Known() || why != "" {
		t.Errorf("of epochs whose iterations nobody counted: %+v, %q", e, why)
	}
}

func TestVariantsAreApart(t *testing.T) {
	half, full := step("new", "fast", 32, 1), step("new", "fast", 32, 2)
	half.Variant = profile.Variant{Precision: "fp16"}
	full.Variant = profile.Variant{Pruning: &profile.Pruning{Ratio: new(0.3),
		Layers: map[string]float64{"a": 0.1, "b": 0.2}}}
	p := New(&profile.Set{Runs: []profile.Run{half, full}}, profile.Train)
	for want, v := range map[float64]profile.Variant{1: half.Variant,
		2: {Pruning: &profile.Pruning{Ratio: new(0.3), Layers: map[string]float64{"b": 0.2, "a": 0.1}}}} {
		if e, _ := p.Iteration("new", v, vmType("fast"), 1, 32); e.Value != want {
			t.Errorf("%+v: %+v, want %g", v, e, want)
		}
	}
}

// Where other networks contradict each other without measure, as where some are in another
// unit, the time at another batch size is unknown: an interval without bounds is no answer.
func TestContradictionsAreUnknown(t *testing.T) {
	for slowest, known := range map[float64]bool{0.0016: true, 1: false} {
		e, why := ask(&profile.Set{Runs: []profile.Run{
			step("new", "x", 64, 0.001),
			step("b", "x", 64, 0.001), step("b", "x", 100, 0.001),
			step("c", "x", 64, 0.001), step("c", "x", 100, slowest),
		}}, "new", "x", 128)
		if e.Known() != known || (why != "") != known {
			t.Errorf("with %g s: %+v, %q", slowest, e, why)
		}
	}
}

// Seconds or milliseconds, the answer is the same; and it is finite whatever
// was measured.
func TestPredictorProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := math.Exp2(float64(rapid.IntRange(-12, 12).Draw(t, "unit")))
		var runs, scaled []profile.Run
		for range rapid.IntRange(1, 25).Draw(t, "runs") {
			r := step(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "model"),
				rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "vm"),
				rapid.IntRange(1, 1024).Draw(t, "batch"), rapid.Float64Range(1e-4, 100).Draw(t, "seconds"))
			runs = append(runs, r)
			r.Steady = r.Steady.Times(k)
			scaled = append(scaled, r)
		}
		vm, batch := rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "asked vm"), rapid.IntRange(1, 2048).Draw(t,
			"asked batch")
		e, why := ask(&profile.Set{Runs: runs}, "a", vm, batch)
		f, _ := ask(&profile.Set{Runs: scaled}, "a", vm, batch)
		if e.Known() != f.Known() || e.Known() != (why != "") {
			t.Fatalf("%+v and %+v, %q", e, f, why)
		}
		if !e.Known() {
			return
		}
		if !(e.Low > 0) || !(e.Low <= e.Value && e.Value <= e.High) || math.IsInf(e.High, 0) {
			t.Fatalf("%+v", e)
		}
		if !near2(f.Value, e.Value*k, 1e-4) || !near2(f.High, e.High*k, 1e-4) {
			t.Fatalf("in another unit %+v, not %+v times %g", f, e, k)
		}
	})
}

// Screens ask while others do, and always get the same answer.
func TestAskedAtOnce(t *testing.T) {
	set := add(models(4), step("new", "slow", 32, 1), step("new", "slow", 64, 1.8))
	p := New(set, profile.Train)
	answers := make(chan estimate.Estimate)
	for range 8 {
		go func() {
			e, _ := p.Iteration("new", profile.Variant{}, vmType("fast"), 1, 64)
			p.Iteration("new", profile.Variant{}, vmType("nowhere"), 1, 64)
			answers <- e
		}()
	}
	want, _ := ask(set, "new", "fast", 64)
	for range 8 {
		if got := <-answers; got != want {
			t.Errorf("%+v, alone %+v", got, want)
		}
	}
}

// Without any other model to go by, times come from the platform most like
// the one asked about: the same GPU before another, whatever their order.
func TestTheSameGPUComesFirst(t *testing.T) {
	set := &profile.Set{GPUs: []profile.GPUSpec{
		{Name: "A", FP32TFLOPS: new(4.0), BandwidthGBs: new(200.0)}, {Name: "B", FP32TFLOPS: new(16.0),
			BandwidthGBs: new(800.0)},
	}}
	for i, gpu := range []string{"A", "B"} {
		set.Runs = append(set.Runs, profile.Run{
			ID: int64(i + 1), Model: "net", Mode: profile.Train, Cloud: "aws", InstanceType: "vm-" + gpu, GPU: gpu, GPUCount: 1,
			Count: 1, BatchSize: 64,
			Steady: estimate.Around([]float64{1, 0.4}[i], 0.01, estimate.Measured), Basis: estimate.Measured,
			Status: profile.Done,
		})
	}
	for i, gpu := range []string{"A", "B"} {
		e, why := New(set, profile.Train).Iteration("net", profile.Variant{},
			profile.VMType{Cloud: "azure", InstanceType: "other", GPU: gpu, GPUCount: 1}, 1, 64)
		if want := []float64{1, 0.4}[i]; math.Abs(e.Value/want-1) > 0.01 || e.Basis != estimate.Transferred ||
			!strings.Contains(why, "same GPU") {
			t.Errorf("GPU %s: %+v, want %g; %q", gpu, e, want, why)
		}
	}
}

// Far from every batch size measured nothing is said, nor of batches larger than
// an epoch.
func TestFarBatches(t *testing.T) {
	runs := []profile.Run{step("new", "slow", 64, 0.2), step("new", "slow", 128, 0.4)}
	for batch, want := range map[int]bool{3: false, 4: true, 2048: true, 2049: false, 100_000: false} {
		for _, vm := range []string{"slow", "fast"} {
			if e, why := ask(add(models(6), runs...), "new", vm, batch); e.Known() != want {
				t.Errorf("batch %d on %s: %+v (%s)", batch, vm, e, why)
			}
		}
	}
	// What lies far from a probe may be near to what another VM type measured.
	probed := add(models(6), step("new", "slow", 1024, 3), step("new", "slow", 2048, 6), step("new", "fast", 16, 0.03))
	if e, why := ask(probed, "new", "fast", 2048); !e.Known() || !strings.Contains(why, "its shape from slow") {
		t.Errorf("%+v (%s)", e, why)
	}
	for i := range runs {
		runs[i].TrainSize = new(1000.0)
	}
	for batch, want := range map[int]bool{1000: true, 1001: false} {
		if e, why := ask(add(models(6), runs...), "new", "slow", batch); e.Known() != want {
			t.Errorf("batch %d of 1000 units: %+v (%s)", batch, e, why)
		}
	}
	for i := range runs {
		runs[i].TrainSize, runs[i].IterationsPerEpoch = nil, new(640/float64(runs[i].BatchSize))
	}
	for batch, want := range map[int]bool{640: true, 641: false} {
		if e, why := ask(add(models(6), runs...), "new", "slow", batch); e.Known() != want {
			t.Errorf("batch %d of 640 units by the iterations of an epoch: %+v (%s)", batch, e, why)
		}
	}
}

// A single total tells of an iteration by its share only: what of it was
// start-up is not known, and no iteration was timed.
func TestIterationOfATotal(t *testing.T) {
	r := step("new", "slow", 64, 0)
	r.Steady, r.TrainSize, r.Epochs, r.TotalS = estimate.Estimate{}, new(6400.0), new(10.0), new(1000.0)
	e, why := ask(&profile.Set{Runs: []profile.Run{r}}, "new", "slow", 64)
	if math.Abs(e.Value-1) > 1e-9 || e.Basis != estimate.OtherBatch || e.Low > 0.6 || e.High < 1.04 ||
		!strings.HasPrefix(why, "of whole epochs: ") {
		t.Errorf("%+v (%s)", e, why)
	}
}

// The batch size is that of the whole job: twice the VMs, each with its share,
// take half the time where nothing else is known.
func TestBatchIsOfTheWholeJob(t *testing.T) {
	two := step("new", "slow", 128, 0.2)
	two.Count = 2
	e, _ := ask(&profile.Set{Runs: []profile.Run{two}}, "new", "slow", 64)
	// One VM with 64 has the share that each of the two had.
	if !(e.Low < 0.2 && 0.2 < e.High && e.Value < 0.2) {
		t.Errorf("%+v", e)
	}
}
