package pricelist

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/data/catalog"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// collector gathers offers into VM types and counts what it leaves out.
type collector struct {
	options  Options
	at       map[profile.VMKey]int
	vms      []profile.VMType
	fileAsOf string // date that the file gives itself
	used     bool   // the fallback date was

	withoutGPU, otherRegion, notGPU, parts, unpriced, copied int // rows left out, the last of their spot price alone
	merged, differ, dear                                     int
	extra                                                    []string
}

func newCollector(o Options) *collector {
	return &collector{options: o, at: map[profile.VMKey]int{}}
}

// offer is a VM type with one purchase option, as in a row. GPU is spelt as in
// the file.
type offer struct {
	cloud, region, instance string
	gpu                     string
	count                   float64
	gpuMemGiB               *float64 // of one GPU
	vcpus, memGiB           *float64
}

// wanted reports whether an offer is to be kept, and counts it if not.
func (c *collector) wanted(o *offer) bool {
	switch {
	case len(c.options.Regions) > 0 && !slices.Contains(c.options.Regions, o.region):
		c.otherRegion++
	case o.gpu == "" && o.count == 0:
		if c.options.All {
			return true
		}
		c.withoutGPU++
	case !catalog.IsGPU(o.gpu):
		c.notGPU++
	case o.count != math.Trunc(o.count) || o.count < 1 || o.count > catalog.MaxGPUs:
		c.parts++
	default:
		return true
	}
	return false
}

// vm returns the index of the offer's VM type, adding it if it is new.
func (c *collector) vm(o *offer) (*profile.VMType, error) {
	key := profile.VMKey{Cloud: o.cloud, Region: o.region, InstanceType: o.instance}
	if i, seen := c.at[key]; seen {
		vm := &c.vms[i]
		if vm.GPUCount != int(o.count) {
			c.differ++
		}
		vm.VCPUs, vm.MemGiB = cmp.Or(vm.VCPUs, o.vcpus), cmp.Or(vm.MemGiB, o.memGiB)
		return vm, nil
	}
	if len(c.vms) == MaxVMTypes {
		return nil, fmt.Errorf("more than %s; keep the regions you use, with --region",
			quantity.Several(MaxVMTypes, "VM type"))
	}
	// A row's cells are substrings of one string, all of which would stay in memory.
	vm := profile.VMType{
		Cloud: strings.Clone(o.cloud), Region: strings.Clone(o.region), InstanceType: strings.Clone(o.instance),
		GPUCount: int(o.count), VCPUs: o.vcpus, MemGiB: o.memGiB,
	}
	key = vm.Key()
	if vm.GPUCount > 0 {
		vm.GPU = catalog.GPUName(o.gpu, o.gpuMemGiB, o.cloud, o.instance)
		vm.GPUMemGiB = cmp.Or(o.gpuMemGiB, catalog.MemoryOf(vm.GPU))
	}
	c.at[key] = len(c.vms)
	c.vms = append(c.vms, vm)
	return &c.vms[len(c.vms)-1], nil
}

// quote adds a price. If a file has several for one region, those of its zones,
// the lowest is kept.
func (c *collector) quote(vm *profile.VMType, p profile.Purchase, usd *float64, detail string) {
	if usd == nil {
		return
	}
	c.dated(vm, p, *usd, c.source(detail), "")
}

// dated adds a price with a source and a date of its own, if it has any.
func (c *collector) dated(vm *profile.VMType, p profile.Purchase, usd float64, source, asOf string) {
	if rounded := math.Round(usd*1e6) / 1e6; rounded > 0 {
		usd = rounded // a sum of two prices has no more digits than the prices
	}
	if usd > catalog.MaxUSD {
		c.dear++
		return
	}
	for i := range vm.Prices {
		q := &vm.Prices[i]
		if q.Purchase != p || (asOf != "" && q.AsOf != asOf) {
			continue
		}
		c.merged++
		if usd < q.USDPerHour {
			q.USDPerHour, q.Source = usd, source
		}
		return
	}
	if asOf == "" {
		asOf = c.date()
	}
	vm.Prices = append(vm.Prices, profile.Price{Purchase: p, USDPerHour: usd, Source: source, AsOf: asOf})
}

func (c *collector) source(detail string) string {
	if detail == "" {
		return c.options.Source
	}
	return c.options.Source + ", " + detail
}

// date is that of a price whose row has none.
func (c *collector) date() string {
	switch {
	case c.options.AsOf != "":
		return c.options.AsOf
	case c.fileAsOf != "":
		return c.fileAsOf
	}
	c.used = true
	return c.options.Fallback
}

// finish returns the list without VM types that have no price.
func (c *collector) finish(f Format) (*List, error) {
	kept := c.vms[:0]
	for _, vm := range c.vms {
		if len(vm.Prices) == 0 {
			c.unpriced++
			continue
		}
		kept = append(kept, vm)
	}
	profile.SortVMTypes(kept)
	for i := range kept {
		slices.SortStableFunc(kept[i].Prices, func(a, b profile.Price) int {
			return slices.Index(profile.Purchases, a.Purchase) - slices.Index(profile.Purchases, b.Purchase)
		})
	}
	list := &List{VMTypes: kept, Format: f, Notes: c.notes(), Dated: !c.used}
	if len(kept) == 0 {
		what := "the file contains no VM type with a price"
		if len(list.Notes) > 0 {
			what += ": " + strings.Join(list.Notes, "; ")
		}
		return nil, fmt.Errorf("%s", what)
	}
	return list, nil
}

func (c *collector) notes() []string {
	notes := c.extra
	say := func(n int, noun, after string) {
		if n > 0 {
			notes = append(notes, quantity.Several(n, noun)+" "+after)
		}
	}
	say(c.otherRegion, "row", "of other regions left out")
	say(c.withoutGPU, "row", "of VM types without a GPU left out (--all keeps them)")
	say(c.notGPU, "row", "of accelerators other than GPUs left out")
	say(c.parts, "row", "with a part of a GPU left out")
	say(c.unpriced, "VM type", "without a price left out")
	say(c.dear, "price", "above "+quantity.Count(catalog.MaxUSD)+" dollars an hour left out")
	say(c.copied, "spot price", "that only repeats the on-demand price left out")
	say(c.merged, "price", "of further zones merged, keeping the lowest of a region")
	say(c.differ, "row", "with another number of GPUs than the first row of its VM type; the first is kept")
	return notes
}
