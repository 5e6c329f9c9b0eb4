package catalog

import (
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestGPUName(t *testing.T) {
	for _, c := range []struct {
		spelt           string
		mem             float64 // 0: unknown
		cloud, instance string
		want            string
	}{
		{"V100", 16, "aws", "p3.2xlarge", "V100-SXM2-16GB"},
		{"NVIDIA Tesla V100", 32, "aws", "p3dn.24xlarge", "V100-SXM2-32GB"},
		{"Tesla V100-PCIE-16GB", 0, "", "", "V100-PCIE-16GB"},
		{"v100", 16, "azure", "Standard_NC6s_v3", "V100-PCIE-16GB"},
		{"V100", 32, "azure", "Standard_ND40rs_v2", "V100-SXM2-32GB"},
		{"V100", 0, "paperspace", "x", "V100-16GB"},
		{"a100", 40, "gcp", "a2-highgpu-1g", "A100-SXM4-40GB"},
		{"a100-80gb", 80, "gcp", "a2-ultragpu-1g", "A100-SXM4-80GB"},
		{"A100", 79.6, "azure", "Standard_NC24ads_A100_v4", "A100-PCIE-80GB"},
		{"A100", 80, "azure", "Standard_ND96amsr_A100_v4", "A100-SXM4-80GB"},
		{"NVIDIA A100 80GB PCIe", 0, "", "", "A100-PCIE-80GB"},
		{"NVIDIA A100-SXM4-40GB", 0, "", "", "A100-SXM4-40GB"},
		{"A100-80GB-SXM", 0, "runpod", "", "A100-SXM4-80GB"},
		{"A100 80 GB", 0, "", "", "A100-80GB"},
		{"A100-80G", 0, "crusoe", "crusoe_A100-80G-sxm4x8", "A100-SXM4-80GB"},
		{"NVIDIA H100 80GB HBM3", 0, "", "", "H100-SXM5-80GB"},
		{"NVIDIA H100 PCIe", 0, "", "", "H100-PCIE-80GB"},
		{"H100NVL", 94, "", "", "H100-NVL-94GB"},
		{"H100", 0, "azure", "Standard_NC40ads_H100_v5", "H100-NVL-94GB"},
		{"H100-MEGA", 0, "gcp", "a3-megagpu-8g", "H100-SXM5-80GB"},
		{"H100", 80, "lambda", "gpu_8x_h100_sxm5", "H100-SXM5-80GB"},
		{"H100", 80, "lambda", "lambda-1xH10080GB", "H100-80GB"},
		{"h200", 141, "aws", "p5en.48xlarge", "H200-SXM5-141GB"},
		{"P100", 16, "gcp", "n1-highmem-8+1xP100", "P100-PCIE-16GB"},
		{"k80", 12, "aws", "p2.xlarge", "K80"},
		{"Tesla M60", 8, "", "", "M60"},
		{"NVIDIA T4 Tensor Core", 16, "aws", "g4dn.xlarge", "T4"},
		{"t4g", 16, "", "", "T4G"},
		{"a10g", 22.35, "", "", "A10G"},
		{"NVIDIA L40S", 48, "", "", "L40S"},
		{"NVIDIA GRID K520", 4, "", "", "K520"},
		{"rtx-pro-server-6000", 96, "aws", "g7e.2xlarge", "RTX-PRO-6000"},
		{"NVIDIA RTX PRO 6000 Blackwell Server Edition", 96, "", "", "RTX-PRO-6000"},
		{"rtx6000", 0, "gcp", "g4-standard-48", "RTX-PRO-6000"},
		{"RTX6000Ada", 48, "", "", "RTX-6000-ADA"},
		{"RTX 6000 Ada Generation", 48, "", "", "RTX-6000-ADA"},
		{"NVIDIA GeForce RTX 4090", 24, "", "", "RTX-4090"},
		{"RTX4090", 24, "", "", "RTX-4090"},
		{"A6000", 48, "", "", "RTX-A6000"},
		{"RTXA6000", 48, "", "", "RTX-A6000"},
		{"NVIDIA RTX A6000", 48, "", "", "RTX-A6000"},
		{"AMD Instinct MI300X", 192, "", "", "MI300X"},
		{"radeon-pro-v520", 8, "", "", "RADEON-PRO-V520"},
		{"GH200", 96, "", "", "GH200"},
		{"", 0, "aws", "m5.large", ""},
		{"NVIDIA", 0, "", "", ""},
	} {
		var mem *float64
		if c.mem > 0 {
			mem = &c.mem
		}
		if got := GPUName(c.spelt, mem, c.cloud, c.instance); got != c.want {
			t.Errorf("%q, %g GiB on %s %s: %q, want %q", c.spelt, c.mem, c.cloud, c.instance, got, c.want)
		}
	}
}

// The names that figures stand under are canonical, and a name stays as it is
// wherever it is met again.
func TestGPUNamesStay(t *testing.T) {
	for _, g := range GPUs() {
		if got := GPUName(g.Name, g.MemoryGB, "", ""); got != g.Name {
			t.Errorf("%s becomes %s", g.Name, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		spelt := rapid.OneOf(rapid.String(), rapid.StringMatching(`(nvidia |tesla )?(rtx `+
			`?)?[AHVLTP][0-9]{1,4}[a-z]?([- _](sxm[0-9]?|pcie|[0-9]{2}gb|ada|nvl)){0,3}`)).Draw(t, "name")
		cloud := rapid.SampledFrom([]string{"", "aws", "gcp", "azure", "oci"}).Draw(t, "cloud")
		once := GPUName(spelt, nil, cloud, "")
		if again := GPUName(once, nil, cloud, ""); again != once {
			t.Fatalf("%q becomes %q, then %q", spelt, once, again)
		}
		for _, r := range once {
			if unicode.IsControl(r) || unicode.IsSpace(r) || unicode.IsLower(r) && unicode.ToUpper(r) != r {
				t.Fatalf("%q becomes %q", spelt, once)
			}
		}
	})
}

func TestIsGPU(t *testing.T) {
	for name, want := range map[string]bool{
		"V100": true, "Trainium": false, "Inferentia2": false, "tpu-v5litepod-1": false, "gaudi-hl-205": false,
		"Gaudi HL-205": false, "": false,
		"AWS Trainium2": false, "RTX4090": true, "NVIDIA": false, "NVIDIA GPU": false,
	} {
		if IsGPU(name) != want {
			t.Errorf("%q", name)
		}
	}
}

func TestCloudName(t *testing.T) {
	for spelt, want := range map[string]string{"AWS": "aws", "Oracle-Cloud": "oci", "lambdalabs": "lambda",
		"vastai": "vast", "mine": "mine"} {
		if got, sure := CloudName(spelt); got != want || sure == (want == "mine") {
			t.Errorf("%q: %q, %v", spelt, got, sure)
		}
	}
}
