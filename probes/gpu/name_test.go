package gpu

import (
	"testing"

	"sweetspot/data/catalog"
)

// drivers holds, for each GPU of the catalog, a name its driver gives it.
var drivers = map[string]string{
	"K80":            "Tesla K80",
	"M60":            "Tesla M60",
	"V100-SXM2-16GB": "Tesla V100-SXM2-16GB",
}

// Every GPU of the catalog is found by its driver's name, and by no other's.
// An instance of a partitioned GPU is named as such, and is not the whole.
func TestPartitionedGPU(t *testing.T) {
	whole, part := "NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB MIG 1g.5gb"
	if got := Canonical(part); got != "A100-SXM4-40GB MIG 1g.5gb" || Same(whole, part) || Same("A100", part) {
		t.Errorf("%q, the same as the whole: %v, %v", got, Same(whole, part), Same("A100", part))
	}
}

func TestSameOverCatalog(t *testing.T) {
	seen := 0
	for _, vm := range catalog.Builtin() {
		if vm.GPU == "" {
			continue
		}
		seen++
		found := false
		for chip, driver := range drivers {
			if Same(driver, vm.GPU) {
				found = true
				if chip != vm.GPU {
					t.Errorf("%q is taken for a %s", driver, vm.GPU)
				}
			}
		}
		if !found {
			t.Errorf("no driver's name of the test is a %q of the catalog: add its own", vm.GPU)
		}
	}
	if seen == 0 {
		t.Error("the catalog has no GPU")
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"NVIDIA H100 80GB HBM3", "h100-80gb", true},
		{"NVIDIA H100 80GB HBM3", "H100 SXM5", true},
		{"NVIDIA H100 80GB HBM3", "H100-PCIE-80GB", false},
		{"NVIDIA H100 PCIe", "H100 80GB", true},
		{"NVIDIA H100 NVL", "H100 PCIe", false},
		{"NVIDIA H100 80GB HBM3", "H200", false},
		{"NVIDIA A100-SXM4-40GB", "A100", true},
		{"NVIDIA A100-SXM4-40GB", "a100-80gb", false},
		{"NVIDIA A100-SXM4-80GB", "A100 80GB PCIe", false},
		{"NVIDIA A100-SXM4-80GB", "A100 80 GB", true},
		{"NVIDIA A100-SXM4-40GB MIG 1g.5gb", "A100", false}, // a slice is no A100
		{"Tesla V100-SXM2-16GB", "v100", true},
		{"Tesla V100-SXM2-32GB", "V100-SXM2-16GB", false},
		{"Tesla P100-PCIE-16GB", "P100", true},
		{"NVIDIA A10G", "a10g", true},
		{"NVIDIA A10", "A10G", false},
		{"Tesla T4", "t4", true},
		{"NVIDIA T4G", "t4g", true},
		{"Tesla T4", "T4G", false},
		{"NVIDIA L4", "L40S", false},
		{"NVIDIA L40", "L40S", false},
		{"NVIDIA L40S", "l40s", true},
		{"NVIDIA RTX A6000", "A6000", true},
		{"NVIDIA RTX 6000 Ada Generation", "A6000", false},
		{"NVIDIA RTX 6000 Ada Generation", "rtx6000", false},
		{"Quadro RTX 6000", "rtx6000", true},
		{"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-server-6000", true},
		{"NVIDIA RTX PRO 4500 Blackwell", "rtx-pro-4500", true},
		{"NVIDIA GeForce RTX 4090", "rtx4090", true},
		{"NVIDIA GeForce RTX 4090 Laptop GPU", "rtx4090", false},
		{"NVIDIA GeForce RTX 3090 Ti", "RTX 3090", false},
		{"NVIDIA B200", "b200", true},
		{"AMD Instinct MI300X", "MI300X", true},
		{"", "", false},
		{"NVIDIA", "Tesla", false},
	} {
		if got := Same(c.a, c.b); got != c.same {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
		if Same(c.a, c.b) != Same(c.b, c.a) {
			t.Errorf("%q and %q: not the same both ways", c.a, c.b)
		}
	}
}

func TestCanonical(t *testing.T) {
	for name, want := range map[string]string{
		"NVIDIA H100 80GB HBM3":   "H100 80GB HBM3",
		"Tesla V100-SXM2-16GB":    "V100-SXM2-16GB",
		"NVIDIA A100-SXM4-40GB":   "A100-SXM4-40GB",
		"NVIDIA  Tesla T4":        "T4",
		"NVIDIA GeForce RTX 4090": "RTX 4090",
		"Tesla":                   "Tesla",
		"AMD Instinct MI300X":     "MI300X",
		"NVIDIA H100 PCIe":        "H100 PCIe",
	} {
		if got := Canonical(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
