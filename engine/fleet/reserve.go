package fleet

import "sweetspot/engine/profile"

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
	for _, w := range ways {
		if !ok || w.Price.USDPerHour < best.Price.USDPerHour {
			best, ok = w, true
		}
	}
	return best, ok
}
