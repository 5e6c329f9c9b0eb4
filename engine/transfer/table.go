// Package transfer predicts times that were not measured from times that were:
// the same model at another batch size, on another VM type, on another number
// of GPUs.
//
// Everything is computed on logarithms of times. The plain prediction is a curve
// through the batch sizes measured on the VM, the curve of another VM, or the
// ratio of the GPUs' published figures. A Gaussian-process regression on the
// other models of the set predicts by how much that is off, and similar models count
// most. It is pooled with plain methods, such as one constant between two GPUs: leaving
// out each model in turn weights them and calibrates the interval.
package transfer

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/engine/training"
)

// Subject is what was run: a model or, where its variants are networks of their
// own, one of those; and, as a key, what was changed in it.
type Subject struct{ Model, Variant string }

// SubjectOf names a variant of a model.
func SubjectOf(model string, v profile.Variant) Subject {
	return Subject{strings.TrimSpace(model + " " + v.Network()), v.Key()}
}

// Platform is what it ran on: a VM type, the number of GPUs used per VM, and the
// number of VMs.
type Platform struct {
	VM          profile.VMKey // its region empty
	GPUs, Count int
}

// all is the number of GPUs of all VMs, at least 1: a CPU counts as one.
func (p Platform) all() float64 { return float64(max(p.GPUs, 1) * max(p.Count, 1)) }

// Cell is one thing that may have a time; Batch is the global batch size.
type Cell struct {
	Subject
	Platform
	Batch int
}

// Table holds the times of one kind by subject, platform and batch size. It is
// safe for concurrent use.
type Table struct {
	PerEpoch   bool // the times are of epochs, whose number of iterations may be unknown
	mode       profile.Mode
	times      map[Cell]estimate.Estimate // s
	sigmas     map[Cell]float64           // standard deviations of ln(time)
	datasets   map[Subject]string
	precisions map[Subject]string
	runtimes   map[Subject]string  // as [profile.Run.Runtime]
	sizes      map[Subject]float64 // units in the training set, where known
	works      map[Subject]profile.Work
	families   map[Subject]string
	units      map[Subject]float64 // most units in an epoch of any run: no batch is larger
	gpus       map[profile.VMKey]string
	cpus       map[Platform]bool // those without a GPU
	vcpus      map[profile.VMKey]float64
	waits      map[Subject]float64 // seconds a unit that a run without a GPU waited for input
	specs      func(gpu string) (profile.GPUSpec, bool)
	cells      []Cell              // of times, sorted
	cellsAt    map[Platform][]Cell // the same by platform
	curves     map[curveKey]*Curve
	platforms  map[Subject][]Platform // of its curves, sorted
	measured   map[profile.VMKey]bool // VM types with any time

	lock        sync.Mutex
	corrections map[Cell]*pool // of a curve
	transfers   map[curveKey]*platformTransfer
	priors      map[float64]*pool // of transfers without observations, by their spread
	answers     map[Cell]answer
	tellings    map[audience]int
	verdicts    map[string]verdict // of the GPUs of platforms
	// judgedFigures are the laws between these GPUs and another.
	judgedFigures map[[2]string]*figures
}

// curveKey identifies a curve over batch sizes.
type curveKey struct {
	Subject
	Platform
}

type answer struct {
	e   estimate.Estimate
	why string
}

// newTable pools the runs of each cell and fits its curves.
func newTable(set *profile.Set, mode profile.Mode, perEpoch bool) *Table {
	t := &Table{
		PerEpoch: perEpoch, mode: mode, specs: memoised(set.GPUSpec),
		datasets: map[Subject]string{}, precisions: map[Subject]string{}, runtimes: map[Subject]string{},
		works: map[Subject]profile.Work{}, families: map[Subject]string{},
		sizes: map[Subject]float64{}, units: map[Subject]float64{}, gpus: map[profile.VMKey]string{},
		times: map[Cell]estimate.Estimate{}, sigmas: map[Cell]float64{}, cpus: map[Platform]bool{},
		vcpus: map[profile.VMKey]float64{},
		waits: map[Subject]float64{},
	}
	for _, vm := range set.VMTypes {
		key := regionless(vm.Key())
		t.gpus[key] = vm.GPU
		if vm.IsCPU() {
			t.cpus[Platform{key, 0, 1}], t.vcpus[key] = true, *vm.VCPUs
		}
	}
	models := map[string]profile.Model{}
	for _, m := range set.Models {
		models[m.Name] = m
	}
	found := map[Cell][]estimate.Estimate{}
	for _, r := range set.AsFound().Runs {
		s := SubjectOf(r.Model, r.Variant)
		if r.Mode == mode { // the work of a network is known without a time
			t.works[s] = withWork(t.works[s], r.WorkIn(models[r.Model]))
			t.precisions[s], t.runtimes[s] = r.Variant.Precision, cmp.Or(r.Runtime(), t.runtimes[s])
		}
		e := r.Steady
		switch {
		case perEpoch:
			e = epochTime(r)
		case r.SteadyN > 0:
			e = training.Iteration(r, set.Kinds)
		}
		if r.Mode != mode || r.Status == profile.OutOfMemory || r.BatchSize < 1 || !e.Known() || !(e.Value > 0) ||
			!estimate.Plausible(e.Value) || r.PowerLimitW != nil {
			continue // under a lowered power limit a GPU is not what its figures say
		}
		c := Cell{s, t.platform(r.VM(), r.GPUCount, r.Count), r.BatchSize}
		t.units[c.Subject] = math.Max(t.units[c.Subject], unitsOf(r))
		found[c] = append(found[c], e)
		t.datasets[c.Subject] = cmp.Or(t.datasets[c.Subject], r.Dataset)
		if r.TrainSize != nil {
			t.sizes[c.Subject] = *r.TrainSize
		}
		if _, known := t.families[c.Subject]; !known {
			t.families[c.Subject] = familyOf(r)
		}
		t.gpus[c.VM] = cmp.Or(t.gpus[c.VM], r.GPU)
		t.cpus[c.Platform] = t.cpus[c.Platform] || r.NoGPU
		if r.CPUs > 0 {
			t.vcpus[c.VM] = cmp.Or(t.vcpus[c.VM], float64(r.CPUs))
		}
		if r.NoGPU && r.InputWait != nil {
			t.waits[s] = *r.InputWait * r.Steady.Value / float64(r.BatchSize)
		}
	}
	for c, runs := range found {
		t.times[c], t.sigmas[c] = pooled(runs, set.Kinds)
	}
	return t.indexed()
}

