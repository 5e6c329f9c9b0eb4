package catalog

import (
	"slices"

	"sweetspot/engine/profile"
)

// Join merges catalogs in order of precedence, the highest first. If several
// contain a VM type, the first defines it, and the first with a price for a
// purchase option sets that price, even if it is older. Unknown values are
// filled in from the others if these mean the same GPUs.
func Join(layers ...[]profile.VMType) []profile.VMType { return join(under, layers...) }

// join merges lists; of a VM type in several, both says what becomes of the
// earlier entry with the later one.
func join(both func(earlier, later profile.VMType) profile.VMType, lists ...[]profile.VMType) []profile.VMType {
	var out []profile.VMType
	at := map[profile.VMKey]int{}
	for _, vm := range slices.Concat(lists...) {
		i, seen := at[vm.Key()]
		if seen {
			out[i] = both(out[i], vm)
			continue
		}
		at[vm.Key()] = len(out)
		out = append(out, vm)
	}
	profile.SortVMTypes(out)
	return out
}

// under returns strong, completed by what only weak knows.
func under(strong, weak profile.VMType) profile.VMType {
	if strong.GPU == weak.GPU && strong.GPUCount == weak.GPUCount {
		for _, f := range []struct{ to, from **float64 }{
			{&strong.GPUMemGiB, &weak.GPUMemGiB}, {&strong.VCPUs, &weak.VCPUs}, {&strong.MemGiB, &weak.MemGiB},
		} {
			if *f.to == nil {
				*f.to = *f.from
			}
		}
	}
	prices := slices.Clone(strong.Prices)
	for _, p := range weak.Prices {
		if _, quoted := strong.PriceOf(p.Purchase); !quoted {
			prices = append(prices, p)
		}
	}
	strong.Prices = prices
	return strong
}

// Update merges a new import into earlier ones: its VM types replace theirs,
// and its prices replace those from the same source.
func Update(earlier, imported []profile.VMType) []profile.VMType {
	return join(func(vm, old profile.VMType) profile.VMType {
		prices := slices.Clone(vm.Prices)
		for _, p := range old.Prices {
			if !slices.ContainsFunc(prices, func(q profile.Price) bool {
				return q.Purchase == p.Purchase && (q.Source == p.Source || q.AsOf == p.AsOf)
			}) {
				prices = append(prices, p)
			}
		}
		vm.Prices = prices
		return vm
	}, imported, earlier)
}
