package gpu

import (
	"math"
	"regexp"
	"strings"

	"sweetspot/engine/profile"
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
	x, y := profile.ParseGPUName(a), profile.ParseGPUName(b)
	const generation = "0123456789" // of a socket: SXM4
	return x.SameChip(y) &&
		(x.Form == "" || y.Form == "" || strings.TrimRight(x.Form, generation) == strings.TrimRight(y.Form, generation)) &&
		(x.Memory == 0 || y.Memory == 0 || SameMemory(float64(x.Memory), float64(y.Memory)))
}

// SameMemory reports whether two sizes in the same unit can be the memory of
// one GPU. Drivers report up to a tenth less than the maker states.
func SameMemory(a, b float64) bool {
	return math.Abs(a-b) <= 0.15*max(a, b)
}
