package catalog

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

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
