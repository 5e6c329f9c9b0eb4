// Package catalog holds VM types and their prices: those that come with
// sweetspot, and those that a user imports or writes. Each price has a source
// and a date; README.md says what is built in and what was left out.
package catalog

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"sweetspot/engine/profile"
)

//go:embed vm_types.csv
var builtinCSV string

//go:embed market.csv
var marketCSV string

var (
	builtin = sync.OnceValue(func() []profile.VMType { return embedded("vm_types.csv", builtinCSV) })
	market  = sync.OnceValue(func() []profile.VMType {
		return merge(builtin(), embedded("market.csv", marketCSV))
	})
)

func embedded(name, text string) []profile.VMType {
	vms, err := Read(strings.NewReader(text))
	if err != nil {
		panic("the embedded " + name + ": " + err.Error()) // a test reads it, so no release gets here
	}
	return vms
}

// Builtin returns the VM types of the studies that sweetspot implements, ordered
// by cloud, region and instance type: what published numbers are compared with.
// The slice is the caller's; the prices in it are shared and must not be changed.
func Builtin() []profile.VMType { return slices.Clone(builtin()) }

// Market returns what there is to rent: the VM types of the studies and those
// that five clouds offered since, with all prices of both. It is the caller's as
// that of [Builtin] is.
func Market() []profile.VMType { return slices.Clone(market()) }

// merge gives VM types that both have the prices of both.
func merge(a, b []profile.VMType) []profile.VMType {
	out := slices.Clone(a)
	at := map[profile.VMKey]int{}
	for i, vm := range out {
		at[vm.Key()] = i
	}
	for _, vm := range b {
		if i, both := at[vm.Key()]; both {
			out[i].Prices = slices.Concat(out[i].Prices, vm.Prices)
			continue
		}
		out = append(out, vm)
	}
	profile.SortVMTypes(out)
	return out
}
