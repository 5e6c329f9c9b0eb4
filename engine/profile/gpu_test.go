package profile

import "testing"

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
