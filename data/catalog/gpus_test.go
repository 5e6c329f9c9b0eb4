package catalog

import (
	"maps"
	"math"
	"strings"
	"testing"

	"sweetspot/engine/profile"
)

func TestGPUs(t *testing.T) {
	set := &profile.Set{GPUs: GPUs()}
	for _, vm := range Builtin() {
		if vm.GPU == "" {
			continue
		}
		g, ok := set.GPUSpec(vm.GPU)
		if !ok || g.FP32TFLOPS == nil || g.BandwidthGBs == nil {
			t.Errorf("%s of %s has no figures: %+v", vm.GPU, vm.InstanceType, g)
			continue
		}
		if vm.GPUMemGiB != nil && *vm.GPUMemGiB != *g.MemoryGB {
			t.Errorf("%s: %g GiB in the list of VM types, %g GB in that of GPUs", vm.GPU, *vm.GPUMemGiB, *g.MemoryGB)
		}
	}
	for _, g := range GPUs() {
		if g.Source == "" || g.AsOf == "" {
			t.Errorf("%s has no source or date", g.Name)
		}
		// Dense: twice the FP16 rate for INT8, half of it for TF32 where there are such
		// units. Cards for games do FP16 with FP32 sums at half the rate.
		twice := 2.0
		if strings.HasPrefix(g.Name, "RTX-2") || strings.HasPrefix(g.Name, "RTX-3") || strings.HasPrefix(g.Name, "RTX-4") {
			twice = 4
		}
		if g.Architecture == "" || (g.BaseMHz == nil) != (g.BoostMHz == nil) ||
			g.BaseMHz != nil && (*g.BaseMHz >= *g.BoostMHz || *g.BaseMHz < *g.BoostMHz/4) {
			t.Errorf("%s: architecture %q, clocks %v and %v", g.Name, g.Architecture, g.BaseMHz, g.BoostMHz)
		}
		if g.OwnFP32TFLOPS != nil && math.Abs(*g.OwnFP32TFLOPS / *g.FP32TFLOPS - 0.5) > 0.005 {
			t.Errorf("%s: %g of %g TFLOPS are half", g.Name, *g.OwnFP32TFLOPS, *g.FP32TFLOPS)
		}
		if g.INT8TOPS != nil && g.FP16TFLOPS != nil && math.Abs(*g.INT8TOPS / *g.FP16TFLOPS / twice - 1) > 0.05 {
			t.Errorf("%s: INT8 %g beside FP16 %g", g.Name, *g.INT8TOPS, *g.FP16TFLOPS)
		}
		if g.TF32TFLOPS != nil && (*g.TF32TFLOPS < 0.45**g.FP16TFLOPS || *g.TF32TFLOPS > 0.55**g.FP16TFLOPS) {
			t.Errorf("%s: TF32 %g beside FP16 %g", g.Name, *g.TF32TFLOPS, *g.FP16TFLOPS)
		}
	}
}

// Base clocks of few boards rise by more than a twentieth. By hand: an M40 does
// 6.84·948/1112/250 TFLOPS per watt at its base clock, so an M60's 150 W allow 853 MHz, and an
// RTX 6000 Ada, of the L40's chip and watts, has 915 MHz.
func TestBaseClocksAreKept(t *testing.T) {
	published, err := readGPUs(strings.NewReader(gpusCSV))
	if err != nil {
		t.Fatal(err)
	}
	raised := map[string]float64{}
	for i, g := range GPUs() {
		if g.BaseMHz != nil && *g.BaseMHz > 1.05**published[i].BaseMHz {
			raised[g.Name] = math.Round(*g.BaseMHz)
		}
	}
	if want := map[string]float64{"M60": 853, "L40": 916, "RTX-A4000": 892, "A100-SXM4-40GB": 1166,
		"H200-SXM5-141GB": 1590}; !maps.Equal(raised, want) {
		t.Errorf("%v, want %v", raised, want)
	}
}

// Of every GPU that can be rented there are figures to estimate from, but for two that
// PyTorch no longer runs on.
func TestTheMarketsGPUsHaveFigures(t *testing.T) {
	set := &profile.Set{GPUs: GPUs()}
	left := map[string]bool{"K520": true, "RADEON-PRO-V520": true}
	for _, vm := range Market() {
		if vm.GPU == "" || left[vm.GPU] {
			continue
		}
		if g, ok := set.GPUSpec(vm.GPU); !ok || g.FP32TFLOPS == nil || g.BandwidthGBs == nil {
			t.Errorf("%s of %s has no figures: %+v", vm.GPU, vm.InstanceType, g)
		}
	}
}

func TestReadGPUsSaysWhatIsWrong(t *testing.T) {
	head := strings.Join(gpuColumns, ",") + "\n"
	for text, want := range map[string]string{
		"":                           "row 1",
		"gpu,watts\n":                "starts with the columns",
		head + "K80,x,,,,,,,,,,,,\n": `row 2, column fp32_tflops: "x" is not a finite decimal number`,
		head + "K80,,,,,,,0,,,,,,\n": "column bandwidth_gbs",
		head + ",,,,,,,,,,,,,\n":     "column gpu",
		head + "T4,,,,,,,,,,,,,\nT4,,,,,,,,,,,,,\n": `row 3, column gpu: "T4"`,
	} {
		if _, err := readGPUs(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	got, err := readGPUs(strings.NewReader(head + "T4,8.1,,,65,130,16,320,70,Turing,585,1590,a sheet,2026\n"))
	if err != nil || len(got) != 1 || *got[0].FP16TFLOPS != 65 || got[0].TF32TFLOPS != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzReadGPUs(f *testing.F) {
	f.Add(gpusCSV[:600])
	f.Fuzz(func(t *testing.T, in string) {
		got, err := readGPUs(strings.NewReader(in))
		if err != nil {
			return
		}
		for _, g := range got {
			for _, v := range []*float64{g.FP32TFLOPS, g.OwnFP32TFLOPS, g.TF32TFLOPS, g.FP16TFLOPS, g.INT8TOPS, g.MemoryGB,
				g.BandwidthGBs, g.TDPWatts, g.BaseMHz, g.BoostMHz} {
				if v != nil && !(*v > 0) {
					t.Fatalf("read %g of %q", *v, g.Name)
				}
			}
		}
	})
}
