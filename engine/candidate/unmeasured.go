package candidate

import (
	"iter"
	"runtime"

	"sweetspot/engine/estimate"
	"sweetspot/engine/parallel"
	"sweetspot/engine/profile"
	"sweetspot/engine/transfer"
)

// networkBatch is a network, by its name, at a batch size.
type networkBatch struct {
	network string
	batch   int
}

// suits reports whether a variant is to be predicted at a batch size: one that was asked
// for, or that its network was run at. Where variants are networks of their own the batch
// size of one is no choice for another.
func (p *predictions) suits(v profile.Variant, batch int) bool {
	return len(p.work.BatchSizes) > 0 || p.batches[networkBatch{v.Network(), batch}]
}

// gpuFigure is what others published of a variant, by its key, on a GPU.
type gpuFigure struct{ variant, gpu string }

// several stands for figures at more than one batch size.
const several = -1

// publish notes the batch size at which others published a variant on a GPU.
func (p *predictions) publish(r *profile.Run) {
	if !r.IsOfGPU() || !r.Steady.Known() {
		return
	}
	of := gpuFigure{r.Variant.Key(), r.GPU}
	if batch, seen := p.figures[of]; seen && batch != r.BatchSize {
		p.figures[of] = several
		return
	}
	p.figures[of] = r.BatchSize
}

// settled reports whether a variant's batch size is none to predict on a GPU, since the one
// that others published is the one they chose for it.
func (p *predictions) settled(of variantBatch, gpu string) bool {
	chosen, published := p.figures[gpuFigure{of.variant, gpu}]
	return published && chosen != several && chosen != of.batch && len(p.work.BatchSizes) == 0
}

// most is how many predictions there are, at most.
func (p *predictions) most() int {
	if p.narrowed == OwnBatches {
		return len(p.ran) * len(p.offers)
	}
	return p.pairs * len(p.offers)
}

// all are what no run answers for, each until the next one.
func (p *predictions) all() iter.Seq[*prediction] {
	return func(yield func(*prediction) bool) {
		places, g := p.places(), prediction{from: p}
		for variant, batches := range p.allUnmeasured(places) {
			g.variant = int32(variant)
			for offer := range p.offers {
				g.offer = int32(offer)
				for k := range batches {
					b := &batches[k]
					g.shape, g.steady = b.shape, &b.times[places.alike.of[offer]]
					if !g.steady.Known() || b.answered[places.vms[offer]] {
						continue
					}
					if g.number = b.number(offer, places); !yield(&g) {
						return
					}
				}
			}
		}
	}
}

// unmeasured is a variant at a batch size that was not run on all offers.
type unmeasured struct {
	shape    int32
	times    []estimate.Estimate    // predicted, by those that are alike
	answered map[profile.VMKey]bool // by runs
	cells    []int32                // that times of the same GPU have, by GPU; −1 where there is none yet
}

// atOnce is how many variants each processor predicts before they are listed.
const atOnce = 32

// severally are as many predictors as there are processors, to be asked at once.
func severally(p Predictor) []Predictor {
	of, ok := p.(*transfer.Predictor)
	if !ok {
		return []Predictor{p}
	}
	var out []Predictor
	for _, asker := range of.Several(runtime.GOMAXPROCS(0)) {
		out = append(out, asker)
	}
	return out
}

// asker is the predictor of a variant's times.
func (p *predictions) asker(variant int) Predictor { return p.askers[variant%len(p.askers)] }

// allUnmeasured are the batch sizes to predict for each variant.
func (p *predictions) allUnmeasured(on *places) iter.Seq2[int, []unmeasured] {
	return func(yield func(int, []unmeasured) bool) {
		for from := 0; from < len(p.keys); from += atOnce * len(p.askers) {
			found := make([][]unmeasured, min(atOnce*len(p.askers), len(p.keys)-from))
			parallel.Each(len(p.askers), len(p.askers), func(k int) {
				for i := k; i < len(found); i += len(p.askers) {
					found[i] = p.unmeasured(from+i, on)
				}
			})
			for i, batches := range found {
				if !yield(from+i, batches) {
					return
				}
			}
		}
	}
}

