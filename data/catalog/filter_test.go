package catalog

import (
	"strings"
	"testing"

	"sweetspot/engine/profile"
)

func TestFilter(t *testing.T) {
	vms := map[string]profile.VMType{
		"a100x8":  {GPU: "A100-SXM4-80GB", GPUCount: 8, GPUMemGiB: new(80.0)},
		"a100x16": {GPU: "A100-SXM4-40GB", GPUCount: 16, GPUMemGiB: new(40.0)},
		"pcie":    {GPU: "A100-PCIE-80GB", GPUCount: 1, GPUMemGiB: new(79.2)},
		"h100":    {GPU: "H100-SXM5-80GB", GPUCount: 8, GPUMemGiB: new(80.0)},
		"gh200":   {GPU: "GH200", GPUCount: 1, GPUMemGiB: new(96.0)},
		"h200":    {GPU: "H200-SXM5-141GB", GPUCount: 8, GPUMemGiB: new(141.0)},
		"l40s":    {GPU: "L40S", GPUCount: 1, GPUMemGiB: new(44.7)},
		"a10g":    {GPU: "A10G", GPUCount: 4, GPUMemGiB: new(22.35)},
		"4090":    {GPU: "RTX-4090", GPUCount: 1},
		"cpu":     {},
	}
	for filter, want := range map[string]string{
		"A100":           "a100x16 a100x8 pcie",
		"a100:80GB":      "a100x8 pcie",
		"A100:80GB:1..8": "a100x8 pcie",
		"A100:80GB:2..":  "a100x8",
		"A100-80GB":      "a100x8 pcie",
		"A100:16":        "a100x16",
		"A100::16":       "",
		"a100-sxm":       "a100x16 a100x8",
		"A100 PCIe":      "pcie",
		"H100":           "h100",
		"H200":           "h200",
		"L40S":           "l40s",
		"L40":            "",
		"L40S:48GB":      "l40s",
		"24GB":           "a10g",
		"90GB..":         "gh200 h200",
		"..24GB:4":       "a10g",
		"40..80GB:1":     "l40s pcie",
		"RTX4090":        "4090",
		"4090":           "4090",
		":..1":           "4090 gh200 l40s pcie",
	} {
		f, err := ParseFilter(filter)
		if want == "" && err != nil {
			continue // refusing is as good as finding nothing
		}
		var got []string
		for _, name := range []string{"4090", "a100x16", "a100x8", "a10g", "cpu", "gh200", "h100", "h200", "l40s",
			"pcie"} {
			if err == nil && f.Matches(vms[name]) {
				got = append(got, name)
			}
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v, want %s", filter, got, err, want)
		}
	}
	for _, bad := range []string{"", ":", "A100:80GB:many", "A100:8..1", "A100:1:2:3", "A100:-1", "A100:80GB:40GB"} {
		if f, err := ParseFilter(bad); err == nil || !strings.Contains(err.Error(), "A100:80GB:1..8") {
			t.Errorf("%q: %+v, %v", bad, f, err)
		}
	}
}

func FuzzParseFilter(f *testing.F) {
	f.Add("A100:80GB:1..8")
	f.Add("24GB..")
	f.Fuzz(func(t *testing.T, s string) {
		filter, err := ParseFilter(s)
		if err == nil && filter.Matches(profile.VMType{}) {
			t.Fatalf("%q asks for a VM type without a GPU", s)
		}
	})
}
