package catalog

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// GPUName returns the catalog's name of a GPU, however a cloud or a price list
// spells it: "NVIDIA A100 80GB PCIe" is "A100-PCIE-80GB", "a10g" is "A10G".
// Chips that come as SXM and PCIe or with several memory sizes are named with
// both. What the spelling does not say follows from the memory per GPU (nil if
// unknown), from the VM type, and from the cloud if it offers only one form
// factor. An unknown form factor is left out of the name.
func GPUName(spelt string, memGiB *float64, cloud, instanceType string) string {
	n := profile.ParseGPUName(spelt)
	switch {
	case n.Chip == "":
		return ""
	case n.Chip == "RTX-6000" && strings.HasPrefix(instanceType, "g4-standard"):
		return "RTX-PRO-6000" // Google's g4 has the newer card of that number
	case len(chipSizes[n.Chip]) == 0:
		return n.Chip
	}
	n.Form = cmp.Or(n.Form, formOf(n.Chip, cloud, instanceType))
	if strings.HasPrefix(n.Form, "SXM") {
		n.Form = sockets[n.Chip]
	}
	n.Memory = cmp.Or(n.Memory, usualMemory(n, memGiB))
	name := n.Chip
	if n.Form != "" {
		name += "-" + n.Form
	}
	return name + "-" + strconv.Itoa(n.Memory) + "GB"
}

// IsGPU distinguishes GPUs from other accelerators in price lists, and from
// incomplete names ("NVIDIA").
func IsGPU(spelt string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToUpper(spelt),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, other := range []string{"TPU", "TRAINIUM", "INFERENTIA", "GAUDI", "QUALCOMM", "V5LITEPOD", "V5P", "V6E",
			"FPGA", "TENSTORRENT"} {
			if strings.HasPrefix(w, other) {
				return false
			}
		}
	}
	return profile.ParseGPUName(spelt).Chip != ""
}

// sockets is the SXM generation of a chip.
var sockets = map[string]string{
	"P100": "SXM2", "V100": "SXM2", "A100": "SXM4", "A800": "SXM4", "H100": "SXM5", "H200": "SXM5", "H800": "SXM5",
}

// chipSizes lists the memory sizes in GB of chips that come in several forms,
// the smallest first: a bare name means that one.
var chipSizes = map[string][]int{
	"P100": {16}, "V100": {16, 32}, "A100": {40, 80}, "A800": {40, 80}, "H100": {80, 94}, "H200": {141}, "H800": {80},
}

// usualMemory is the nominal size for a reported memory; drivers report up to a
// tenth less. Without a report it is the smallest size.
func usualMemory(n profile.GPUName, memGiB *float64) int {
	sizes := chipSizes[n.Chip]
	best := sizes[0]
	if n.Form == "NVL" && n.Chip == "H100" {
		best = 94
	}
	if memGiB == nil {
		return best
	}
	nearest := math.Inf(1)
	for _, size := range sizes {
		if off := math.Abs(float64(size) - *memGiB); off <= 0.15*float64(size) && off < nearest {
			nearest, best = off, size
		}
	}
	return best
}

var spokenForm = regexp.MustCompile(`(?i)(sxm|pcie|nvl)`)

// formOf is the form factor, if the VM type's name or its cloud determines it.
func formOf(chip, cloud, instanceType string) string {
	if word := spokenForm.FindString(instanceType); word != "" {
		return strings.ToUpper(word)
	}
	instance := strings.ToLower(instanceType)
	switch cloud {
	case "aws":
		return "SXM"
	case "gcp":
		if chip == "P100" {
			return "PCIE"
		}
		return "SXM"
	case "azure":
		switch {
		case strings.HasPrefix(instance, "standard_nd"):
			return "SXM"
		case strings.HasPrefix(instance, "standard_nc") && chip == "H100":
			return "NVL"
		case strings.HasPrefix(instance, "standard_nc"):
			return "PCIE"
		}
	case "oci":
		if strings.HasPrefix(instance, "bm.gpu") && chip != "P100" {
			return "SXM"
		}
	}
	return ""
}

// clouds are the known clouds by each of their names.
var clouds = map[string]string{
	"lambdalabs": "lambda", "lambda-labs": "lambda", "oracle": "oci", "oracle-cloud": "oci", "vastai": "vast",
	"google": "gcp",
	"amazon": "aws", "ec2": "aws", "digitalocean": "do", "datacrunch": "verda",
}