// trainings are the candidates of predicted trainings.
func (p *predictions) trainings() iter.Seq[Candidate] {
	const batch = 512
	return func(yield func(Candidate) bool) {
		var found []prediction
		list := func() bool {
			made, known := make([]Candidate, len(found)), make([]bool, len(found))
			parallel.Each(len(p.askers), len(p.askers), func(k int) {
				for i := range found {
					if int(found[i].variant)%len(p.askers) == k {
						made[i], known[i] = p.predictedTraining(&found[i])
					}
				}
			})
			found = found[:0]
			for i := range made {
				if known[i] && !yield(made[i]) {
					return false
				}
			}
			return true
		}
		for g := range p.all() {
			if found = append(found, *g); len(found) == batch && !list() {
				return
			}
		}
		list()
	}
}

// unmeasured are the batch sizes to predict for a variant.
func (p *predictions) unmeasured(variant int, on *places) (all []unmeasured) {
	for shape := range p.shapes {
		run := &p.shapes[shape]
		of := variantBatch{p.keys[variant], run.BatchSize}
		if p.narrowed == OwnBatches && !p.ran[of] || !p.suits(p.variants[variant], run.BatchSize) || !p.sensible(run) {
			continue
		}
		b := unmeasured{shape: int32(shape), answered: p.answered[of]}
		for _, offer := range on.alike.first {
			vm, e := p.offers[offer], estimate.Estimate{}
			if !p.settled(of, vm.GPU) {
				e, _ = p.asker(variant).Iteration(p.work.Model, p.variants[variant], vm, vm.GPUCount, run.BatchSize)
			}
			b.times = append(b.times, e)
		}
		for _, offer := range on.gpus.first {
			cell, seen := p.origins[origin{of, p.offers[offer].GPU}]
			if !seen || p.offers[offer].GPU == "" {
				cell = -1
			}
			b.cells = append(b.cells, int32(cell))
		}
		all = append(all, b)
	}
	return all
}

// places are the offers by what they have in common.
type places struct {
	vms                []profile.VMKey // without their regions
	alike, gpus, kinds groups          // with the same predictions; the same GPU; and as many of it
	cells              []int32         // of kinds, −1 where none was predicted yet
	next               int32
	ofGPU              bool // times are those of a GPU, on however many VM types they stand
}

func (p *predictions) places() *places {
	type kind struct {
		vm    profile.VMKey
		gpu   string
		count int
	}
	ran := map[profile.VMKey]bool{}
	for i := range p.set.Runs {
		ran[anywhere(p.set.Runs[i].VM())] = true
	}
	at := &places{next: int32(p.first), ofGPU: p.work.Mode == profile.Infer}
	for _, vm := range p.offers {
		at.vms = append(at.vms, anywhere(vm.Key()))
	}
	kindOf := func(k int, vm *profile.VMType) kind {
		if vm.GPU == "" { // each has CPUs of its own
			return kind{vm: at.vms[k]}
		}
		return kind{gpu: vm.GPU, count: vm.GPUCount}
	}
	at.kinds = grouped(p.offers, kindOf)
	at.gpus = grouped(p.offers, func(k int, vm *profile.VMType) kind {
		if vm.GPU == "" {
			return kindOf(k, vm)
		}
		return kind{gpu: vm.GPU}
	})
	at.alike = grouped(p.offers, func(k int, vm *profile.VMType) kind {
		switch {
		case vm.GPU == "" || ran[at.vms[k]]:
			return kind{vm: at.vms[k]}
		case at.ofGPU:
			return kind{gpu: vm.GPU}
		}
		return kindOf(k, vm)
	})
	for range at.kinds.first {
		at.cells = append(at.cells, -1)
	}
	return at
}

// number is the cell of what is predicted on an offer. All predictions for as many of a
// GPU err together, for they rest on the same knowledge of it.
func (b *unmeasured) number(offer int, at *places) int32 {
	cell := &at.cells[at.kinds.of[offer]]
	if *cell < 0 {
		*cell = at.next
		at.next++
	}
	if !at.ofGPU {
		return *cell
	}
	known := &b.cells[at.gpus.of[offer]]
	if *known < 0 {
		*known = *cell
	}
	return *known
}

// groups are things by what they have in common: the group of each, and the first of
// each group.
type groups struct{ of, first []int }

func grouped[T any, K comparable](things []T, key func(k int, thing *T) K) (g groups) {
	numbers := map[K]int{}
	for k := range things {
		id := key(k, &things[k])
		n, seen := numbers[id]
		if !seen {
			n = len(g.first)
			numbers[id], g.first = n, append(g.first, k)
		}
		g.of = append(g.of, n)
	}
	return g
}
