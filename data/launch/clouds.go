package launch

import (
	"strconv"
	"strings"

	"sweetspot/data/shellwords"
	"sweetspot/engine/plaintext"
)

// variable is how a script reads what the user set.
func variable(name string) string { return `"$` + name + `"` }

// vmName is the name of a part's VMs: with its number where there are several
// kinds of them.
func (j *job) vmName(i int) string { return j.name + j.number("-", i) }

// number tells a part from the others, if there are any.
func (j *job) number(dash string, i int) string {
	if len(j.parts) == 1 {
		return ""
	}
	return dash + strconv.Itoa(i+1)
}

// inRegion is the region, or else the variable that the user sets to it.
func (p part) inRegion(name, what string) (value string, asked []need) {
	if p.region != "" {
		return shellwords.Quoted(p.region), nil
	}
	name += p.suffix
	return variable(name), []need{{name, what}}
}

// tags name a part's VMs, for whoever reads the bill.
func (j *job) tags(i int) []setting {
	return []setting{
		{"Name", j.vmName(i)},
		{"sweetspot-model", plaintext.Cut(j.pick.Candidate.Model, longestTag)},
		{"sweetspot-variant", plaintext.Cut(j.pick.Candidate.Variant, longestTag)},
	}
}

// longestTag is the longest value of a tag, in characters.
const longestTag = 250

func (p part) ofItsRegion() string {
	if p.region == "" {
		return ""
	}
	return " of " + p.region
}

func (p part) drivers() string {
	if !p.hasGPU() {
		return ""
	}
	return " with the driver of the GPU"
}

func (p part) named() string {
	if canonical, ok := knownGPU(p.gpu); ok {
		return ", of " + canonical
	}
	return ""
}

// label is text in the characters that labels of all clouds allow.
func label(s string) string { return strings.TrimPrefix(Slug(s), "sweetspot-") }

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
