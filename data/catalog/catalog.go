// Package catalog holds VM types and their prices: the built-in ones and those
// that a user imports or writes. Each price has a source and a date; README.md
// says what is built in and what was left out.
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
		return join(withPricesOf, builtin(), embedded("market.csv", marketCSV))
	})
)

func embedded(name, text string) []profile.VMType {
	vms, err := Read(strings.NewReader(text))
	if err != nil {
		panic("the embedded " + name + ": " + err.Error()) // a test reads it, so this cannot happen in a release
	}
	return vms
}

// Builtin returns the VM types of the studies that sweetspot implements, for
// comparison with published numbers, ordered by cloud, region and instance
// type. The slice is the caller's; its prices are shared and must not be
// changed.
func Builtin() []profile.VMType { return slices.Clone(builtin()) }

// Market returns all known VM types: those of the studies and newer ones of
// five clouds, with the prices of both. The slice is the caller's, like that of
// [Builtin].
func Market() []profile.VMType { return slices.Clone(market()) }

// withPricesOf is a VM type with the prices of both lists.
func withPricesOf(a, b profile.VMType) profile.VMType {
	a.Prices = slices.Concat(a.Prices, b.Prices)
	return a
}
