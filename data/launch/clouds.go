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
