// Package listing writes catalogs and the differences between two of them, as
// JSON for scripts and as tables. Its JSON is a contract: fields may be added,
// but never renamed or given another unit, and unknown values are null.
package listing

import (
	"strconv"
	"time"

	"sweetspot/data/catalog"
	"sweetspot/data/contract"
	"sweetspot/engine/profile"
)

// Document lists VM types with their prices.
type Document struct {
	contract.Head
	Action  string   `json:"action"` // list, show or import
	VMTypes []VMType `json:"vm_types"`
	Import  *Import  `json:"import,omitempty"`
}

// Import says what was imported and where it is kept.
type Import struct {
	Format string  `json:"format"`
	File   string  `json:"file"`
	Kept   *string `json:"kept"` // the catalog that it was added to; null in a dry run
}

// VMType is a catalog entry: GiB of one GPU and of the VM.
type VMType struct {
	Cloud        string   `json:"cloud"`
	Region       *string  `json:"region"`
	InstanceType string   `json:"instance_type"`
	GPU          *string  `json:"gpu"` // null also where there is none
	GPUCount     int      `json:"gpu_count"`
	GPUMemGiB    *float64 `json:"gpu_mem_gib"`
	VCPUs        *float64 `json:"vcpus"`
	MemGiB       *float64 `json:"mem_gib"`
	Prices       []Price  `json:"prices"`
}

// Price is US dollars an hour for the whole VM.
type Price struct {
	Purchase   string  `json:"purchase"`
	USDPerHour float64 `json:"usd_per_hour"`
	Source     *string `json:"source"`
	AsOf       *string `json:"as_of"`
	AgeDays    *int    `json:"age_days"` // a lower bound if the date is only a month or a year
	Age        *string `json:"age"`
	Stale      bool    `json:"stale"`
}

// New lists VM types, with the age of prices at a given time.
func New(action string, vms []profile.VMType, now time.Time, warnings []string) Document {
	d := Document{Head: contract.NewHead("catalog", warnings...), Action: action, VMTypes: []VMType{}}
	for _, vm := range vms {
		d.VMTypes = append(d.VMTypes, entry(vm, now))
	}
	return d
}

func entry(vm profile.VMType, now time.Time) VMType {
	out := VMType{
		Cloud: vm.Cloud, Region: orNull(vm.Region), InstanceType: vm.InstanceType, GPU: orNull(vm.GPU),
		GPUCount:  vm.GPUCount,
		GPUMemGiB: vm.GPUMemGiB, VCPUs: vm.VCPUs, MemGiB: vm.MemGiB, Prices: []Price{},
	}
	for _, p := range vm.Prices {
		q := Price{Purchase: string(p.Purchase), USDPerHour: p.USDPerHour, Source: orNull(p.Source), AsOf: orNull(p.AsOf)}
		age := catalog.AgeOf(p, now)
		if q.Stale = age.Stale; age.Known {
			q.AgeDays, q.Age = &age.Days, new(age.String())
		}
		out.Prices = append(out.Prices, q)
	}
	return out
}

// Changes lists the changes from one catalog to another.
type Changes struct {
	contract.Head
	Action  string   `json:"action"`
	From    string   `json:"from"`
	To      string   `json:"to"`
	Added   []VMType `json:"added"`
	Removed []VMType `json:"removed"`
	Changed []Change `json:"changed"`
}

// Change is one value that differs: a number, or a name for gpu; null if
// unknown.
type Change struct {
	Cloud        string   `json:"cloud"`
	Region       *string  `json:"region"`
	InstanceType string   `json:"instance_type"`
	Field        string   `json:"field"`
	Purchase     *string  `json:"purchase"` // of usd_per_hour
	From         any      `json:"from"`
	To           any      `json:"to"`
	Ratio        *float64 `json:"ratio"` // to / from
	FromAsOf     *string  `json:"from_as_of"`
	ToAsOf       *string  `json:"to_as_of"`
}

// NewChanges lists a difference.
func NewChanges(d catalog.Difference, from, to string, now time.Time, warnings []string) Changes {
	out := Changes{
		Head: contract.NewHead("catalog", warnings...), Action: "diff", From: from, To: to,
		Added: New("", d.Added, now, nil).VMTypes, Removed: New("", d.Removed, now, nil).VMTypes, Changed: []Change{},
	}
	for _, c := range d.Changed {
		out.Changed = append(out.Changed, Change{
			Cloud: c.VM.Cloud, Region: orNull(c.VM.Region), InstanceType: c.VM.InstanceType, Field: c.Field,
			Purchase: orNull(string(c.Purchase)),
			From:     figure(c.Field, c.From), To: figure(c.Field, c.To), Ratio: c.Ratio, FromAsOf: orNull(c.Was.AsOf),
			ToAsOf: orNull(c.Is.AsOf),
		})
	}
	return out
}

func figure(field, text string) any {
	if text == "" {
		return nil
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil && field != "gpu" {
		return v
	}
	return text
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
