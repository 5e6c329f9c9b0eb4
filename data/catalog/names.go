package catalog

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// GPUName returns the catalog's name of a GPU, however a cloud or a price list
// spells it: "NVIDIA A100 80GB PCIe" is "A100-PCIE-80GB", "a10g" is "A10G".
// Chips that come as SXM and PCIe or with several memory sizes are named with
// both. What the spelling does not say follows from the memory per GPU (nil if
// unknown), from the VM type, and from the cloud if it offers only one form
// factor. An unknown form factor is left out of the name.
func GPUName(spelt string, memGiB *float64, cloud, instanceType string) string {
	n := spell(spelt)
	switch {
	case n.chip == "":
		return ""
	case n.chip == "RTX-6000" && strings.HasPrefix(instanceType, "g4-standard"):
		return "RTX-PRO-6000" // Google's g4 has the newer card of that number
	case len(chipSizes[n.chip]) == 0:
		return n.chip
	}
	if n.form == "" {
		n.form = formOf(n.chip, cloud, instanceType)
	}
	if strings.HasPrefix(n.form, "SXM") {
		n.form = sockets[n.chip]
	}
	if n.memory == 0 {
		n.memory = n.usualMemory(memGiB)
	}
	name := n.chip
	if n.form != "" {
		name += "-" + n.form
	}
	return name + "-" + strconv.Itoa(n.memory) + "GB"
}

// IsGPU distinguishes GPUs from other accelerators in price lists, and from
// incomplete names ("NVIDIA").
func IsGPU(spelt string) bool {
	words := strings.Fields(strings.Map(wordBreak, strings.ToUpper(spelt)))
	for _, w := range words {
		for _, other := range []string{"TPU", "TRAINIUM", "INFERENTIA", "GAUDI", "QUALCOMM", "V5LITEPOD", "V5P", "V6E",
			"FPGA", "TENSTORRENT"} {
			if strings.HasPrefix(w, other) {
				return false
			}
		}
	}
	return spell(spelt).chip != ""
}

// SameChip reports whether two names mean the same chip, whatever the form
// factor and memory: V100 and Tesla V100-SXM2-16GB, but not RTX 3090 and RTX
// 4090.
func SameChip(a, b string) bool { return spell(a).chip == spell(b).chip }

// spelling is a GPU's name taken apart, in capitals.
type spelling struct {
	chip   string // A100, L40S, RTX-4090
	form   string // SXM4, PCIE, NVL; "" where it is not said
	memory int    // GB; 0 where it is not said
}

var (
	formWord   = regexp.MustCompile(`^(SXM[0-9]?|PCIE|NVL)$`)
	memoryWord = regexp.MustCompile(`^([0-9]{1,3})(GB|GIB|G)$`)
	glued      = regexp.MustCompile(`^(P100|V100|A100|H100|H200|A800|H800)(SXM[0-9]?|PCIE|NVL)$`)
	rtxGlued   = regexp.MustCompile(`^(RTX|GTX)(PRO)?(A?[0-9]{4})(ADA|TI|SUPER)?$`)
	proCard    = regexp.MustCompile(`^A[456][05]00$`)
)

// marketingWords do not distinguish GPUs. HBM3 does, but is handled earlier.
var marketingWords = []string{
	"NVIDIA", "TESLA", "GEFORCE", "QUADRO", "AMD", "INSTINCT", "GRID", "GPU", "TENSOR", "CORE", "GENERATION", "SERVER",
	"WORKSTATION", "EDITION", "BLACKWELL", "HBM2", "HBM2E", "HBM3", "HBM3E", "ACCELERATOR", "MEGA", "GB", "SECURE",
	"COMMUNITY",
}

func wordBreak(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return ' '
}

func spell(name string) spelling {
	var n spelling
	words := strings.Fields(strings.Map(wordBreak, strings.ToUpper(name)))
	var chip []string
	for i, w := range words {
		if m := glued.FindStringSubmatch(w); m != nil {
			chip, n.form = append(chip, m[1]), m[2]
			continue
		}
		switch m := memoryWord.FindStringSubmatch(w); {
		case formWord.MatchString(w):
			n.form = w
		case m != nil && len(chip) > 0:
			n.memory, _ = strconv.Atoi(m[1])
		case i+1 < len(words) && words[i+1] == "GB" && len(chip) > 0:
			n.memory, _ = strconv.Atoi(w)
		case !slices.Contains(marketingWords, w):
			chip = append(chip, w)
		case (w == "HBM3" || w == "MEGA") && n.form == "" && slices.Contains(chip, "H100"):
			n.form = "SXM" // its other forms have slower memory, or other names
		}
	}
	n.chip = chipOf(chip)
	return n
}

// chipOf joins the words of a chip's name as the catalog writes it.
func chipOf(words []string) string {
	var out []string
	for _, w := range words {
		if m := rtxGlued.FindStringSubmatch(w); m != nil {
			for _, part := range m[1:] {
				if part != "" {
					out = append(out, part)
				}
			}
			continue
		}
		out = append(out, w)
	}
	if len(out) == 1 && proCard.MatchString(out[0]) {
		out = []string{"RTX", out[0]}
	}
	return strings.Join(out, "-")
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
func (n spelling) usualMemory(memGiB *float64) int {
	sizes := chipSizes[n.chip]
	best := sizes[0]
	if n.form == "NVL" && n.chip == "H100" {
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
	n := spell(spelt)
	if len(chipSizes[n.chip]) > 0 {
		if n.memory == 0 {
			n.memory = n.usualMemory(nil)
		}
		return new(float64(n.memory))
	}
	for _, g := range gpus() {
		if g.Name == n.chip {
			return g.MemoryGB
		}
	}
	return nil
}
