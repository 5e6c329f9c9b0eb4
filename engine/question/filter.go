package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/profile"
)

// The filters.
const (
	BatchSizes = "batch_sizes"
	Variants   = "variants"
	Clouds     = "clouds"
	GPUs       = "gpus"
)

// Filter narrows the candidates to some values of a property. A new one is an
// entry of [Filters] and its values on the [Workload]: flags, JSON and what
// Explore narrows to follow from the list.
type Filter struct {
	// Name names the filter in JSON, Flag and Help on the command line. Label
	// stands before a value on screen.
	Name, Flag, Help, Label string

	// Values are those that a workload asks for; none keeps everything. Set asks
	// for others.
	Values func(w *Workload) []string
	Set    func(w *Workload, values []string) error

	of    func(r *profile.Run) string // "" is unknown
	typed func(string) string         // a value as a user types it; nil is as it is
	match func(value, of string) bool
	place bool // is known of a VM type that nothing ran on
}

// Filters lists the filters.
func Filters() []Filter {
	return []Filter{
		{
			Name: BatchSizes, Flag: "batch", Label: "batch ",
			Help:   "only these batch sizes (training: of the whole VM; inference: per GPU)",
			Values: batchSizes, Set: setBatchSizes, match: strings.EqualFold,
			of: func(r *profile.Run) string { return strconv.Itoa(r.BatchSize) },
		},
		titled(named(Variants, "variant", "only these variants", func(w *Workload) *[]string { return &w.Variants },
			func(r *profile.Run) string { return r.Variant.Name }), profile.VariantOfTitle),
		placed(named(Clouds, "cloud", "only these clouds", func(w *Workload) *[]string { return &w.Clouds },
			func(r *profile.Run) string { return r.Cloud }), strings.EqualFold),
		placed(named(GPUs, "gpu", "only GPUs whose name begins so", func(w *Workload) *[]string { return &w.GPUs },
			func(r *profile.Run) string { return r.GPU }), beginsWith),
	}
}

// named is a filter by name.
func named(name, flag, help string, list func(w *Workload) *[]string, of func(r *profile.Run) string) Filter {
	return Filter{
		Name: name, Flag: flag, Help: help, of: of, match: strings.EqualFold,
		Values: func(w *Workload) []string { return *list(w) },
		Set:    func(w *Workload, values []string) error { *list(w) = values; return nil },
	}
}

func placed(f Filter, match func(value, of string) bool) Filter {
	f.place, f.match = true, match
	return f
}

func titled(f Filter, typed func(string) string) Filter {
	f.typed = typed
	return f
}

// Ask asks for values as a user types them.
func (f Filter) Ask(w *Workload, values []string) error {
	if f.typed != nil {
		values = slices.Clone(values)
		for k, v := range values {
			values[k] = f.typed(v)
		}
	}
	return f.Set(w, values)
}

func beginsWith(value, of string) bool {
	return of != "" && strings.HasPrefix(strings.ToLower(of), strings.ToLower(value))
}

func batchSizes(w *Workload) []string {
	var out []string
	for _, n := range w.BatchSizes {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

func setBatchSizes(w *Workload, values []string) error {
	w.BatchSizes = nil
	for _, v := range values {
		n, err := strconv.Atoi(strings.TrimSpace(v))
		switch {
		case err != nil:
			return fmt.Errorf("%q is not a batch size: write a whole number", v)
		case n < 1:
			return fmt.Errorf("%d: a batch holds at least one sample", n)
		}
		w.BatchSizes = append(w.BatchSizes, n)
	}
	return nil
}

// ByName is the filter of a name; it must be one of the list.
func ByName(name string) Filter {
	all := Filters()
	return all[slices.IndexFunc(all, func(f Filter) bool { return f.Name == name })]
}

// Of are the values among a model's runs, the shortest first: what a user can
// narrow to.
func (f Filter) Of(runs []profile.Run, model string, mode profile.Mode) (values []string) {
	for i := range runs {
		if r := &runs[i]; r.Model == model && r.Mode == mode && f.of(r) != "" && f.of(r) != "0" {
			values = append(values, f.of(r))
		}
	}
	slices.SortFunc(values, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(values)
}

// Narrowing is the filters that a workload sets, with their values.
type Narrowing []narrowed

type narrowed struct {
	Filter
	values []string
}

// Narrowing is the filters that are set.
func (w *Workload) Narrowing() (n Narrowing) {
	for _, f := range Filters() {
		if values := f.Values(w); len(values) > 0 {
			n = append(n, narrowed{f, values})
		}
	}
	return n
}

func (f narrowed) keeps(r *profile.Run) bool {
	return slices.ContainsFunc(f.values, func(v string) bool { return f.match(v, f.of(r)) })
}

// Keeps reports whether a run passes all filters.
func (n Narrowing) Keeps(r *profile.Run) bool {
	return !slices.ContainsFunc(n, func(f narrowed) bool { return !f.keeps(r) })
}

// KeepsVM reports whether a VM type that nothing ran on passes the filters that
// can be told of it.
func (n Narrowing) KeepsVM(vm profile.VMType) bool {
	r := profile.Run{Cloud: vm.Cloud, Region: vm.Region, InstanceType: vm.InstanceType, GPU: vm.GPU, GPUCount: vm.GPUCount}
	return !slices.ContainsFunc(n, func(f narrowed) bool { return f.place && !f.keeps(&r) })
}

// KeepsVariant reports whether a variant passes its filter.
func (n Narrowing) KeepsVariant(v profile.Variant) bool {
	r := profile.Run{Variant: v}
	return !slices.ContainsFunc(n, func(f narrowed) bool { return f.Name == Variants && !f.keeps(&r) })
}
