package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sweetspot/data/catalog"
	"sweetspot/data/imports/source"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// readPrices reads the hourly prices of machines that are not in the catalog:
// for all of them, or by GPU.
func readPrices(words []string) (all *float64, byGPU []source.Price, err error) {
	for _, p := range words {
		gpu, price, named := strings.Cut(p, "=")
		if !named {
			gpu, price = "", p
		}
		var usd *float64
		if err := readNumbers(numberFlag{"price", strings.TrimSpace(price), quantity.ParseMoney, &usd}); err != nil {
			return nil, nil, err
		}
		switch gpu = source.Text(gpu); {
		case usd == nil || named && gpu == "":
			return nil, nil, usageError("--price %s: write a price as 0.34, or rtx4090=0.34", plaintext.Quote(p))
		case named:
			byGPU = append(byGPU, source.Price{GPU: gpu, USDPerHour: *usd})
		case all != nil:
			return nil, nil, usageError("--price is given twice for all machines; give their GPUs, as in rtx4090=0.34")
		default:
			all = usd
		}
	}
	return all, byGPU, nil
}

// unmatched returns warnings about prices for GPUs that no run has.
func unmatched(prices []source.Price, gpus map[string]bool) []string {
	out := []string{}
	for _, p := range prices {
		named := func(gpu string) bool { return catalog.SameChip(p.GPU, gpu) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(gpus)), named) {
			out = append(out, fmt.Sprintf("--price %s=%g: no run has such a GPU", plaintext.Line(p.GPU, 60), p.USDPerHour))
		}
	}
	return out
}

// priced returns the set with the prices of --price for machines that are not
// in the catalog, instead of those stored with their runs.
func priced(set *profile.Set, words []string) (*profile.Set, error) {
	all, byGPU, err := readPrices(words)
	if err != nil || len(words) == 0 {
		return set, err
	}
	out := *set
	out.Runs = slices.Clone(set.Runs)
	gpus := map[string]bool{}
	for i := range out.Runs {
		r := &out.Runs[i]
		if r.Cloud != "" {
			continue
		}
		gpus[r.GPU] = true
		if k := slices.IndexFunc(byGPU, func(p source.Price) bool {
			return r.GPU != "" &&
				catalog.SameChip(p.GPU, r.GPU)
		}); k >= 0 {
			r.USDPerHour = &byGPU[k].USDPerHour
		} else if all != nil {
			r.USDPerHour = all
		}
	}
	if wrong := unmatched(byGPU, gpus); len(wrong) > 0 {
		return nil, usageError("%s on a machine outside the catalog: VM types of clouds have the catalog's prices", wrong[0])
	}
	return &out, nil
}
