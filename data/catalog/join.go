package catalog

import (
	"slices"

	"sweetspot/engine/profile"
)

// Join lays catalogs over each other, the strongest first. Of a VM type that
// several have, the strongest says what it is, and each purchase option costs
// what the strongest that quotes it says, be its price older or not; unknown
// figures are filled from the weaker ones where these mean the same GPUs.
func Join(layers ...[]profile.VMType) []profile.VMType {
	var out []profile.VMType
	at := map[profile.VMKey]int{}
	for _, layer := range layers {
		for _, vm := range layer {
			i, seen := at[vm.Key()]
			if !seen {
				at[vm.Key()] = len(out)
				out = append(out, vm)
				continue
			}
			out[i] = under(out[i], vm)
		}
	}
	profile.SortVMTypes(out)
	return out
}

// under is strong with what only weak knows.
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

// Update is what remains of earlier imports when a new one has come: its VM
// types as it describes them, and of their prices those that it does not
// replace. It replaces what came from the same source.
func Update(earlier, imported []profile.VMType) []profile.VMType {
	at := map[profile.VMKey]int{}
	out := slices.Clone(imported)
	for i, vm := range out {
		at[vm.Key()] = i
	}
	for _, old := range earlier {
		i, again := at[old.Key()]
		if !again {
			out = append(out, old)
			continue
		}
		prices := slices.Clone(out[i].Prices)
		for _, p := range old.Prices {
			if !slices.ContainsFunc(prices, func(q profile.Price) bool {
				return q.Purchase == p.Purchase && (q.Source == p.Source || q.AsOf == p.AsOf)
			}) {
				prices = append(prices, p)
			}
		}
		out[i].Prices = prices
	}
	profile.SortVMTypes(out)
	return out
}
