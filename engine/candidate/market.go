package candidate

import (
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// offerKey is a VM type wherever it is rented.
type offerKey struct{ cloud, instanceType string }

// market is the VM types that can be bought in one way. It is immutable.
type market struct {
	purchase profile.Purchase
	vms      map[profile.VMKey]profile.VMType
	anywhere map[offerKey]profile.VMType // the cheapest of all regions
}

func newMarket(vms []profile.VMType, p profile.Purchase) market {
	m := market{p, map[profile.VMKey]profile.VMType{}, map[offerKey]profile.VMType{}}
	for _, vm := range vms {
		m.vms[vm.Key()] = vm
		if k := (offerKey{vm.Cloud, vm.InstanceType}); cheaper(vm, m.anywhere[k], p) {
			m.anywhere[k] = vm
		}
	}
	return m
}

// cheaper reports whether vm is a better offer than the one known so far, if any.
func cheaper(vm, known profile.VMType, p profile.Purchase) bool {
	mine, priced := vm.PriceOf(p)
	its, knownPriced := known.PriceOf(p)
	return known.InstanceType == "" || priced && (!knownPriced || mine.USDPerHour < its.USDPerHour)
}

// vmOf is the run's VM type in the catalog. Where the run does not say in which
// region it was, that is the cheapest one that has the instance type, unless its
// user said what it cost.
func (m market) vmOf(r profile.Run) (vm profile.VMType, ok bool) {
	if vm, ok = m.vms[r.VM()]; ok || r.Cloud == "" || r.Region != "" || r.USDPerHour != nil {
		return vm, ok
	}
	vm, ok = m.anywhere[offerKey{r.Cloud, r.InstanceType}]
	return vm, ok
}

// part prices the VM the run is of: by the catalog, or for a machine that is
// not in it by what the run's own user said, on demand.
func (m market) part(r profile.Run, count int) Part {
	vm, inCatalog := m.vmOf(r)
	if !inCatalog {
		vm = profile.VMType{
			Cloud: r.Cloud, Region: r.Region, InstanceType: r.VM().InstanceType,
			GPU: r.GPU, GPUCount: r.GPUCount, GPUMemGiB: r.GPUMemGiB,
		}
	}
	p := Part{VM: vm, Count: count, GPUUnknown: !inCatalog && r.GPUs() == nil}
	if q, ok := vm.PriceOf(m.purchase); ok {
		p.USDPerHour, p.PriceFrom = new(q.USDPerHour), strings.TrimSpace(q.Source+" "+q.AsOf)
		p.PriceAsOf = q.AsOf
		p.PriceSpread = priceSpread(vm.Prices, m.purchase)
	} else if !inCatalog && r.USDPerHour != nil && m.purchase == profile.OnDemand {
		p.USDPerHour, p.PriceFrom = r.USDPerHour, "given with the run"
	}
	return p
}

// priceSpread is the standard deviation of the logarithm of a VM type's quotes
// for a purchase option. List prices hardly move; spot quotes of several days
// do.
func priceSpread(prices []profile.Price, p profile.Purchase) float64 {
	var logs []float64
	for _, q := range prices {
		if q.Purchase == p && q.USDPerHour > 0 {
			logs = append(logs, math.Log(q.USDPerHour))
		}
	}
	if len(logs) < 2 {
		return 0
	}
	return stat.StdDev(logs, nil)
}

// widened adds an independent relative error to an estimate's interval.
func widened(e estimate.Estimate, sigma float64) estimate.Estimate {
	if sigma == 0 || !e.Known() {
		return e
	}
	factor := math.Exp(estimate.Z90 * math.Hypot(e.LogSigma(), sigma))
	return estimate.Estimate{Value: e.Value, Low: e.Value / factor, High: e.Value * factor, Basis: e.Basis}
}
