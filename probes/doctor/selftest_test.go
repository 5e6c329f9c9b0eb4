package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sweetspot/engine/profile"
	"sweetspot/probes/python"
)

// withGPU is a Python with PyTorch that sees a GPU which is not there, and whose
// nvidia-smi, if any, prints a name and that so many MiB more are in use at each call.
func withGPU(t *testing.T, name, more string) string {
	t.Helper()
	found, err := python.Find(t.Context(), "")
	if _, missing := errors.AsType[*python.NotFoundError](err); missing && os.Getenv("CI") != "true" {
		t.Skip("PyTorch is not installed: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o700); err != nil { //nolint:gosec // programs
			t.Fatal(err)
		}
	}
	fakes, err := filepath.Abs("../harness/testdata")
	if err != nil {
		t.Fatal(err)
	}
	write("sitecustomize.py", "import fakecuda\nfakecuda.install()\n")
	if name != "" {
		write("nvidia-smi", "#!/bin/sh\nused=$(cat "+dir+"/used 2>/dev/null || echo 600)\necho $((used + "+more+
			")) > "+dir+"/used\necho \""+name+", 81559, $used\"\n")
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	write("python", "#!/bin/sh\nPYTHONPATH="+dir+":"+fakes+" exec "+found.Path+" \"$@\"\n")
	previous := selftestSizes
	selftestSizes = []string{"--size=64", "--batch=4", "--width=8", "--steps=20"}
	t.Cleanup(func() { selftestSizes = previous })
	return filepath.Join(dir, "python")
}

const fakeH100 = "NVIDIA H100 80GB HBM3"

// Where everything agrees the test says so, and has a run.
func TestSelftest(t *testing.T) {
	interpreter := withGPU(t, fakeH100, "1026")
	checks, run, err := Selftest(t.Context(), interpreter, time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, c := range checks {
		names = append(names, c.Name)
		if !c.OK || c.Mend != "" {
			t.Errorf("%+v", c)
		}
	}
	want := []string{"GPU", "step time", "memory", "matmul fp32", "matmul tf32", "matmul bf16"}
	if !slices.Equal(names, want) {
		t.Errorf("checks %q", names)
	}
	if f := checks[1].Found; !strings.Contains(f, "2.00 ms a step as a probe times it, 2.00 ms between") {
		t.Errorf("%q, for two layers of 1 ms each", f)
	}
	if f := checks[3].Found; !strings.Contains(f, "40 TFLOPS") {
		t.Error(f)
	}
	if r := run; r.GPU != "H100 80GB HBM3" || r.GPUCount != 1 || r.Mode != profile.Train || r.BatchSize != 4 ||
		r.AsOf != "2026-03-04" || !r.Steady.Known() || r.Steady.Value < 1.9e-3 || r.Steady.Value > 2.1e-3 ||
		r.Status != profile.Done {
		t.Errorf("%+v", r)
	}
}

// What does not agree is reported, with what to do: on a slow GPU, beside another program that
// takes memory, and with an nvidia-smi that speaks of another GPU.
func TestSelftestFindsFaults(t *testing.T) {
	t.Setenv("FAKECUDA_EFFICIENCY", "0.1")
	checks, _, err := Selftest(t.Context(), withGPU(t, "NVIDIA T4", "3000"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Check{}
	for _, c := range checks {
		if found[c.Name] = c; c.OK != (c.Mend == "") {
			t.Errorf("%+v", c)
		}
	}
	for name, words := range map[string]string{"GPU": "nvidia-smi: NVIDIA T4", "memory": "nvidia-smi 2.93 GiB",
		"matmul fp32": "4 TFLOPS, 6.0 %", "matmul bf16": "50 TFLOPS, 5.1 % of the 989"} {
		if c := found[name]; c.OK || !strings.Contains(c.Found, words) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := found["step time"]; !c.OK {
		t.Errorf("%+v", c)
	}
}

// What is compared with what, and how closely.
func TestSelftestComparisons(t *testing.T) {
	good := measured{Name: fakeH100, MemoryBytes: 80 << 30, StepS: 1e-3, PlainS: 1e-3, AllocatedBytes: 1 << 30,
		CountedBytes: 1 << 30, SMIName: fakeH100, SMIMemoryBytes: 81559 << 20, SMIBytes: 1026 << 20}
	peak := profile.GPUSpec{FP32TFLOPS: new(10.0)}
	for name, c := range map[string]struct {
		change func(m *measured)
		check  func(m measured) Check
		ok     bool
		found  string
	}{
		"a step 1 % off":          {func(m *measured) { m.StepS = 1.01e-3 }, measured.stepTime, true, "1.01 ms"},
		"a step 3 % off":          {func(m *measured) { m.StepS = 1.03e-3 }, measured.stepTime, false, "1.03 ms"},
		"a short step 15 µs off":  {func(m *measured) { m.StepS, m.PlainS = 65e-6, 50e-6 }, measured.stepTime, true, "65"},
		"no nvidia-smi":           {func(m *measured) { m.SMIName = "" }, measured.memory, true, "not compared"},
		"no nvidia-smi, its name": {func(m *measured) { m.SMIName = "" }, measured.identity, true, "not compared"},
		"half the memory":         {func(m *measured) { m.SMIMemoryBytes /= 2 }, measured.identity, false, "39.82 GiB"},
		"miscounted memory":       {func(m *measured) { m.CountedBytes /= 2 }, measured.memory, false, "0.50 GiB"},
		"as fast as can be": {func(*measured) {}, func(measured) Check { return product("fp32", 9, peak, true) }, true,
			"90.0 % of the 10"},
		"too fast": {func(*measured) {}, func(measured) Check { return product("fp32", 12, peak, true) }, false, "120.0 %"},
		"an unknown GPU": {func(*measured) {}, func(measured) Check { return product("bf16", 12, profile.GPUSpec{}, false) },
			true, "no peak to compare"},
		"tensor cores without a peak": {func(*measured) {}, func(measured) Check { return product("bf16", 90, peak, true) },
			true, "no peak to compare"},
	} {
		m := good
		c.change(&m)
		if k := c.check(m); k.OK != c.ok || !strings.Contains(k.Found, c.found) || k.OK != (k.Mend == "") {
			t.Errorf("%s: %+v", name, k)
		}
	}
}

// Without a GPU one sentence says so, as does one for a test that fails on it.
func TestSelftestWithoutGPU(t *testing.T) {
	none := program(t, `echo '{"python":"3.11.2","torch":"2.15.0","cuda":"","gpu":false}'`)
	if _, _, err := Selftest(t.Context(), none, time.Now()); err == nil ||
		!strings.HasPrefix(err.Error(), "there is no GPU to test: PyTorch 2.15.0 in /") {
		t.Errorf("%v", err)
	}
	broken := program(t, `[ "$1" = -c ] && { echo '{"python":"3.11.2","torch":"2.15.0","cuda":"12","gpu":true}'; exit; }
echo 'RuntimeError: CUDA error: an illegal memory access was encountered' >&2; exit 1`)
	if _, _, err := Selftest(t.Context(), broken, time.Now()); err == nil ||
		!strings.Contains(err.Error(), "failed on the GPU: RuntimeError: CUDA error: an illegal memory access") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Selftest(ctx, broken, time.Now()); err == nil {
		t.Error("a cancelled test has a result")
	}
}
