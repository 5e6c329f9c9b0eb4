package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"sweetspot/data/catalog"
	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/roofline"
	"sweetspot/engine/steady"
	"sweetspot/probes/gpu"
	"sweetspot/probes/harness"
	"sweetspot/probes/python"
	"sweetspot/probes/runner"
)

// selftestTime is how long the test may take; PyTorch alone may need half a minute to
// load from a cold disk.
const selftestTime = 2 * time.Minute

// selftestSizes make the test small where a CPU stands in for the GPU.
var selftestSizes []string

// measured is what the test prints; a GPU without a name was not found.
type measured struct {
	Torch, Python, Name, UUID string
	MemoryBytes               float64   `json:"memory_bytes"`
	SMIName                   string    `json:"smi_name"` // "" where nvidia-smi did not answer
	SMIMemoryBytes            float64   `json:"smi_memory_bytes"`
	AllocatedBytes            float64   `json:"allocated_bytes"`
	CountedBytes              float64   `json:"counted_bytes"`
	SMIBytes                  float64   `json:"smi_bytes"`
	StepsS                    []float64 `json:"steps_s"`
	StepS                     float64   `json:"step_s"`
	PlainS                    float64   `json:"plain_s"`
	BatchSize                 int       `json:"batch_size"`
	PeakBytes                 float64   `json:"peak_bytes"`
	TFLOPS                    map[string]float64
}

// Selftest measures on this machine's GPU what only one can show, and compares it with what
// is known otherwise. The run is what its steps took.
func Selftest(ctx context.Context, interpreter string, now time.Time) (checks []Check, run profile.Run, err error) {
	found, err := python.Find(ctx, interpreter)
	if err != nil {
		return nil, run, err
	}
	if !found.GPU {
		return nil, run, fmt.Errorf("there is no GPU to test: PyTorch %s in %s can use none; run this on a machine that "+
			"has one, with a PyTorch that is built for it", found.Torch, plaintext.Clean(found.Path))
	}
	m, err := measure(ctx, found.Path)
	if err != nil {
		return nil, run, err
	}
	checks = []Check{m.identity(), m.stepTime(), m.memory()}
	spec, known := (&profile.Set{GPUs: catalog.GPUs()}).GPUSpec(gpu.Canonical(m.Name))
	for _, precision := range []string{"fp32", "tf32", "bf16", "fp16"} {
		if tflops, ok := m.TFLOPS[precision]; ok {
			checks = append(checks, product(precision, tflops, spec, known))
		}
	}
	return checks, m.run(now), nil
}

func measure(ctx context.Context, interpreter string) (m measured, err error) {
	files, argv, err := harness.Selftest(interpreter)
	if err != nil {
		return m, err
	}
	ctx, cancel := context.WithTimeout(ctx, selftestTime)
	defer cancel()
	p, err := runner.Start(ctx, runner.Command{Argv: append(argv, selftestSizes...), Files: files})
	if err != nil {
		return m, err
	}
	defer context.AfterFunc(ctx, func() { p.StopWithin(0) })()
	var out, said bytes.Buffer
	var reading sync.WaitGroup
	for to, from := range map[io.Writer]io.Reader{&out: p.Stdout(), &said: p.Stderr(), io.Discard: p.Events()} {
		reading.Go(func() { _, _ = io.Copy(to, io.LimitReader(from, 1<<20)) })
	}
	reading.Wait()
	exit := p.Wait()
	if ctx.Err() != nil {
		return m, fmt.Errorf("the test did not end within %s; see whether another program uses the GPU, and try again",
			quantity.Duration(selftestTime.Seconds()))
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &m); err != nil || exit.Code != 0 || !m.isWhole() {
		said := strings.Split(strings.TrimSpace(said.String()), "\n")
		why := cmp.Or(plaintext.Line(said[len(said)-1], 200), "it said nothing")
		return m, errors.New("the test failed on the GPU: " + why +
			"; run it again, and see dmesg if it fails again")
	}
	return m, nil
}

// isWhole reports whether everything was measured.
func (m measured) isWhole() bool {
	for _, v := range append([]float64{m.MemoryBytes, m.StepS, m.PlainS, m.CountedBytes, m.TFLOPS["fp32"]}, m.StepsS...) {
		if !(v > 0) || math.IsInf(v, 0) {
			return false
		}
	}
	return m.Name != "" && len(m.StepsS) > 1
}

const notCompared = "; nvidia-smi says nothing of it, so that it is not compared"

