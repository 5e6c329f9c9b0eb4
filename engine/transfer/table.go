// Package transfer says what measured times tell about times that were not
// measured: the same model at another batch size, on another VM type, on
// another number of GPUs.
//
// Everything is done on logarithms of times. A plain prediction comes first: a
// curve through the batch sizes measured on the VM, the curve of another VM, or
// the ratio of the GPUs' published figures. Then it is corrected by how wrong
// the same plain prediction is where the truth is known, on the other models of
// the set, the more alike the more they count. Leaving out each of these models
// in turn also says how wide the interval must be.
package transfer

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/engine/training"
)

// Subject is what was run: a model and, as a key, what was changed in it.
type Subject struct{ Model, Variant string }

// SubjectOf names a variant of a model.
func SubjectOf(model string, v profile.Variant) Subject {
	key := v.Name + "\x00" + v.Precision
	if p := v.Pruning; p != nil {
		ratio := ""
		if p.Ratio != nil {
			ratio = fmt.Sprint(*p.Ratio)
		}
		key += "\x00" + fmt.Sprint(p.Kind, ratio, p.Layers) // fmt sorts maps
	}
	return Subject{model, key}
}

// Place is where it was run: a VM type, the GPUs used of each VM, and the
// number of VMs.
type Place struct {
	VM          profile.VMKey // its region empty
	GPUs, Count int
}

// all is the number of GPUs together, at least 1: a CPU counts as one.
func (p Place) all() float64 { return float64(max(p.GPUs, 1) * max(p.Count, 1)) }

// Cell is one thing there may be a time of.
type Cell struct {
	Subject
	Place
	Batch int
}

// Table holds the times of one kind, by what, where and batch size. Ask it from
// several goroutines at once if you like.
type Table struct {
	perEpoch   bool // the times are those of an epoch, whose number of iterations is not known
	mode       profile.Mode
	times      map[Cell]estimate.Estimate // s
	sigmas     map[Cell]float64           // of ln(time), for want of more runs
	datasets   map[Subject]string
	precisions map[Subject]string
	sizes      map[Subject]float64 // units in the training set, where it is known
	units      map[Subject]float64 // most units in an epoch, by the runs: no batch is larger
	gpus       map[profile.VMKey]string
	specs      func(gpu string) (profile.GPUSpec, bool)
	cells      []Cell           // of times, sorted
	cellsAt    map[Place][]Cell // the same by place
	curves     map[at]*Curve
	places     map[Subject][]Place // of its curves, sorted
	order      []at                // of curves

	lock      sync.Mutex
	fields    map[Cell]*field  // corrections of a curve
	crossings map[at]*crossing // transfers to a place
	answers   map[Cell]answer
}

type at struct {
	Subject
	Place
}

type answer struct {
	e   estimate.Estimate
	why string
}

// newTable pools the runs of each cell and fits its curves.
func newTable(set *profile.Set, mode profile.Mode, perEpoch bool) *Table {
	t := &Table{
		perEpoch: perEpoch, mode: mode, datasets: map[Subject]string{}, precisions: map[Subject]string{}, sizes: map[Subject]float64{}, units: map[Subject]float64{}, gpus: map[profile.VMKey]string{},
		specs: remembered(set.GPUSpec), times: map[Cell]estimate.Estimate{}, sigmas: map[Cell]float64{},
	}
	for _, vm := range set.VMTypes {
		t.gpus[regionless(vm.Key())] = vm.GPU
	}
	found := map[Cell][]estimate.Estimate{}
	for _, r := range set.Runs {
		e := iterationTime(r)
		if perEpoch {
			e = epochTime(r)
		}
		if r.Mode != mode || r.BatchSize < 1 || !e.Known() || !(e.Value > 0) {
			continue
		}
		c := Cell{SubjectOf(r.Model, r.Variant), t.place(r.VM(), r.GPUCount, r.Count), r.BatchSize}
		t.units[c.Subject] = math.Max(t.units[c.Subject], unitsOf(r))
		found[c] = append(found[c], e)
		t.datasets[c.Subject] = cmp.Or(t.datasets[c.Subject], r.Dataset)
		if r.TrainSize != nil {
			t.sizes[c.Subject] = *r.TrainSize
		}
		t.precisions[c.Subject] = r.Variant.Precision
		t.gpus[c.VM] = cmp.Or(t.gpus[c.VM], r.GPU)
	}
	for c, runs := range found {
		t.times[c], t.sigmas[c] = pooled(runs, set.Kinds)
	}
	return t.indexed(nil)
}

