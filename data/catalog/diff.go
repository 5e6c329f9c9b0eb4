package catalog

import (
	"cmp"
	"slices"

	"sweetspot/engine/profile"
)

// Difference lists the changes from one catalog to another.
type Difference struct {
	Removed, Added []profile.VMType // only in the first, only in the second
	Changed        []Change
}

// Change is a changed value of a VM type in both catalogs. From or To is "" if
// unknown on that side.
type Change struct {
	VM       profile.VMKey
	Field    string // gpu, gpu_count, gpu_mem_gib, vcpus, mem_gib or usd_per_hour
	Purchase profile.Purchase
	From, To string
	Ratio    *float64 // To / From; nil if one of them is not a number
	Was, Is  profile.Price
}

// Diff compares two catalogs, using the newest price of each purchase option.
func Diff(a, b []profile.VMType) Difference {
	var d Difference
	at := map[profile.VMKey]profile.VMType{}
	for _, vm := range a {
		at[vm.Key()] = vm
	}
	for _, vm := range b {
		old, both := at[vm.Key()]
		if !both {
			d.Added = append(d.Added, vm)
			continue
		}
		delete(at, vm.Key())
		d.Changed = append(d.Changed, changes(old, vm)...)
	}
	for _, vm := range a {
		if _, gone := at[vm.Key()]; gone {
			d.Removed = append(d.Removed, vm)
		}
	}
	profile.SortVMTypes(d.Added)
	profile.SortVMTypes(d.Removed)
	slices.SortStableFunc(d.Changed, func(x, y Change) int {
		return cmp.Or(cmp.Compare(x.VM.Cloud, y.VM.Cloud), cmp.Compare(x.VM.Region, y.VM.Region),
			cmp.Compare(x.VM.InstanceType, y.VM.InstanceType))
	})
	return d
}

func changes(a, b profile.VMType) []Change {
	var out []Change
	if a.GPU != b.GPU {
		out = append(out, Change{VM: a.Key(), Field: "gpu", From: a.GPU, To: b.GPU})
	}
	count := func(n int) *float64 { return new(float64(n)) }
	for _, f := range []struct {
		name     string
		from, to *float64
	}{
		{"gpu_count", count(a.GPUCount), count(b.GPUCount)}, {"gpu_mem_gib", a.GPUMemGiB, b.GPUMemGiB},
		{"vcpus", a.VCPUs, b.VCPUs}, {"mem_gib", a.MemGiB, b.MemGiB},
	} {
		if c := (Change{VM: a.Key(), Field: f.name}); c.number(f.from, f.to) {
			out = append(out, c)
		}
	}
	for _, p := range profile.Purchases {
		c := Change{VM: a.Key(), Field: "usd_per_hour", Purchase: p}
		var from, to *float64
		var known bool
		if c.Was, known = a.PriceOf(p); known {
			from = &c.Was.USDPerHour
		}
		if c.Is, known = b.PriceOf(p); known {
			to = &c.Is.USDPerHour
		}
		if c.number(from, to) {
			out = append(out, c)
		}
	}
	return out
}

// number fills in two values and reports whether they differ.
func (c *Change) number(from, to *float64) bool {
	c.From, c.To = number(from), number(to)
	if from != nil && to != nil && *from > 0 {
		c.Ratio = new(*to / *from)
	}
	return c.From != c.To
}