// identity compares name and memory with those of nvidia-smi.
func (m measured) identity() Check {
	c := Check{Name: "GPU", OK: true, Found: fmt.Sprintf("%s with %s", plaintext.Line(m.Name, 100), gib(m.MemoryBytes))}
	if m.SMIName == "" {
		c.Found += notCompared
		return c
	}
	c.Found += fmt.Sprintf("; nvidia-smi: %s with %s", plaintext.Line(m.SMIName, 100), gib(m.SMIMemoryBytes))
	if gpu.Canonical(m.Name) != gpu.Canonical(m.SMIName) || !gpu.SameMemory(m.MemoryBytes, m.SMIMemoryBytes) {
		c.OK, c.Mend = false, "PyTorch and nvidia-smi speak of different GPUs: check CUDA_VISIBLE_DEVICES, and set "+
			"CUDA_DEVICE_ORDER=PCI_BUS_ID"
	}
	return c
}

// Steps timed by a probe may differ by this much from those timed by two events.
const (
	stepRel = 0.02
	stepAbs = 20e-6 // s
)

func (m measured) stepTime() Check {
	c := Check{Name: "step time", OK: true, Found: fmt.Sprintf("%s a step as a probe times it, %s between two events "+
		"of the GPU", quantity.Duration(m.StepS), quantity.Duration(m.PlainS))}
	if math.Abs(m.StepS-m.PlainS) > max(stepRel*m.PlainS, stepAbs) {
		c.OK, c.Mend = false, "another program may use the GPU: try again without it, and report this if it stays"
	}
	return c
}

// blockRel is by how much a block of memory may differ from what nvidia-smi sees of it.
const blockRel = 0.1

func (m measured) memory() Check {
	c := Check{Name: "memory", OK: true, Found: fmt.Sprintf("of a block of %s PyTorch counts %s", gib(m.AllocatedBytes),
		gib(m.CountedBytes))}
	wrong := math.Abs(m.CountedBytes/m.AllocatedBytes-1) > 0.01
	if m.SMIName == "" {
		c.Found += notCompared
	} else {
		c.Found += ", nvidia-smi " + gib(m.SMIBytes)
		wrong = wrong || math.Abs(m.SMIBytes/m.AllocatedBytes-1) > blockRel
	}
	if wrong {
		c.OK, c.Mend = false, "another program may use the GPU: try again without it, and report this if it stays"
	}
	return c
}

// A large product of matrices gets between these shares of a GPU's peak.
const leastShare, greatestShare = 0.3, 1.1

func product(precision string, tflops float64, spec profile.GPUSpec, known bool) Check {
	c := Check{Name: "matmul " + precision, OK: true, Found: fmt.Sprintf("%.3g TFLOPS", tflops)}
	peak, tensor := roofline.Peak(spec, precision)
	if !known || peak == nil || tensor != (precision != "fp32") {
		c.Found += "; the GPU table has no peak to compare with"
		return c
	}
	share := tflops / *peak
	c.Found += fmt.Sprintf(", %s of the %.4g of its peak", quantity.Percent(share), *peak)
	switch {
	case share < leastShare:
		c.OK, c.Mend = false, "the GPU is slower than it should be: see nvidia-smi -q -d PERFORMANCE, and whether another "+
			"program uses it"
	case share > greatestShare:
		c.OK, c.Mend = false, "it is faster than it can be: the times are wrong, or the GPU is another one; report this"
	}
	return c
}

func gib(bytes float64) string { return fmt.Sprintf("%.2f GiB", bytes/(1<<30)) }

// run is what the steps took, as a run of its own model.
func (m measured) run(now time.Time) profile.Run {
	host, _ := os.Hostname() // unknown is ""
	r := profile.Run{
		Model: "GPU self-test", Dataset: "synthetic", Unit: "sample", Mode: profile.Train,
		Variant: profile.Variant{Precision: "fp32"}, InstanceType: cmp.Or(plaintext.Clean(host), "this machine"),
		GPU: gpu.Canonical(plaintext.Line(m.Name, 100)), GPUCount: 1, GPUMemGiB: new(m.MemoryBytes / (1 << 30)), Count: 1,
		BatchSize: m.BatchSize, PeakMemoryBytes: &m.PeakBytes, Status: profile.Done, Basis: estimate.Measured,
		Source: "sweetspot doctor --gpu-selftest", AsOf: now.UTC().Format(time.DateOnly),
		Note: "PyTorch " + plaintext.Line(m.Torch, 40),
	}
	summary := steady.Summarise(m.StepsS)
	summary.Describe(&r)
	return r
}
