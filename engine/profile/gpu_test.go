package profile

import (
	"slices"
	"testing"
)

func TestGPUSpec(t *testing.T) {
	set := &Set{}
	for _, name := range []string{"K80", "V100-SXM2-16GB", "V100-PCIE-16GB", "A10", "A10G", "A100-SXM4-40GB",
		"A100-SXM4-80GB", "A100-PCIE-80GB", "L4", "RTX-3090", "RTX-4090"} {
		set.GPUs = append(set.GPUs, GPUSpec{Name: name})
	}
	for name, want := range map[string]string{
		"Tesla K80":                          "K80",
		"V100":                               "V100-SXM2-16GB",
		"Tesla V100-PCIE-16GB":               "V100-PCIE-16GB",
		"a100":                               "A100-SXM4-40GB",
		"a100-80gb":                          "A100-SXM4-80GB",
		"NVIDIA A100 80GB PCIe":              "A100-PCIE-80GB",
		"NVIDIA A10G":                        "A10G",
		"L4":                                 "L4",
		"L40S":                               "",
		"RTX 4090":                           "RTX-4090",
		"NVIDIA GeForce RTX 3090":            "RTX-3090",
		"RTX 3090 Ti":                        "",
		"NVIDIA GeForce RTX 4090 Laptop GPU": "",
		"RTX-A6000":                          "",
		"RTX-PRO-6000":                       "",
		"NVIDIA":                             "",
		"":                                   "",
	} {
		if g, ok := set.GPUSpec(name); g.Name != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", name, g.Name, ok, want)
		}
	}
}

func TestIsGPU(t *testing.T) {
	names := []string{"A10", "A10G", "A100-SXM4-40GB", "A100-PCIE-80GB", "NVIDIA A100 80GB PCIe", "RTX-4090",
		"RTX-PRO-6000", "RTX-6000-ADA", "K80", "my board", "NVIDIA", ""}
	for meant, want := range map[string][]string{
		"A10":        {"A10"},
		"a10g":       {"A10G"},
		"A100":       {"A100-SXM4-40GB", "A100-PCIE-80GB", "NVIDIA A100 80GB PCIe"},
		"A100-80GB":  {"A100-PCIE-80GB", "NVIDIA A100 80GB PCIe"},
		"A100 SXM":   {"A100-SXM4-40GB"},
		"A1":         nil,
		"4090":       {"RTX-4090"},
		"rtx4090":    {"RTX-4090"},
		"RTX 6000":   nil,
		"Tesla K80":  {"K80"},
		"My Board":   {"my board"},
		"NVIDIA":     {"NVIDIA"},
		"":           nil,
		"RTX-409":    nil,
		"A100-PCIE-": {"A100-PCIE-80GB", "NVIDIA A100 80GB PCIe"},
	} {
		var got []string
		for _, name := range names {
			if IsGPU(meant, name) {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q means %v, not %v", meant, got, want)
		}
	}
}
