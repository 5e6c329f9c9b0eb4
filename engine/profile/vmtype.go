package profile

import (
	"fmt"
	"slices"

	"sweetspot/engine/plaintext"
)

// Purchase is how a VM is bought.
type Purchase string

// The purchase options.
const (
	OnDemand   Purchase = "on-demand"
	Spot       Purchase = "spot"
	Reserved1Y Purchase = "reserved-1y"
	Reserved3Y Purchase = "reserved-3y"
)

// Purchases lists the options in the order they are offered.
var Purchases = []Purchase{OnDemand, Spot, Reserved1Y, Reserved3Y}

// ParsePurchase reads a --purchase flag.
func ParsePurchase(s string) (Purchase, error) {
	if slices.Contains(Purchases, Purchase(s)) {
		return Purchase(s), nil
	}
	return "", fmt.Errorf("%s is not one of on-demand, spot, reserved-1y, reserved-3y", plaintext.Quote(s))
}

// Price is one quote of a VM type, in US dollars per hour for the whole VM.
type Price struct {
	Purchase   Purchase
	USDPerHour float64
	Source     string
	AsOf       string // YYYY-MM-DD or YYYY-MM as the source gives it
}

// VMType is a catalog entry.
type VMType struct {
	Cloud, Region, InstanceType string
	GPU                         string // canonical name; "" for a VM without
	GPUCount                    int
	GPUMemGiB                   *float64 // per GPU
	VCPUs                       *float64
	MemGiB                      *float64
	Prices                      []Price
}

// IsCPU reports whether the VM type has CPUs alone, and how many is known.
func (v VMType) IsCPU() bool { return v.GPU == "" && v.GPUCount == 0 && v.VCPUs != nil && *v.VCPUs > 0 }

// Key names a VM type within the catalog.
func (v VMType) Key() VMKey { return VMKey{v.Cloud, v.Region, v.InstanceType} }

// PriceOf returns the newest quote for the purchase option.
func (v VMType) PriceOf(p Purchase) (Price, bool) {
	best, found := Price{}, false
	for _, q := range v.Prices {
		if q.Purchase == p && (!found || q.AsOf > best.AsOf) {
			best, found = q, true
		}
	}
	return best, found
}

// VMKey identifies a VM type. The empty cloud "" and region "" stand for a
// machine that is not rented from a catalog.
type VMKey struct{ Cloud, Region, InstanceType string }
