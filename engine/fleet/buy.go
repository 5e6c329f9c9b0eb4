package fleet

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"sweetspot/engine/approx"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Reservation is a way of reserving a VM type.
type Reservation struct {
	VM       profile.VMType
	Purchase profile.Purchase
	Months   float64
	Price    profile.Price
}

// Reservations are the ways of reserving a VM type that have a price.
func Reservations(vm profile.VMType) (ways []Reservation) {
	for _, r := range []Reservation{{Purchase: profile.Reserved1Y, Months: 12},
		{Purchase: profile.Reserved3Y, Months: 36}} {
		if price, ok := vm.PriceOf(r.Purchase); ok {
			r.VM, r.Price = vm, price
			ways = append(ways, r)
		}
	}
	return ways
}

// Cheapest is the way of the lowest price; ok is false without any.
func Cheapest(ways []Reservation) (best Reservation, ok bool) {
	if len(ways) == 0 {
		return best, false
	}
	byPrice := func(a, b Reservation) int { return cmp.Compare(a.Price.USDPerHour, b.Price.USDPerHour) }
	return slices.MinFunc(ways, byPrice), true
}

// StudyVM is the instance type of Nabavinejad et al. (2019).
const StudyVM = "p3.2xlarge"

// Wanted says how VMs are to be bought. Prices are in US dollars per hour.
type Wanted struct {
	VM        string           // instance type; "" takes the study's, or none where both prices are given
	Term      profile.Purchase // of the reservation; "" takes the cheapest
	OnDemand  *float64         // instead of the catalog's price
	Reserved  *float64
	GPUsPerVM int // 0 takes the VM type's
}

// Bought is what VMs cost.
type Bought struct {
	VM        string // "" where only prices are known
	GPUsPerVM int
	Prices    approx.Prices
	From      []string      // where the prices are from
	Notes     []string      // what was assumed
	Ways      []Reservation // of reserving the VMs; the prices are of the cheapest
}

// UnpricedError says that the catalog lacks prices, which can be given instead.
type UnpricedError struct{ what string }

func (e *UnpricedError) Error() string { return e.what }

// Buy finds the prices that are wanted: given ones, or those of a VM type.
func (w Wanted) Buy(types []profile.VMType) (b Bought, err error) {
	if w.OnDemand == nil || w.Reserved == nil {
		w.VM = cmp.Or(w.VM, StudyVM)
	}
	vm, err := w.find(types)
	if err != nil {
		return b, err
	}
	b = Bought{VM: w.VM, GPUsPerVM: cmp.Or(w.GPUsPerVM, max(vm.GPUCount, 1)), Ways: w.ways(vm)}
	onDemand, _ := vm.PriceOf(profile.OnDemand)
	if w.OnDemand != nil {
		onDemand = profile.Price{USDPerHour: *w.OnDemand}
	}
	if w.Reserved != nil {
		b.Ways = []Reservation{{Purchase: profile.Reserved3Y, Months: 36, Price: profile.Price{USDPerHour: *w.Reserved}}}
		switch w.Term {
		case profile.Reserved1Y:
			b.Ways[0].Purchase, b.Ways[0].Months = w.Term, 12
		case "":
			b.Notes = append(b.Notes, "nothing says for how long the price of a reservation is paid: a term of three "+
				"years is taken")
		}
	}
	cheapest, _ := Cheapest(b.Ways)
	b.Prices = approx.Prices{OnDemand: onDemand.USDPerHour, Reserved: cheapest.Price.USDPerHour}
	b.From = cheapest.PricesFrom(onDemand)
	if !(b.Prices.OnDemand > 0) || !(b.Prices.Reserved > 0) {
		return b, errors.New("a VM that costs nothing leaves nothing to compare: give prices above 0")
	}
	return b, nil
}

// find is the catalog's entry with the prices that are wanted, where it is
// reserved for least; the zero one where none is named.
func (w Wanted) find(types []profile.VMType) (vm profile.VMType, err error) {
	named, least := false, math.Inf(1)
	for _, t := range types {
		if t.InstanceType != w.VM {
			continue
		}
		named = true
		_, hasOnDemand := t.PriceOf(profile.OnDemand)
		cheapest, hasReserved := Cheapest(w.ways(t))
		if w.OnDemand == nil && !hasOnDemand || w.Reserved == nil && !hasReserved {
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
	case vm.InstanceType != "" || !named && w.OnDemand != nil && w.Reserved != nil:
		return vm, nil
	case !named:
		return vm, &UnpricedError{"the catalog has no VM type " + plaintext.Quote(w.VM)}
	}
	return vm, &UnpricedError{"the catalog lacks a price of " + plaintext.Quote(w.VM)}
}

// ways are those of reserving a VM type that the term allows.
func (w Wanted) ways(vm profile.VMType) []Reservation {
	return slices.DeleteFunc(Reservations(vm), func(r Reservation) bool { return w.Term != "" && w.Term != r.Purchase })
}

// From says where the price is from.
func (r Reservation) From() string { return priceFrom(r.Price) }

// PricesFrom says where the price on demand and that of the reservation are from.
func (r Reservation) PricesFrom(onDemand profile.Price) []string {
	return []string{"on demand: " + priceFrom(onDemand), string(r.Purchase) + ": " + r.From()}
}

func priceFrom(p profile.Price) string {
	switch {
	case p.Source == "":
		return "as given"
	case p.AsOf == "":
		return p.Source
	}
	return p.Source + ", " + p.AsOf
}
