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

// Find returns the built-in VM type of that key.
func Find(key profile.VMKey) (profile.VMType, bool) {
	i := slices.IndexFunc(builtin(), func(v profile.VMType) bool { return v.Key() == key })
	if i < 0 {
		return profile.VMType{}, false
	}
	return builtin()[i], true
}

// ByInstanceType returns the built-in VM types of that name, one per region,
// without regard to case.
func ByInstanceType(name string) []profile.VMType {
	var found []profile.VMType
	for _, v := range builtin() {
		if strings.EqualFold(v.InstanceType, name) {
			found = append(found, v)
		}
	}
	return found
}
