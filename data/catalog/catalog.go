// Package catalog holds VM types and their prices: the built-in ones and those
// that a user imports or writes. Each price has a source and a date; README.md
// says what is built in and what was left out.
package catalog

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/roofline"
)

//go:embed vm_types.csv
var builtinCSV string

//go:embed market.csv
var marketCSV string

var (
	builtin = sync.OnceValue(func() []profile.VMType { return embedded("vm_types.csv", builtinCSV, Read) })
	market  = sync.OnceValue(func() []profile.VMType {
		return join(withPricesOf, builtin(), embedded("market.csv", marketCSV, Read))
	})
)

func embedded[T any](name, text string, read func(io.Reader) ([]T, error)) []T {
	out, err := read(strings.NewReader(text))
	if err != nil {
		panic("the embedded " + name + ": " + err.Error()) // a test reads it, so this cannot happen in a release
	}
	return out
}

// Builtin returns the VM types of the studies that sweetspot implements, for
// comparison with published numbers, ordered by cloud, region and instance
// type. The slice is the caller's; its prices are shared and must not be
// changed.
func Builtin() []profile.VMType { return slices.Clone(builtin()) }

// Market returns all known VM types: those of the studies and newer ones of
// five clouds, with the prices of both. The slice is the caller's, like that of
// [Builtin].
func Market() []profile.VMType { return slices.Clone(market()) }

// withPricesOf is a VM type with the prices of both lists.
func withPricesOf(a, b profile.VMType) profile.VMType {
	a.Prices = slices.Concat(a.Prices, b.Prices)
	return a
}

//go:embed gpus.csv
var gpusCSV string

var gpus = sync.OnceValue(func() []profile.GPUSpec {
	return roofline.SustainedClocks(embedded("gpus.csv", gpusCSV, readGPUs))
})

// GPUs returns the data-sheet values of known GPUs, with base clocks that boards
// keep up ([roofline.SustainedClocks]); of several with the same chip, the most common
// in clouds comes first. The slice is the caller's; what
// it points to is shared.
func GPUs() []profile.GPUSpec { return slices.Clone(gpus()) }

// gpuColumns is the layout of a CSV of GPU data-sheet values, one row per GPU:
// dense TFLOPS and TOPS, GB, GB/s, watts and MHz of one die. An empty cell is
// unknown.
var gpuColumns = []string{
	"gpu", "fp32_tflops", "fp32_own_tflops", "tf32_tflops", "fp16_tflops", "int8_tops", "memory_gb", "bandwidth_gbs",
	"tdp_w", "architecture", "base_mhz", "boost_mhz", "source", "as_of",
}

// readGPUs reads a CSV in the layout of [gpuColumns].
func readGPUs(r io.Reader) ([]profile.GPUSpec, error) {
	t := textfile.NewTable(r)
	if err := t.Header("a file of GPU values", ""); err != nil {
		return nil, err
	}
	if !slices.Equal(t.Columns(), gpuColumns) {
		return nil, t.Wrong("a file of GPU values starts with the columns %s", strings.Join(gpuColumns, ","))
	}
	var out []profile.GPUSpec
	seen := map[string]bool{}
	err := t.Each(func() error {
		g := profile.GPUSpec{
			Name: t.Text("gpu"), FP32TFLOPS: figure(t, "fp32_tflops"),
			OwnFP32TFLOPS: figure(t, "fp32_own_tflops"), TF32TFLOPS: figure(t, "tf32_tflops"),
			FP16TFLOPS: figure(t, "fp16_tflops"), INT8TOPS: figure(t, "int8_tops"), MemoryGB: figure(t, "memory_gb"),
			BandwidthGBs: figure(t, "bandwidth_gbs"), TDPWatts: figure(t, "tdp_w"),
			Architecture: t.Text("architecture"), BaseMHz: figure(t, "base_mhz"), BoostMHz: figure(t, "boost_mhz"),
			Source: t.Text("source"), AsOf: t.Text("as_of"),
		}
		if g.Name == "" || seen[g.Name] {
			return t.Fail("gpu", "%s is empty or duplicated", plaintext.Quote(g.Name))
		}
		seen[g.Name] = true
		out = append(out, g)
		return nil
	})
	return out, err
}

// Days after which a price should be looked up again. Spot prices follow the
// market; the others are list prices that change a few times a year.
const (
	staleSpotDays = 30
	staleDays     = 180
)

// Age is how old a price is, in whole days.
type Age struct {
	Days  int
	Known bool // false if the price has no date
	Stale bool // should be looked up again, or has no date
}

// AgeOf returns the age of a price at a time. A month or a year counts as its
// last day, so the age is never overstated.
func AgeOf(p profile.Price, now time.Time) Age {
	last, ok := lastDay(p.AsOf)
	if !ok {
		return Age{Stale: true}
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	days := max(int(today.Sub(last).Hours()/24), 0)
	limit := staleDays
	if p.Purchase == profile.Spot {
		limit = staleSpotDays
	}
	return Age{Days: days, Known: true, Stale: days > limit}
}

// String returns the age as text: "12 days", "5 months", "9 years".
func (a Age) String() string {
	switch {
	case !a.Known:
		return "no date"
	case a.Days == 0:
		return "today"
	case a.Days == 1:
		return "1 day"
	case a.Days < 61:
		return fmt.Sprintf("%d days", a.Days)
	case a.Days < 730:
		return fmt.Sprintf("%d months", a.Days*12/365)
	default:
		return fmt.Sprintf("%d years", a.Days*100/36525)
	}
}

// Short returns the age for a narrow column: "12 d", "5 mo", "9 y".
func (a Age) Short() string {
	switch {
	case !a.Known:
		return "no date"
	case a.Days < 61:
		return fmt.Sprintf("%d d", a.Days)
	case a.Days < 730:
		return fmt.Sprintf("%d mo", a.Days*12/365)
	default:
		return fmt.Sprintf("%d y", a.Days*100/36525)
	}
}

// lastDay is the last day of a date, month or year.
func lastDay(asOf string) (time.Time, bool) {
	for _, form := range []struct {
		layout               string
		years, months, lastD int
	}{{"2006-01-02", 0, 0, 0}, {"2006-01", 0, 1, -1}, {"2006", 1, 0, -1}} {
		if day, err := time.Parse(form.layout, asOf); err == nil {
			return day.AddDate(form.years, form.months, form.lastD), true
		}
	}
	return time.Time{}, false
}

// IsDate reports whether text is a valid date of a price or a run: a day, a month or a year.
func IsDate(asOf string) bool {
	_, ok := lastDay(asOf)
	return ok
}

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