// remembered answers each name once: a prediction asks for the same few GPUs
// thousands of times, as do the tables made of it.
func remembered(specs func(string) (profile.GPUSpec, bool)) func(string) (profile.GPUSpec, bool) {
	type found struct {
		spec profile.GPUSpec
		ok   bool
	}
	var lock sync.Mutex
	all := map[string]found{}
	return func(gpu string) (profile.GPUSpec, bool) {
		lock.Lock()
		defer lock.Unlock()
		f, asked := all[gpu]
		if !asked {
			f.spec, f.ok = specs(gpu)
			all[gpu] = f
		}
		return f.spec, f.ok
	}
}

// place is where a run happened. A VM type is the same in all regions, and a
// batch of inference runs on one GPU, whatever else works beside it.
func (t *Table) place(vm profile.VMKey, gpus, count int) Place {
	vm = regionless(vm)
	if t.mode == profile.Infer {
		return Place{vm, min(gpus, 1), 1}
	}
	return Place{vm, gpus, max(count, 1)}
}

// unitsOf is how many units an epoch of a run has at most, 0 where it is not
// known.
func unitsOf(r profile.Run) float64 {
	switch {
	case r.Mode != profile.Train:
		return 0
	case r.TrainSize != nil:
		return *r.TrainSize
	case r.IterationsPerEpoch != nil:
		return *r.IterationsPerEpoch * float64(r.BatchSize)
	}
	return 0
}

func regionless(vm profile.VMKey) profile.VMKey {
	return profile.VMKey{Cloud: vm.Cloud, InstanceType: vm.InstanceType}
}

func iterationTime(r profile.Run) estimate.Estimate {
	if r.Status == profile.OutOfMemory {
		return estimate.Estimate{}
	}
	return r.Steady
}

// epochTime is the time of an epoch of a run of which only that is known: the
// total over the epochs. Of a total that was measured once, as much as
// [training.HiddenStartup] may be start-up.
func epochTime(r profile.Run) estimate.Estimate {
	_, startup := r.Startup()
	if r.Steady.Known() || startup || r.TotalS == nil || r.Epochs == nil || !(*r.Epochs > 0) || r.Status == profile.OutOfMemory {
		return estimate.Estimate{}
	}
	e := estimate.Exact(*r.TotalS / *r.Epochs, r.Basis)
	if r.Basis == estimate.Measured {
		e = estimate.Spread(e.Value, training.OneTotalRel, r.Basis)
		e.Low *= 1 - training.HiddenStartup
	}
	return e
}

// pooled is the estimate of several runs of a cell: those of the most trusted
// basis, the middle one for the value, so that a run that went wrong counts
// little, and the interval of one more run. sigma is the standard deviation of
// ln(value); a single number has that of its kind.
func pooled(runs []estimate.Estimate, kinds map[estimate.Basis]profile.Kind) (e estimate.Estimate, sigma float64) {
	best := slices.MinFunc(runs, func(a, b estimate.Estimate) int { return cmp.Compare(a.Basis, b.Basis) }).Basis
	runs = slices.DeleteFunc(slices.Clone(runs), func(e estimate.Estimate) bool { return e.Basis != best })
	slices.SortStableFunc(runs, func(a, b estimate.Estimate) int { return cmp.Compare(a.Value, b.Value) })
	if kind, ok := kinds[best]; ok && len(runs) == 1 && runs[0].High <= runs[0].Low {
		runs[0] = estimate.Spread(runs[0].Value, kind.Rel, best)
	}
	middle := math.Sqrt(runs[(len(runs)-1)/2].Value * runs[len(runs)/2].Value)
	all := steady.Between(runs)
	return all.Next.Times(middle / all.Next.Value), all.Mean.LogSigma()
}

