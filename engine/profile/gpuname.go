package profile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// GPUName is the name of a GPU taken apart, in capitals.
type GPUName struct {
	Chip   string // A100, L40S, RTX-4090; "" where none is named
	Form   string // SXM4, PCIE, NVL; "" where it is not said
	Memory int    // GB; 0 where it is not said
}

// IsGPU reports whether a GPU is one that a user means by a name: of the same chip,
// and in the form and with the memory that the name says, if any. A100 means all
// forms of it, A10 neither A10G nor A100. RTX and GTX may be left out.
func IsGPU(meant, gpu string) bool {
	return meant != "" && strings.EqualFold(meant, gpu) || ParseGPUName(meant).Means(ParseGPUName(gpu))
}

// Means is [IsGPU] of names that are taken apart.
func (n GPUName) Means(gpu GPUName) bool {
	return n.SameChip(gpu) && strings.HasPrefix(gpu.Form, n.Form) && (n.Memory == 0 || n.Memory == gpu.Memory)
}

// SameChip reports whether both names are of one chip; RTX and GTX may be left out.
func (n GPUName) SameChip(gpu GPUName) bool { return n.Chip != "" && n.model() == gpu.model() }

// model is the chip without the name of its series.
func (n GPUName) model() string {
	return strings.TrimPrefix(strings.TrimPrefix(n.Chip, "RTX-"), "GTX-")
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

// ParseGPUName takes a name apart, however a user, a driver or a price list spells it.
func ParseGPUName(spelt string) GPUName {
	var n GPUName
	words := strings.FieldsFunc(strings.ToUpper(spelt),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var chip []string
	for i, w := range words {
		if m := glued.FindStringSubmatch(w); m != nil {
			chip, n.Form = append(chip, m[1]), m[2]
			continue
		}
		switch m := memoryWord.FindStringSubmatch(w); {
		case formWord.MatchString(w):
			n.Form = w
		case m != nil && len(chip) > 0:
			n.Memory, _ = strconv.Atoi(m[1])
		case i+1 < len(words) && words[i+1] == "GB" && len(chip) > 0:
			n.Memory, _ = strconv.Atoi(w)
		case !slices.Contains(marketingWords, w):
			chip = append(chip, w)
		case (w == "HBM3" || w == "MEGA") && n.Form == "" && slices.Contains(chip, "H100"):
			n.Form = "SXM" // its other forms have slower memory, or other names
		}
	}
	n.Chip = chipOf(chip)
	return n
}

// chipOf joins the words of a chip's name as the catalog writes it.
func chipOf(words []string) string {
	var out []string
	for _, w := range words {
		if m := rtxGlued.FindStringSubmatch(w); m != nil {
			out = append(out, slices.DeleteFunc(m[1:], func(part string) bool { return part == "" })...)
			continue
		}
		out = append(out, w)
	}
	if len(out) == 1 && proCard.MatchString(out[0]) {
		out = []string{"RTX", out[0]}
	}
	return strings.Join(out, "-")
}
