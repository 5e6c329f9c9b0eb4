package identity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/probes/gpu"
)

// Resolution is the VM type that a machine appears to be.
type Resolution struct {
	// VM is the catalog's entry. For a type that the catalog does not have, it
	// holds what is known and no price.
	VM profile.VMType
	// Certain means that type and region are known, so that VM's price is this
	// machine's. A guess is shown with a question mark, and its price is never
	// used.
	Certain bool
	// Words say how it is known and, if something is missing, what to do.
	Words string
}

// Resolve finds the machine's VM type; false if the facts match none of them.
func Resolve(f Facts, vms []profile.VMType) (Resolution, bool) {
	if c, ok := claimed(f); ok {
		return c.find(vms), true
	}
	return guess(f, vms)
}

// find looks the claim up in the catalog.
func (c claim) find(vms []profile.VMType) Resolution {
	var elsewhere []profile.VMType
	for _, vm := range vms {
		if !c.names(vm) {
			continue
		}
		if vm.Region == "any" || (c.region != "" && strings.EqualFold(vm.Region, c.region)) {
			return priced(vm, c.words)
		}
		elsewhere = append(elsewhere, vm)
	}
	slices.SortStableFunc(elsewhere, cheaper)
	if len(elsewhere) == 0 {
		return c.unpriced(c.words + ", which the catalog does not have; give its price with --price")
	}
	vm := elsewhere[0]
	price, ok := vm.PriceOf(profile.OnDemand)
	if !ok {
		return c.unpriced(c.words + "; the catalog has no on-demand price for it, give --price")
	}
	where := "without a region"
	if vm.Region != "" {
		where = "in " + vm.Region
	}
	return Resolution{VM: vm, Words: fmt.Sprintf("%s; the catalog has it only %s at %s an hour: if that price is "+
		"right, give --vm %s, else give --price",
		c.words, where, quantity.Money(price.USDPerHour), path(vm))}
}

// unpriced is a VM type that the catalog cannot price.
func (c claim) unpriced(words string) Resolution {
	vm := profile.VMType{
		Cloud: string(c.cloud), Region: c.region, InstanceType: c.instance,
		GPU: gpu.Canonical(c.gpuName), GPUCount: c.gpuCount, GPUMemGiB: c.gpuMemGiB,
	}
	return Resolution{VM: vm, Certain: c.region != "", Words: words}
}

// priced is a VM type known with certainty.
func priced(vm profile.VMType, words string) Resolution {
	if _, ok := vm.PriceOf(profile.OnDemand); !ok {
		words += "; the catalog has no on-demand price for it, give --price"
	}
	return Resolution{VM: vm, Certain: true, Words: words}
}

// guess uses the GPUs, and the cloud if the firmware names it: among VM types
// with the same number of the same GPU, the nearest in CPUs, then the cheapest.
func guess(f Facts, vms []profile.VMType) (Resolution, bool) {
	if f.GPUCount == 0 {
		return Resolution{}, false
	}
	known := firmwareCloud(f)
	m := claim{gpuName: word(f.GPU)}
	if f.GPUMemBytes != nil {
		m.gpuMemGiB = new(*f.GPUMemBytes / (1 << 30))
	}
	var alike []profile.VMType
	for _, vm := range vms {
		if vm.GPUCount == f.GPUCount && sameGPU(m.gpuName, m.gpuMemGiB, vm) && (known == "" ||
			strings.EqualFold(vm.Cloud, string(known))) {
			alike = append(alike, vm)
		}
	}
	if len(alike) == 0 {
		return Resolution{}, false
	}
	slices.SortStableFunc(alike, func(a, b profile.VMType) int {
		return cmp.Or(cmp.Compare(cpuDistance(f, a), cpuDistance(f, b)), cheaper(a, b))
	})
	vm := alike[0]
	return Resolution{VM: vm, Words: fmt.Sprintf("%d × %s as in %s, but the VM type is not certain; give --vm or --price",
		f.GPUCount, gpu.Canonical(m.gpuName), path(vm))}, true
}

// cpuDistance is the difference in the number of CPUs as a ratio; an unknown
// number is farthest.
func cpuDistance(f Facts, vm profile.VMType) float64 {
	if f.CPUs == 0 || vm.VCPUs == nil {
		return math.Inf(1)
	}
	return math.Abs(math.Log(float64(f.CPUs) / *vm.VCPUs))
}

// cheaper orders by the on-demand price, VM types without one last.
func cheaper(a, b profile.VMType) int {
	of := func(vm profile.VMType) float64 {
		if p, ok := vm.PriceOf(profile.OnDemand); ok {
			return p.USDPerHour
		}
		return math.Inf(1)
	}
	return cmp.Compare(of(a), of(b))
}

// path is a VM type as --vm accepts it.
func path(vm profile.VMType) string {
	if vm.Region == "" {
		return vm.InstanceType
	}
	return vm.Cloud + "/" + vm.Region + "/" + vm.InstanceType
}
