// Package listing writes catalogs and the differences between two of them, as
// JSON for scripts and as tables. Its JSON is a contract: fields may be added,
// but never renamed or given another unit, and unknown values are null.
package listing

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"sweetspot/data/catalog"
	"sweetspot/data/contract"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
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
		Cloud: vm.Cloud, Region: contract.OrNull(vm.Region), InstanceType: vm.InstanceType, GPU: contract.OrNull(vm.GPU),
		GPUCount:  vm.GPUCount,
		GPUMemGiB: vm.GPUMemGiB, VCPUs: vm.VCPUs, MemGiB: vm.MemGiB, Prices: []Price{},
	}
	for _, p := range vm.Prices {
		q := Price{Purchase: string(p.Purchase), USDPerHour: p.USDPerHour, Source: contract.OrNull(p.Source),
			AsOf: contract.OrNull(p.AsOf)}
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
			Cloud: c.VM.Cloud, Region: contract.OrNull(c.VM.Region), InstanceType: c.VM.InstanceType, Field: c.Field,
			Purchase: contract.OrNull(string(c.Purchase)),
			From:     figure(c.Field, c.From), To: figure(c.Field, c.To), Ratio: c.Ratio, FromAsOf: contract.OrNull(c.Was.AsOf),
			ToAsOf: contract.OrNull(c.Is.AsOf),
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

// WriteTable prints VM types as a table, one per line. Old prices show their
// age.
func WriteTable(w io.Writer, vms []profile.VMType, now time.Time) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "VM type\tcloud\tregion\tGPUs\tGPU memory\tvCPUs\tmemory\ton-demand\tspot\t1 year\t3 years")
	for _, vm := range vms {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s", vm.InstanceType, vm.Cloud, orDash(vm.Region), gpusOf(vm),
			gib(vm.GPUMemGiB), count(vm.VCPUs), gib(vm.MemGiB))
		for _, p := range profile.Purchases {
			fmt.Fprint(tw, "\t"+priceCell(vm, p, now))
		}
		fmt.Fprintln(tw)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\n"+quantity.Several(len(vms), "VM type")+", US dollars per hour. An age in brackets "+
		"means that the price is old and may have changed.")
	return err
}

func priceCell(vm profile.VMType, purchase profile.Purchase, now time.Time) string {
	p, ok := vm.PriceOf(purchase)
	if !ok {
		return "—"
	}
	if age := catalog.AgeOf(p, now); age.Stale {
		return dollars(p.USDPerHour) + " (" + age.Short() + ")"
	}
	return dollars(p.USDPerHour)
}

// WriteEntry prints everything known about a VM type.
func WriteEntry(w io.Writer, vm profile.VMType, set *profile.Set, now time.Time) error {
	fmt.Fprintf(w, "%s  %s %s\n", vm.InstanceType, vm.Cloud, vm.Region)
	machine := []string{gpusOf(vm)}
	if vm.GPUMemGiB != nil {
		machine = append(machine, gib(vm.GPUMemGiB)+" each")
	}
	if vm.VCPUs != nil {
		machine = append(machine, count(vm.VCPUs)+" vCPUs")
	}
	if vm.MemGiB != nil {
		machine = append(machine, gib(vm.MemGiB)+" memory")
	}
	fmt.Fprintln(w, "  "+strings.Join(machine, " · "))
	if spec, ok := set.GPUSpec(vm.GPU); ok {
		fmt.Fprintln(w, "  "+specLine(spec))
	}
	if len(vm.Prices) == 0 {
		_, err := fmt.Fprintln(w, "  no price is known")
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, p := range vm.Prices {
		age := catalog.AgeOf(p, now)
		word := age.String()
		if age.Known && age.Days > 0 {
			word += " old"
		}
		if age.Stale && age.Known {
			word += ", stale"
		}
		fmt.Fprintf(tw, "  %s\t%s/h\t%s\t%s\n", p.Purchase, dollars(p.USDPerHour), word,
			strings.TrimSpace(orDash(p.Source)+" "+p.AsOf))
	}
	return tw.Flush()
}

func specLine(s profile.GPUSpec) string {
	var figures []string
	for _, f := range []struct {
		name, unit string
		v          *float64
	}{{"FP32", " TFLOPS", s.FP32TFLOPS}, {"FP16", " TFLOPS", s.FP16TFLOPS}, {"INT8", " TOPS", s.INT8TOPS},
		{"bandwidth", " GB/s", s.BandwidthGBs}} {
		if f.v != nil {
			figures = append(figures, f.name+" "+count(f.v)+f.unit)
		}
	}
	return s.Name + ": " + strings.Join(figures, ", ") + " (" + s.Source + ")"
}

// maxChanges is the largest number of lines printed of each kind; JSON contains all
// of them.
const maxChanges = 40

// WriteChanges prints the differences between two catalogs as text.
func WriteChanges(w io.Writer, d catalog.Difference, from, to string) error {
	fmt.Fprintf(w, "%s → %s: %s changed, %d added, %d removed\n", from, to, quantity.Several(len(d.Changed), "figure"),
		len(d.Added), len(d.Removed))
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for i, c := range d.Changed {
		if i == maxChanges {
			fmt.Fprintf(tw, "… and %d more, all in --json\n", len(d.Changed)-i)
			break
		}
		field := c.Field
		if c.Purchase != "" {
			field = string(c.Purchase)
		}
		fmt.Fprintf(tw, "~ %s\t%s\t%s → %s\t%s\t%s\n", vmName(c.VM), field, cmp.Or(c.From, "unknown"),
			cmp.Or(c.To, "unknown"), percent(c.Ratio), dates(c))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, part := range []struct {
		sign string
		vms  []profile.VMType
	}{{"+", d.Added}, {"-", d.Removed}} {
		for i, vm := range part.vms {
			if i == maxChanges {
				fmt.Fprintf(w, "%s … and %d more, all in --json\n", part.sign, len(part.vms)-i)
				break
			}
			price := "no on-demand price"
			if p, ok := vm.PriceOf(profile.OnDemand); ok {
				price = dollars(p.USDPerHour) + "/h"
			}
			fmt.Fprintf(w, "%s %s  %s  %s\n", part.sign, vmName(vm.Key()), gpusOf(vm), price)
		}
	}
	return nil
}

func dates(c catalog.Change) string {
	if c.Was.AsOf == "" && c.Is.AsOf == "" || c.Purchase == "" {
		return ""
	}
	return orDash(c.Was.AsOf) + " → " + orDash(c.Is.AsOf)
}

func percent(ratio *float64) string {
	return plaintext.Optional(ratio, "", func(r float64) string { return fmt.Sprintf("%+.1f %%", 100*(r-1)) })
}

func vmName(k profile.VMKey) string {
	if k.Region == "" {
		return k.Cloud + "/" + k.InstanceType
	}
	return k.Cloud + "/" + k.Region + "/" + k.InstanceType
}

func gpusOf(vm profile.VMType) string {
	if vm.GPUCount == 0 {
		return "no GPU"
	}
	return fmt.Sprintf("%d× %s", vm.GPUCount, vm.GPU)
}

func gib(v *float64) string {
	return plaintext.Optional(v, "—", func(v float64) string { return decimal(v) + " GiB" })
}

func count(v *float64) string { return plaintext.Optional(v, "—", decimal) }

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// dollars formats a price with two to four decimals; price lists have up to four.
func dollars(usd float64) string {
	text := strconv.FormatFloat(usd, 'f', 4, 64)
	for range 2 {
		text = strings.TrimSuffix(text, "0")
	}
	return "$" + text
}

func orDash(s string) string { return cmp.Or(s, "—") }