// memoised looks each GPU up once: a prediction asks for the same few thousands
// of times.
func memoised(specs func(string) (profile.GPUSpec, bool)) func(string) (profile.GPUSpec, bool) {
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

// platform is that of a run. A VM type is the same in all regions, and a batch of
// inference runs on one GPU, however many the VM has.
func (t *Table) platform(vm profile.VMKey, gpus, count int) Platform {
	vm = regionless(vm)
	if t.mode == profile.Infer {
		return Platform{vm, min(gpus, 1), 1}
	}
	return Platform{vm, gpus, max(count, 1)}
}

// withWork is what is known of the work of a network, and what another run of it says.
func withWork(known, more profile.Work) profile.Work {
	return profile.Work{
		FLOPs: cmp.Or(known.FLOPs, more.FLOPs), Activations: cmp.Or(known.Activations, more.Activations),
		Params: cmp.Or(known.Params, more.Params), Layers: cmp.Or(known.Layers, more.Layers),
	}
}

// familyOf is what the name of a network begins with: the letters of resnet50.
func familyOf(r profile.Run) string {
	name := cmp.Or(r.Variant.Network(), path.Base(r.Model))
	end := strings.IndexFunc(name, func(c rune) bool { return !unicode.IsLetter(c) })
	if end < 0 {
		end = len(name)
	}
	return strings.ToLower(name[:end])
}

// unitsOf is the most units that an epoch of a run may have, 0 where it is not
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

// epochTime is the total over the epochs of a run of which nothing else is known.
// Up to [training.HiddenStartup] of a total that was measured once may be
// start-up.
func epochTime(r profile.Run) estimate.Estimate {
	_, startup := r.Startup()
	if r.Steady.Known() || startup || r.TotalS == nil || r.Epochs == nil || !(*r.Epochs > 0) {
		return estimate.Estimate{}
	}
	e := estimate.Exact(*r.TotalS / *r.Epochs, r.Basis)
	if r.Basis == estimate.Measured {
		e = estimate.Spread(e.Value, training.OneTotalRel, r.Basis)
		e.Low *= 1 - training.HiddenStartup
	}
	return e
}

// pooled is the estimate of several runs of a cell, of which only those of the
// most trusted basis count: their median, so that a failed run counts little,
// with the interval of one more run. sigma is the standard deviation of
// ln(value); a single number without an interval has that of its kind.
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

// indexed sorts the cells and fits the curves.
func (t *Table) indexed() *Table {
	t.cells = slices.SortedFunc(maps.Keys(t.times), compareCells)
	t.cellsAt, t.curves = map[Platform][]Cell{}, map[curveKey]*Curve{}
	t.platforms, t.measured = map[Subject][]Platform{}, map[profile.VMKey]bool{}
	for own := range curvesOf(t.cells) {
		k := curveKey{own[0].Subject, own[0].Platform}
		t.curves[k], t.measured[k.VM] = t.fit(own), true
		t.platforms[k.Subject] = append(t.platforms[k.Subject], k.Platform)
		t.cellsAt[k.Platform] = append(t.cellsAt[k.Platform], own...)
	}
	return t.unasked()
}

// unasked is the table without answers.
func (t *Table) unasked() *Table {
	t.corrections, t.transfers = map[Cell]*pool{}, map[curveKey]*platformTransfer{}
	t.answers, t.priors, t.tellings = map[Cell]answer{}, map[float64]*pool{}, map[audience]int{}
	t.verdicts, t.judgedFigures = map[string]verdict{}, map[[2]string]*figures{}
	return t
}

// curvesOf splits sorted cells into those of a subject on a platform.
func curvesOf(cells []Cell) iter.Seq[[]Cell] {
	return func(yield func([]Cell) bool) {
		for from, to := 0, 0; from < len(cells); from = to {
			of := curveKey{cells[from].Subject, cells[from].Platform}
			for to = from + 1; to < len(cells) && (curveKey{cells[to].Subject, cells[to].Platform}) == of; to++ {
			}
			if !yield(cells[from:to:to]) {
				return
			}
		}
	}
}

// fit is the curve through the cells of a subject on a platform.
func (t *Table) fit(cells []Cell) *Curve {
	points, noise := make([]Point, len(cells)), 0.0
	for k, c := range cells {
		points[k] = Point{float64(c.Batch), t.times[c].Value * t.unit(c.Subject, c.Batch)}
		noise += t.sigmas[c] * t.sigmas[c]
	}
	curve := BatchCurve(points)
	curve.noise = math.Sqrt(noise / float64(len(points)))
	return curve
}

// unit is the factor from a time of the table to that of an iteration, or to one
// in proportion to it. An epoch has ceil(size / batch) iterations; where the
// size of the training set is not known their number is taken to be inversely
// proportional to the batch size.
func (t *Table) unit(s Subject, batch int) float64 {
	switch n := t.sizes[s]; {
	case !t.PerEpoch:
		return 1
	case n > 0:
		return 1 / math.Ceil(n/float64(batch))
	default:
		return float64(batch)
	}
}

func compareCells(a, b Cell) int {
	return cmp.Or(
		strings.Compare(a.Model, b.Model), strings.Compare(a.Variant, b.Variant), comparePlatforms(a.Platform, b.Platform),
		cmp.Compare(a.Batch, b.Batch))
}

func comparePlatforms(a, b Platform) int {
	return cmp.Or(strings.Compare(a.VM.Cloud, b.VM.Cloud), strings.Compare(a.VM.Region, b.VM.Region),
		strings.Compare(a.VM.InstanceType, b.VM.InstanceType), cmp.Compare(a.GPUs, b.GPUs), cmp.Compare(a.Count, b.Count))
}

// Cells lists those with a time, by model, variant, platform and batch size.
func (t *Table) Cells() []Cell { return slices.Clone(t.cells) }

// Curves are the cells of each subject and platform, by rising batch size.
func (t *Table) Curves() [][]Cell { return slices.Collect(curvesOf(t.Cells())) }

// Platforms lists those on which a subject has a time, sorted.
func (t *Table) Platforms(s Subject) []Platform { return slices.Clone(t.platforms[s]) }

// Family is what networks have in common by their names, such as resnet.
func (t *Table) Family(s Subject) string { return t.families[s] }

// Time is the measured or published time of a cell in seconds, unknown where there is none.
func (t *Table) Time(c Cell) estimate.Estimate { return t.times[c] }

// Without is the table without the hidden cells, as for a back-test. Of thousands of
// cells it mostly lacks a few, and takes over what they do not change.
func (t *Table) Without(hidden func(Cell) bool) *Table {
	out := t.beside()
	out.times, out.cells, out.cellsAt = maps.Clone(t.times), make([]Cell, 0, len(t.cells)), maps.Clone(t.cellsAt)
	out.curves, out.platforms, out.measured = maps.Clone(t.curves), maps.Clone(t.platforms), map[profile.VMKey]bool{}
	changed := map[Platform]bool{}
	for own := range curvesOf(t.cells) {
		from := len(out.cells)
		for _, c := range own {
			if hidden(c) {
				delete(out.times, c)
			} else {
				out.cells = append(out.cells, c)
			}
		}
		if left := out.cells[from:]; len(left) < len(own) {
			changed[own[0].Platform] = true
			out.refit(own[0], left)
		}
	}
	for p, cells := range t.cellsAt {
		if changed[p] {
			cells = slices.DeleteFunc(slices.Clone(cells), hidden)
			out.cellsAt[p] = cells
		}
		out.measured[p.VM] = out.measured[p.VM] || len(cells) > 0
	}
	return out
}

// beside is the table without answers, which may be asked while this one is.
func (t *Table) beside() *Table {
	out := &Table{
		PerEpoch: t.PerEpoch, mode: t.mode, datasets: t.datasets, precisions: t.precisions, runtimes: t.runtimes,
		sizes: t.sizes, works: t.works, families: t.families, units: t.units, gpus: maps.Clone(t.gpus), cpus: t.cpus,
		vcpus: t.vcpus, waits: t.waits, specs: t.specs, sigmas: t.sigmas, times: t.times, cells: t.cells, cellsAt: t.cellsAt,
		curves: t.curves, platforms: t.platforms, measured: t.measured,
	}
	return out.unasked()
}

// refit replaces the curve that a cell was of by one through those that are left of it.
func (t *Table) refit(of Cell, left []Cell) {
	k := curveKey{of.Subject, of.Platform}
	if len(left) > 0 {
		t.curves[k] = t.fit(left)
		return
	}
	delete(t.curves, k)
	others := slices.DeleteFunc(t.Platforms(k.Subject), func(p Platform) bool { return p == k.Platform })
	t.platforms[k.Subject] = others
}
