// Package catalog holds the VM types and prices that come with sweetspot:
// those of the five studies it implements, each price with its source and
// date. The table is vm_types.csv, one row a price; README.md says what is in
// it and what was left out.
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

var builtin = sync.OnceValue(func() []profile.VMType {
	vms, err := Read(strings.NewReader(builtinCSV))
	if err != nil {
		panic("the embedded vm_types.csv: " + err.Error()) // a test reads it, so no release gets here
	}
	return vms
})

// Builtin returns the built-in VM types ordered by cloud, region and instance
// type. The slice is the caller's; the prices in it are shared and must not be
// changed.
func Builtin() []profile.VMType { return slices.Clone(builtin()) }
