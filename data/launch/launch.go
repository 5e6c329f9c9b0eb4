// Package launch writes files that run a pick, for the tools that launch VMs and
// jobs. What only the user knows (an image, a subnet, the training command) is a
// variable that the tool asks for, never a made-up value. No secrets are written,
// and text from outside is always quoted.
package launch

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/data/shellwords"
	"sweetspot/data/wording"
	"sweetspot/engine/plaintext"
)

// Format is a tool that launches VMs or jobs.
type Format struct {
	Name      string // of its --format
	Title     string // for people
	Extension string // of its files, with the dot

	clouds  []string            // that it launches on; none is any, and machines of one's own
	byNode  bool                // it asks for nodes with GPUs, whatever the cloud calls them
	byGPU   bool                // it finds the VM type by its GPUs where a price list has its own name for it
	refuses func(j *job) string // why else it does not launch a job, "" where it does; nil refuses none
	write   func(j *job) (string, error)
}

// Formats lists all formats.
var Formats = []*Format{SkyPilot, AWS, GCloud, Az, Terraform, Slurm, Kubernetes}

func (f *Format) String() string { return f.Name }

// Fits says why the tool can't launch the pick, and which tools can; nil if it
// can.
func (f *Format) Fits(p contract.Pick) error {
	_, err := f.job(p)
	return err
}

// Text is the file that launches the pick. If the tool can't launch such VMs, the
// error is that of [Format.Fits].
func (f *Format) Text(p contract.Pick) (string, error) {
	j, err := f.job(p)
	if err != nil {
		return "", err
	}
	return f.write(j)
}

// job is the pick as a job that the format launches.
func (f *Format) job(p contract.Pick) (*job, error) {
	j, err := newJob(p)
	if err != nil {
		return nil, err
	}
	why := f.misfit(j)
	if why == "" {
		return j, nil
	}
	var fitting []string
	for _, other := range Formats {
		if other.misfit(j) == "" {
			fitting = append(fitting, other.Name)
		}
	}
	return nil, errors.New(why + "; write it as " + wording.Either(fitting))
}

// misfit is empty where the format launches the job.
func (f *Format) misfit(j *job) string {
	if f.refuses != nil {
		if why := f.refuses(j); why != "" {
			return why
		}
	}
	for _, p := range j.parts {
		switch {
		case f.byNode:
		case len(f.clouds) > 0 && !slices.Contains(f.clouds, p.cloud):
			return fmt.Sprintf("%s launches on %s, not %s", f, strings.Join(f.clouds, " and "), p.where())
		case p.listed() && (!f.byGPU || len(p.accelerators()) == 0):
			return fmt.Sprintf("%s is a price list's name for a VM type of %s, which %s cannot ask for",
				p.instanceType, p.cloud, f)
		case strings.HasPrefix(p.instanceType, "ml."):
			return fmt.Sprintf("%s is rented through SageMaker, which %s does not launch", p.instanceType, f)
		}
	}
	return ""
}

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
