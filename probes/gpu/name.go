package gpu

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var maker = regexp.MustCompile(`(?i)^(NVIDIA|Tesla|GeForce|Quadro|AMD|Instinct)\s+`)

// Canonical returns a GPU's name without its maker: "NVIDIA H100 80GB HBM3" is
// "H100 80GB HBM3", "Tesla V100-SXM2-16GB" is "V100-SXM2-16GB". The form factor
// and the memory stay, because they change the speed.
func Canonical(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	for {
		short := maker.ReplaceAllString(name, "")
		if short == name || short == "" {
			return name
		}
		name = short
	}
}

// Same reports whether two names can mean the same GPU: "Tesla V100-SXM2-16GB"
// and "v100", "NVIDIA H100 80GB HBM3" and "H100-SXM5". If only one of them
// names a form factor or a memory size, they can still be the same; two
// different form factors or sizes cannot, because they change the speed.
func Same(a, b string) bool {
	x, y := parseName(a), parseName(b)
	return x.chip != "" && x.chip == y.chip &&
		(x.form == "" || y.form == "" || x.form == y.form) &&
		(x.memory == 0 || y.memory == 0 || SameMemory(x.memory, y.memory))
}

// SameMemory reports whether two sizes in the same unit can be the memory of
// one GPU. Drivers report up to a tenth less than the maker states.
func SameMemory(a, b float64) bool {
	return math.Abs(a-b) <= 0.15*max(a, b)
}

// name is a GPU's name taken apart, in lower case.
type name struct {
	chip   string  // v100, a10g, 4090
	form   string  // sxm, pcie, nvl; "" where it is not said
	memory float64 // GB, 0 where it is not said
}

// dropped are words of makers and marketing that do not distinguish GPUs.
var dropped = map[string]bool{
	"nvidia": true, "tesla": true, "geforce": true, "quadro": true, "amd": true, "instinct": true, "rtx": true,
	"gpu":        true,
	"generation": true, "server": true, "edition": true, "blackwell": true, "tensor": true, "core": true,
}

var (
	forms     = regexp.MustCompile(`^(sxm|pcie|nvl)[0-9]*$`)
	gigabytes = regexp.MustCompile(`^([0-9]+)(gb|gib)$`)
	hbm       = regexp.MustCompile(`^hbm[0-9]e?$`)
)

func parseName(s string) name {
	var n name
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	})
	stacked := false
	for i, word := range words {
		switch {
		case forms.MatchString(word):
			n.form = forms.FindStringSubmatch(word)[1]
		case gigabytes.MatchString(word):
			n.memory, _ = strconv.ParseFloat(gigabytes.FindStringSubmatch(word)[1], 64)
		case word == "gb" && i > 0 && isNumber(words[i-1]): // "80 GB": the number was taken for the chip
			n.memory, _ = strconv.ParseFloat(words[i-1], 64)
			n.chip = strings.TrimSuffix(n.chip, words[i-1])
		case hbm.MatchString(word):
			stacked = true
		case !dropped[word]:
			n.chip += strings.TrimPrefix(word, "rtx")
		}
	}
	if n.chip == "h100" && stacked && n.form == "" {
		n.form = "sxm" // the driver calls the others H100 PCIe and H100 NVL
	}
	return n
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}
