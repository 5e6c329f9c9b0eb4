package main

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"sweetspot/data/contract"
	"sweetspot/engine/fleet"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// buy finds the prices that are asked for: given ones, or those of a VM type.
func (f *fleetFlags) buy(types []profile.VMType) (b bought, err error) {
	term := profile.Purchase(f.term)
	if f.term != "" && term != profile.Reserved1Y && term != profile.Reserved3Y {
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
	ways := f.waysOf(vm)
	if reserved != nil {
		ways = []fleet.Reservation{reservedAt(*reserved, term)}
		if f.term == "" {
			b.notes = append(b.notes, "nothing says for how long --reserved-price is paid: a term of three years is taken; --term says it")
		}
	}
	for _, w := range ways {
		b.ways = append(b.ways, contract.Sized{Purchase: string(w.Purchase), USDPerHour: w.Price.USDPerHour, PriceFrom: sourceOf(w.Price), Months: w.Months})
	}
	cheapest, _ := fleet.Cheapest(ways)
	b.prices.Reserved, b.from = cheapest.Price.USDPerHour, append(b.from, string(cheapest.Purchase)+": "+sourceOf(cheapest.Price))
	if !(b.prices.OnDemand > 0) || !(b.prices.Reserved > 0) {
		return b, errors.New("a VM that costs nothing leaves nothing to compare: give prices above 0")
	}
	return b, nil
}

// reservedAt is a reservation at a price of one's own, in US dollars per hour,
// for three years where the term does not say otherwise.
func reservedAt(usdPerHour float64, term profile.Purchase) fleet.Reservation {
	r := fleet.Reservation{Purchase: profile.Reserved3Y, Months: 36, Price: profile.Price{USDPerHour: usdPerHour}}
	if term == profile.Reserved1Y {
		r.Purchase, r.Months = term, 12
	}
	return r
}

// vmType is the catalog's entry with the prices that are wanted, where it is
// reserved for least; the zero one where none is named.
func (f *fleetFlags) vmType(types []profile.VMType, name string, onDemand, reserved bool) (vm profile.VMType, err error) {
	if name == "" {
		return vm, nil
	}
	named, least := false, math.Inf(1)
	for _, t := range types {
		if t.InstanceType != name {
			continue
		}
		named = true
		_, hasOnDemand := t.PriceOf(profile.OnDemand)
		cheapest, hasReserved := fleet.Cheapest(f.waysOf(t))
		if onDemand && !hasOnDemand || reserved && !hasReserved {
			continue
		}
		if vm.InstanceType == "" || hasReserved && cheapest.Price.USDPerHour < least {
			vm = t
			if hasReserved {
				least = cheapest.Price.USDPerHour
			}
		}
	}
	switch {
	case vm.InstanceType != "" || !named && !onDemand && !reserved:
		return vm, nil
	case !named:
		return vm, fmt.Errorf("the catalog has no VM type %s: give --on-demand-price and --reserved-price", plaintext.Quote(name))
	}
	return vm, fmt.Errorf("the catalog has not all prices of %s: give --on-demand-price and --reserved-price", plaintext.Quote(name))
}

// waysOf are the ways of reserving a VM type that the term allows.
func (f *fleetFlags) waysOf(vm profile.VMType) []fleet.Reservation {
	return slices.DeleteFunc(fleet.Reservations(vm), func(r fleet.Reservation) bool { return f.term != "" && f.term != string(r.Purchase) })
}

func sourceOf(p profile.Price) string {
	if p.Source == "" {
		return "as given"
	}
	return p.Source + ", " + p.AsOf
}
