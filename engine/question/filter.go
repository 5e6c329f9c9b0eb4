package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/generation"
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
	// Name names the filter in JSON, Flag and Help on the command line. Label is what
	// it is of, on screen.
	Name, Flag, Help, Label string

	// Values are those that a workload asks for; none keeps everything. Set asks
	// for others.
	Values func(w *Workload) []string
	Set    func(w *Workload, values []string) error

	of    func(r *profile.Run) string // "" is unknown
	typed func(string) string         // the value that a user types so; nil is as it is
	title func(string) string         // a value as a user types it; nil is as it is
	match func(value, of string) bool
	known knownOf // beside runs
}

// knownOf says of what a property is known that nothing ran on or with.
type knownOf int

const (
	aRun knownOf = iota
	aVM
	aVariant
)

// Filters lists the filters.
func Filters() []Filter {
	return []Filter{
		{
			Name: BatchSizes, Flag: "batch", Label: "batch size",
			Help:   "only these batch sizes (training: of the whole VM; inference: per GPU)",
			Values: batchSizes, Set: setBatchSizes, match: strings.EqualFold,
			of: func(r *profile.Run) string { return strconv.Itoa(r.BatchSize) },
		},
		Filter{
			Name: Variants, Flag: "variant", Label: "variant", Help: "only these variants",
			typed: profile.VariantOfTitle, title: func(v string) string { return profile.Variant{Name: v}.Title() },
			known: aVariant,
			of:    func(r *profile.Run) string { return r.Variant.Name },
		}.in(func(w *Workload) *[]string { return &w.Variants }),
		Filter{
			Name: Clouds, Flag: "cloud", Label: "cloud", Help: "only these clouds", known: aVM,
			of: func(r *profile.Run) string { return r.Cloud },
		}.in(func(w *Workload) *[]string { return &w.Clouds }),
		Filter{
			Name: GPUs, Flag: "gpu", Label: "GPU", Help: "only these GPUs: A100 are all of its forms, A100-80GB one", known: aVM,
			match: profile.IsGPU,
			of:    func(r *profile.Run) string { return r.GPU },
		}.in(func(w *Workload) *[]string { return &w.GPUs }),
	}
}

// in is the filter with its values in a list of names, which match whatever their
// case where nothing else is said.
func (f Filter) in(list func(w *Workload) *[]string) Filter {
	f.Values = func(w *Workload) []string { return *list(w) }
	f.Set = func(w *Workload, values []string) error { *list(w) = values; return nil }
	if f.match == nil {
		f.match = strings.EqualFold
	}
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

// Asked are the values that a workload asks for, as a user types them.
func (f Filter) Asked(w *Workload) []string {
	values := slices.Clone(f.Values(w))
	for k, v := range values {
		if f.title != nil {
			values[k] = f.title(v)
		}
	}
	return values
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

// ByName is the filter of a name; ok is false where there is none.
func ByName(name string) (f Filter, ok bool) {
	all := Filters()
	if k := slices.IndexFunc(all, func(f Filter) bool { return f.Name == name }); k >= 0 {
		return all[k], true
	}
	return f, false
}

// Of are the values among a model's runs and, where predictions are asked for, among
// VM types: what a user can narrow to, as one types it. The shortest come first. The variants of a language model
// that is asked about by its architecture are the kinds of its weights.
func (f Filter) Of(set *profile.Set, w *Workload) (values []string) {
	if f.Name == Variants && w.Lengths != nil {
		for _, kind := range generation.AllWeights {
			values = append(values, f.title(kind.Name))
		}
		return values
	}
	last := ""
	add := func(r *profile.Run) {
		if v := f.of(r); v != last && v != "" && v != "0" {
			values, last = append(values, v), v
		}
	}
	for i := range set.Runs {
		if r := &set.Runs[i]; r.Model == w.Model && r.Mode == w.Mode {
			add(r)
		}
	}
	if w.Predicted && f.known == aVM {
		for _, vm := range set.VMTypes {
			add(&profile.Run{Cloud: vm.Cloud, GPU: vm.GPU})
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
	kept   map[string]bool // what is known of the values that were met
}

// Narrowing is the filters that are set.
func (w *Workload) Narrowing() (n Narrowing) {
	for _, f := range Filters() {
		if values := f.Values(w); len(values) > 0 {
			n = append(n, narrowed{f, values, map[string]bool{}})
		}
	}
	return n
}

func (f narrowed) keeps(r *profile.Run) bool {
	of := f.of(r)
	keeps, met := f.kept[of]
	if !met {
		keeps = slices.ContainsFunc(f.values, func(v string) bool { return f.match(v, of) })
		f.kept[of] = keeps
	}
	return keeps
}

// Keeps reports whether a run passes all filters.
func (n Narrowing) Keeps(r *profile.Run) bool {
	return !slices.ContainsFunc(n, func(f narrowed) bool { return !f.keeps(r) })
}

// KeepsVM reports whether a VM type that nothing ran on passes the filters that
// can be told of it.
func (n Narrowing) KeepsVM(vm profile.VMType) bool {
	return n.keeps(aVM, &profile.Run{Cloud: vm.Cloud, Region: vm.Region, InstanceType: vm.InstanceType, GPU: vm.GPU,
		GPUCount: vm.GPUCount})
}

// KeepsVariant reports whether a variant passes the filters that can be told of it.
func (n Narrowing) KeepsVariant(v profile.Variant) bool {
	return n.keeps(aVariant, &profile.Run{Variant: v})
}

func (n Narrowing) keeps(known knownOf, r *profile.Run) bool {
	return !slices.ContainsFunc(n, func(f narrowed) bool { return f.known == known && !f.keeps(r) })
}