// indexed sorts the cells and fits the curves. Those of before that have as
// many points are still the same.
func (t *Table) indexed(before map[at]*Curve) *Table {
	t.cells = make([]Cell, 0, len(t.times))
	for c := range t.times {
		t.cells = append(t.cells, c)
	}
	slices.SortFunc(t.cells, compareCells)
	points, noise := map[at][]Point{}, map[at]float64{}
	for _, c := range t.cells {
		k := at{c.Subject, c.Place}
		points[k] = append(points[k], Point{float64(c.Batch), t.times[c].Value * t.unit(c.Subject, c.Batch)})
		noise[k] += t.sigmas[c] * t.sigmas[c]
	}
	t.cellsAt, t.places = map[Place][]Cell{}, map[Subject][]Place{}
	for _, c := range t.cells {
		t.cellsAt[c.Place] = append(t.cellsAt[c.Place], c)
		if p := t.places[c.Subject]; len(p) == 0 || p[len(p)-1] != c.Place {
			t.places[c.Subject] = append(p, c.Place)
		}
	}
	t.curves = make(map[at]*Curve, len(points))
	for k, p := range points {
		if c := before[k]; c != nil && len(c.points) == len(p) {
			t.curves[k] = c
		} else {
			t.curves[k] = BatchCurve(p)
			t.curves[k].noise = math.Sqrt(noise[k] / float64(len(p)))
		}
	}
	t.fields, t.crossings, t.answers = map[Cell]*field{}, map[at]*crossing{}, map[Cell]answer{}
	return t
}

// unit turns a time of the table into that of an iteration, or one in
// proportion to it. An epoch has as many iterations as batches are begun; where
// the size of the training set is not known their number is taken to be in
// inverse proportion to the batch.
func (t *Table) unit(s Subject, batch int) float64 {
	switch n := t.sizes[s]; {
	case !t.perEpoch:
		return 1
	case n > 0:
		return 1 / math.Ceil(n/float64(batch))
	default:
		return float64(batch)
	}
}

func compareCells(a, b Cell) int {
	return cmp.Or(
		strings.Compare(a.Model, b.Model), strings.Compare(a.Variant, b.Variant), comparePlaces(a.Place, b.Place),
		cmp.Compare(a.Batch, b.Batch),
	)
}

func comparePlaces(a, b Place) int {
	return cmp.Or(
		strings.Compare(a.VM.Cloud, b.VM.Cloud), strings.Compare(a.VM.Region, b.VM.Region),
		strings.Compare(a.VM.InstanceType, b.VM.InstanceType), cmp.Compare(a.GPUs, b.GPUs), cmp.Compare(a.Count, b.Count),
	)
}

// PerEpoch reports whether the times are those of an epoch.
func (t *Table) PerEpoch() bool { return t.perEpoch }

// Cells are those with a time, by model, variant, place and batch size.
func (t *Table) Cells() []Cell { return slices.Clone(t.cells) }

// Time is what is known of a cell, in seconds.
func (t *Table) Time(c Cell) estimate.Estimate { return t.times[c] }

// Without is the table that does not know some cells.
func (t *Table) Without(hidden func(Cell) bool) *Table {
	out := &Table{
		perEpoch: t.perEpoch, mode: t.mode, datasets: t.datasets, precisions: t.precisions, sizes: t.sizes, units: t.units, gpus: maps.Clone(t.gpus), specs: t.specs,
		times: make(map[Cell]estimate.Estimate, len(t.times)), sigmas: t.sigmas,
	}
	for _, c := range t.cells {
		if !hidden(c) {
			out.times[c] = t.times[c]
		}
	}
	return out.indexed(t.curves)
}
