package launch

import "strings"

// accelerator is a GPU as launchers call it.
type accelerator struct {
	words  []string // that its name in a catalog or of its driver has, all of them
	sky    string   // SkyPilot
	google string   // where it is attached to a VM type that has none of its own
}

// accelerators are tried in order: more specific names come first.
var accelerators = []accelerator{
	{[]string{"A100", "80GB"}, "A100-80GB", ""},
	{[]string{"A100"}, "A100", ""},
	{[]string{"V100", "32GB"}, "V100-32GB", ""},
	{[]string{"V100"}, "V100", "nvidia-tesla-v100"},
	{[]string{"H100", "PCIE"}, "", ""}, {[]string{"H100", "NVL"}, "", ""},
	{[]string{"H100"}, "H100", ""},
	{[]string{"H200"}, "H200", ""}, {[]string{"B200"}, "B200", ""},
	{[]string{"L40S"}, "L40S", ""}, {[]string{"L4"}, "L4", ""}, {[]string{"A10G"}, "A10G", ""},
	{[]string{"A10"}, "A10", ""},
	{[]string{"T4G"}, "T4g", ""}, {[]string{"T4"}, "T4", "nvidia-tesla-t4"},
	{[]string{"P100"}, "P100", "nvidia-tesla-p100"}, {[]string{"P4"}, "P4", "nvidia-tesla-p4"},
	{[]string{"K80"}, "K80", "nvidia-tesla-k80"}, {[]string{"M60"}, "M60", ""},
}

// find is the GPU of a name such as V100-SXM2-16GB or NVIDIA A100 80GB PCIe.
func find(name string) (accelerator, bool) {
	has := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToUpper(name),
		func(r rune) bool { return strings.ContainsRune(" -_/", r) }) {
		has[w] = true
	}
	for _, a := range accelerators {
		all := true
		for _, w := range a.words {
			all = all && has[w]
		}
		if all {
			return a, true
		}
	}
	return accelerator{}, false
}

// knownGPU is SkyPilot's name of a GPU, which others use too.
func knownGPU(name string) (string, bool) {
	a, _ := find(name)
	return a.sky, a.sky != ""
}

// attached is Google's name of the GPUs that have to be attached to the VM type,
// "" where it or their number is not known; ok is false where none are: other
// VM types than N1 have theirs.
func (p part) attached() (name string, ok bool) {
	if !strings.HasPrefix(p.instanceType, "n1-") || !p.hasGPU() {
		return "", false
	}
	a, _ := find(p.gpu)
	if p.gpus == nil {
		return "", true
	}
	return a.google, true
}

// gpuResource is the Kubernetes resource of a vendor's GPUs.
func (p part) gpuResource() string {
	upper := strings.ToUpper(p.gpu)
	if strings.HasPrefix(upper, "MI") || strings.Contains(upper, "AMD") || strings.Contains(upper, "INSTINCT") ||
		strings.Contains(upper, "RADEON") {
		return "amd.com/gpu"
	}
	return "nvidia.com/gpu"
}