var known = []string{
	"aws", "azure", "gcp", "lambda", "runpod", "vast", "oci", "paperspace", "ibm", "fluidstack", "cudo", "do", "nebius",
	"hyperbolic",
	"primeintellect", "seeweb", "shadeform", "verda", "hyperstack", "jarvislabs", "mithril", "crusoe", "scaleway",
	"ovhcloud", "tensordock",
	"vultr", "cloudrift", "hotaisle", "spheron", "simplepod", "yotta", "lium", "scp", "vsphere", "kubernetes",
}

// CloudName returns the catalog's name of a cloud; sure says whether the cloud
// is known here.
func CloudName(spelt string) (name string, sure bool) {
	name = strings.ToLower(strings.TrimSpace(spelt))
	if own, ok := clouds[name]; ok {
		return own, true
	}
	return name, slices.Contains(known, name)
}

// MemoryOf is the nominal memory in GB of a GPU, from its name: for a chip with
// several sizes the one named, else the smallest. It is nil if unknown.
func MemoryOf(spelt string) *float64 {
	n := profile.ParseGPUName(spelt)
	if len(chipSizes[n.Chip]) > 0 {
		n.Memory = cmp.Or(n.Memory, usualMemory(n, nil))
		return new(float64(n.Memory))
	}
	for _, g := range gpus() {
		if g.Name == n.Chip {
			return g.MemoryGB
		}
	}
	return nil
}

// Filter selects VM types by their GPU: name, memory per GPU and number, each
// of which may be left out.
type Filter struct {
	name   profile.GPUName
	memory bounds // GiB of one GPU
	count  bounds
}

type bounds struct{ low, high float64 }

func anything() bounds { return bounds{0, math.Inf(1)} }

func (b bounds) has(v float64) bool { return v >= b.low && v <= b.high }

// ParseFilter reads NAME:MEMORY:COUNT as in A100:80GB:1..8. A range may be open
// at either end; name, memory and count may be left out, as in 24GB.. or T4:4..
func ParseFilter(s string) (Filter, error) {
	f := Filter{memory: anything(), count: anything()}
	parts := strings.Split(s, ":")
	var hasMemory, hasCount bool
	for i, part := range parts {
		part = strings.ToUpper(strings.TrimSpace(part))
		memory, isMemory := parseBounds(part, true)
		count, isCount := parseBounds(part, false)
		switch {
		case isMemory && !hasMemory:
			f.memory, hasMemory = memory, true
		case isCount && i > 0 && !hasCount:
			f.count, hasCount = count, true
		case i == 0:
			f.name = profile.ParseGPUName(part)
		default:
			return f, fmt.Errorf("%s: write a GPU as name:memory:count, each part optional, for example A100:80GB:1..8",
				plaintext.Quote(s))
		}
	}
	if f.name.Chip == "" && !hasMemory && !hasCount {
		return f, fmt.Errorf("%s does not name a GPU: write it as name:memory:count, for example A100:80GB:1..8",
			plaintext.Quote(s))
	}
	return f, nil
}

// parseBounds reads 4, 1..8, 2.. and ..8, of memory with a unit: 80GB, 40..80GB.
func parseBounds(s string, memory bool) (bounds, bool) {
	if memory {
		bare := strings.NewReplacer("GIB", "", "GB", "").Replace(s)
		if bare == s {
			return bounds{}, false
		}
		s = bare
	}
	low, high, isRange := strings.Cut(s, "..")
	if !isRange {
		high = low
	}
	b := anything()
	for _, end := range []struct {
		text string
		to   *float64
	}{{low, &b.low}, {high, &b.high}} {
		if end.text == "" {
			continue
		}
		v, err := strconv.ParseUint(end.text, 10, 16)
		if err != nil {
			return b, false
		}
		*end.to = float64(v)
	}
	if memory { // drivers and price lists round GPU memory differently
		b.low *= 0.9
		if !math.IsInf(b.high, 1) {
			b.high *= 1.05
		}
	}
	return b, (low != "" || high != "") && b.low <= b.high
}

// Matches reports whether the filter selects a VM type.
func (f Filter) Matches(v profile.VMType) bool {
	if v.GPUCount == 0 || !f.count.has(float64(v.GPUCount)) {
		return false
	}
	if f.memory != anything() && (v.GPUMemGiB == nil || !f.memory.has(*v.GPUMemGiB)) {
		return false
	}
	return f.name.Chip == "" || f.name.Means(profile.ParseGPUName(v.GPU))
}

// MatchesAny reports whether one of the filters selects the VM type; without
// filters all are selected.
func MatchesAny(filters []Filter, v profile.VMType) bool {
	return len(filters) == 0 || slices.ContainsFunc(filters, func(f Filter) bool { return f.Matches(v) })
}
