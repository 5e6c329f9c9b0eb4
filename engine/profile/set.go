package profile

import (
	"cmp"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/transformer"
)

// Set is what the engine computes from: the models and runs of a profile database
// or of the built-in library, and the catalog.
type Set struct {
	Models  []Model
	Runs    []Run
	VMTypes []VMType
	GPUs    []GPUSpec
	// Architectures are those of known language models, Throughputs how fast others trained
	// such models.
	Architectures []transformer.Architecture
	Throughputs   []Throughput
	Reached       []Reached // a loss, in trainings of language models that others published
	// Latencies are what batches of their requests took others.
	Latencies []BatchLatency
	// Kinds holds, per basis, the relative half-width (90 %) that a single
	// number without a spread of its own is given, and the words for it.
	Kinds map[estimate.Basis]Kind
	// AccuracyKind is the same for a single accuracy; its Rel is an absolute
	// half-width, a fraction.
	AccuracyKind Kind
}

// Kind is the spread that numbers of one basis were found to have.
type Kind struct {
	Rel   float64 // as the rel of [estimate.Spread]
	Words string  // "spread of 48 reconstructed totals against the published ones"
}

// Model returns the named model.
func (s *Set) Model(name string) (Model, bool) {
	i := slices.IndexFunc(s.Models, func(m Model) bool { return m.Name == name })
	if i < 0 {
		return Model{}, false
	}
	return s.Models[i], true
}

// Architecture returns that of the named language model, however its name is written: a known
// one, or that which the newest run of such a name was seen to train.
func (s *Set) Architecture(name string) (transformer.Architecture, bool) {
	named := func(a transformer.Architecture) bool { return strings.EqualFold(a.Name, name) }
	i := slices.IndexFunc(s.Architectures, named)
	if i >= 0 {
		return s.Architectures[i], true
	}
	var newest *Run
	for k := range s.Runs {
		r := &s.Runs[k]
		if r.Tuning != nil && r.Tuning.Architecture != nil && strings.EqualFold(r.Model, name) &&
			(newest == nil || r.ID > newest.ID) {
			newest = r
		}
	}
	if newest == nil {
		return transformer.Architecture{}, false
	}
	a := *newest.Tuning.Architecture
	a.Name = newest.Model
	return a, true
}

// Throughput is how fast others trained a language model, as published.
type Throughput struct {
	Model      string // of an architecture, unless OfPeak is known
	Tuning     transformer.Tuning
	MicroBatch int
	GPU        string
	GPUs       int
	TokensPerS float64 // on all GPUs
	// OfPeak is the share of the GPUs' dense peak in 16 bits that was used, operations done
	// again included; nil where it was not printed.
	OfPeak       *float64
	Stack        string // of software, by which figures belong together
	Source, AsOf string
}

// Reached is how many trainings of a language model reached a loss after so many samples, as published.
type Reached struct {
	Model        string
	Method       transformer.Method
	Sequence     int // tokens of a sample
	Loss         float64
	Batch        int // samples of a step
	Samples      int // at the evaluation that found the loss reached
	Runs         int
	Dataset      string
	Source, AsOf string
}

// BatchLatency is how long a language model took others for requests that they sent at once, as
// published.
type BatchLatency struct {
	Model         string // of an architecture
	GPU           string
	GPUs          int
	Input, Output int // tokens of each request
	Sequences     int
	Seconds       float64 // until all are answered
	Stack         string  // of software
	Source, AsOf  string
}

// LeastPrice is the lowest price in US dollars per hour of an instance type in any
// region; ok is false where none is known.
func (s *Set) LeastPrice(instanceType string, p Purchase) (usd float64, ok bool) {
	for _, t := range s.VMTypes {
		if price, has := t.PriceOf(p); has && t.InstanceType == instanceType && (!ok || price.USDPerHour < usd) {
			usd, ok = price.USDPerHour, true
		}
	}
	return usd, ok
}

// Merge returns a set with the contents of both; on a clash of model or VM
// type the receiver's stays.
func (s *Set) Merge(o *Set) *Set {
	out := &Set{Runs: slices.Clip(s.Runs), Kinds: s.Kinds, AccuracyKind: s.AccuracyKind}
	if len(o.Runs) > 0 { // a copy of very many runs would be worth avoiding
		out.Runs = slices.Concat(s.Runs, o.Runs)
	}
	if out.Kinds == nil {
		out.Kinds, out.AccuracyKind = o.Kinds, o.AccuracyKind
	}
	out.Models = uniqueBy(slices.Concat(s.Models, o.Models), func(m Model) string { return m.Name })
	out.VMTypes = uniqueBy(slices.Concat(s.VMTypes, o.VMTypes), VMType.Key)
	out.GPUs = uniqueBy(slices.Concat(s.GPUs, o.GPUs), func(g GPUSpec) string { return g.Name })
	out.Architectures = uniqueBy(slices.Concat(s.Architectures, o.Architectures),
		func(a transformer.Architecture) string { return a.Name })
	out.Throughputs = slices.Concat(s.Throughputs, o.Throughputs)
	out.Latencies = slices.Concat(s.Latencies, o.Latencies)
	out.Reached = slices.Concat(s.Reached, o.Reached)
	return out
}

func uniqueBy[T any, K comparable](xs []T, key func(T) K) []T {
	seen := make(map[K]bool, len(xs))
	return slices.DeleteFunc(xs, func(x T) bool {
		k := key(x)
		if seen[k] {
			return true
		}
		seen[k] = true
		return false
	})
}

// SortVMTypes orders VM types by cloud, region and instance type.
func SortVMTypes(vms []VMType) {
	slices.SortFunc(vms, func(a, b VMType) int {
		return cmp.Or(cmp.Compare(a.Cloud, b.Cloud), cmp.Compare(a.Region, b.Region),
			cmp.Compare(a.InstanceType, b.InstanceType))
	})
}
