package main

import (
	"fmt"
	"slices"

	"sweetspot/data/export"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// terms of reserving, in months.
var reservedMonths = map[profile.Purchase]float64{profile.Reserved1Y: 12, profile.Reserved3Y: 36}

// reservable are the purchases that are a reservation, in the order of the
// catalog.
var reservable = []profile.Purchase{profile.Reserved1Y, profile.Reserved3Y}

// buy finds the prices that are asked for: given ones, or those of a VM type.
func (f *fleetFlags) buy(types []profile.VMType) (b bought, err error) {
	if f.term != "" && !slices.Contains(reservable, profile.Purchase(f.term)) {
		return b, usageError("--term %q is neither reserved-1y nor reserved-3y", plaintext.Line(f.term, 40))
	}
	var onDemand, reserved *float64
	if err := readNumbers(
		numberFlag{"on-demand-price", f.onDemandPrice, quantity.ParseMoney, &onDemand},
		numberFlag{"reserved-price", f.reservedPrice, quantity.ParseMoney, &reserved},
	); err != nil {
		return b, err
	}
	b = bought{vm: f.defaultVM(), gpus: max(f.gpusPerVM, 1)}
	vm, err := f.vmType(types, b.vm, onDemand == nil, reserved == nil)
	if err != nil {
		return b, err
	}
	if f.gpusPerVM == 0 && vm.GPUCount > 0 {
		b.gpus = vm.GPUCount
	}
	if onDemand != nil {
		b.prices.OnDemand, b.from = *onDemand, append(b.from, "on demand as given")
	} else {
		p, _ := vm.PriceOf(profile.OnDemand)
		b.prices.OnDemand, b.from = p.USDPerHour, append(b.from, "on demand: "+sourceOf(p))
	}
	b.ways = f.waysOf(vm, reserved)
	cheapest := slices.MinFunc(b.ways, func(x, y export.Sized) int { return int(1e6 * (x.USDPerHour - y.USDPerHour)) })
	b.prices.Reserved, b.from = cheapest.USDPerHour, append(b.from, cheapest.Purchase+": "+cheapest.PriceFrom)
	if !(b.prices.OnDemand > 0) || !(b.prices.Reserved > 0) {
		return b, fmt.Errorf("a VM that costs nothing leaves nothing to compare: give prices above 0")
	}
	return b, nil
}

// vmType is the catalog's entry with the prices that are wanted; the zero one
// where none is named.
func (f *fleetFlags) vmType(types []profile.VMType, name string, onDemand, reserved bool) (vm profile.VMType, err error) {
	if name == "" {
		return vm, nil
	}
	named := false
	for _, t := range types {
		if t.InstanceType != name {
			continue
		}
		named = true
		_, hasOnDemand := t.PriceOf(profile.OnDemand)
		if (hasOnDemand || !onDemand) && (len(f.waysOf(t, nil)) > 0 || !reserved) && f.cheaper(t, vm) {
			vm = t
		}
	}
	switch {
	case vm.InstanceType != "":
		return vm, nil
	case !named && (onDemand || reserved):
		return vm, fmt.Errorf("the catalog has no VM type %s: give --on-demand-price and --reserved-price", plaintext.Quote(name))
	case !named:
		return vm, nil
	}
	return vm, fmt.Errorf("the catalog has not all prices of %s: give --on-demand-price and --reserved-price", plaintext.Quote(name))
}

// cheaper reports whether a region's reserved price beats another's.
func (f *fleetFlags) cheaper(t, than profile.VMType) bool {
	if than.InstanceType == "" {
		return true
	}
	least := func(vm profile.VMType) float64 {
		ways := f.waysOf(vm, nil)
		if len(ways) == 0 {
			return 1e12
		}
		return slices.MinFunc(ways, func(x, y export.Sized) int { return int(1e6 * (x.USDPerHour - y.USDPerHour)) }).USDPerHour
	}
	return least(t) < least(than)
}

// waysOf are the ways of reserving a VM: the given price, or those of the
// catalog that the term allows.
func (f *fleetFlags) waysOf(vm profile.VMType, given *float64) (ways []export.Sized) {
	if given != nil {
		purchase := profile.Purchase(f.term)
		if purchase == "" {
			purchase = profile.Reserved3Y
		}
		return []export.Sized{{Purchase: string(purchase), USDPerHour: *given, PriceFrom: "as given", Months: reservedMonths[purchase]}}
	}
	for _, p := range reservable {
		if f.term != "" && f.term != string(p) {
			continue
		}
		if price, ok := vm.PriceOf(p); ok {
			ways = append(ways, export.Sized{Purchase: string(p), USDPerHour: price.USDPerHour, PriceFrom: sourceOf(price), Months: reservedMonths[p]})
		}
	}
	return ways
}

func sourceOf(p profile.Price) string { return p.Source + ", " + p.AsOf }
