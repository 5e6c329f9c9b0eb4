package validate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/profile"
	"sweetspot/engine/transfer"
)

// fromOneProbe: a model was measured on one VM type and probed at one batch
// size on another; what do the other batch sizes take there? The batch size
// probed is four times the smallest of those measured in both, else the middle
// one. The model is known nowhere else.
func fromOneProbe(mode profile.Mode) Question {
	q := named(mode, "vm-probe", "iteration on another VM type, from one probe there and one VM type")
	q.jobs = func(k *known) []job {
		return vmJobs(k.transfer(mode), crossing{probed: true, plain: scaledBack}, func(asked, c transfer.Cell, source transfer.Place) bool {
			return c.Model == asked.Model && (c.Place != source && c.Place != asked.Place || c.Subject != asked.Subject)
		})
	}
	return q
}

// neverProbed: a model was measured on all VM types but one; what does it take
// there? Its variants are not known there either.
func neverProbed(mode profile.Mode) Question {
	q := named(mode, "vm", "iteration on a VM type where the model was never run, from all others")
	q.jobs = func(k *known) []job {
		return vmJobs(k.transfer(mode), crossing{fromAll: true, plain: nearestModels}, func(asked, c transfer.Cell, _ transfer.Place) bool {
			return c.Model == asked.Model && c.Place == asked.Place
		})
	}
	return q
}

// neverProbedFromOne: the same of a model that was run on one VM type only.
func neverProbedFromOne(mode profile.Mode) Question {
	q := named(mode, "vm-one", "iteration on a VM type never run on, of a model run on one other only")
	q.jobs = func(k *known) []job {
		return vmJobs(k.transfer(mode), crossing{plain: nearestModels}, func(asked, c transfer.Cell, source transfer.Place) bool {
			return c.Model == asked.Model && c.Place != source
		})
	}
	return q
}

// neverSeen: no model was run on any VM type with the GPU asked about, so that
// only its published figures tell. The model was measured on all others.
func neverSeen(mode profile.Mode) Question {
	q := named(mode, "vm-spec", "iteration on a GPU that nothing was run on, by published figures")
	q.jobs = func(k *known) []job {
		gpus := gpusOf(k.set)
		return vmJobs(k.transfer(mode), crossing{fromAll: true, plain: byPeak(k.set, gpus)}, func(asked, c transfer.Cell, _ transfer.Place) bool {
			return c.Place == asked.Place || gpus[c.VM] == gpus[asked.VM]
		})
	}
	return q
}

// worlds lists the places to know a model from when it is asked about in
// another; the zero place stands for all of them.
func worlds(t *transfer.Table, asked transfer.Cell, all bool) []transfer.Place {
	if all {
		return []transfer.Place{{}}
	}
	var out []transfer.Place
	for _, c := range t.Cells() {
		if c.Subject == asked.Subject && c.Place != asked.Place && !slices.Contains(out, c.Place) {
			out = append(out, c.Place)
		}
	}
	return out
}

// crossing is one question about a place: what is known of the model, and what
// the plain method answers.
type crossing struct {
	fromAll, probed bool
	plain           plainly

	from  transfer.Place // the only one the model is known from; zero for all
	probe int            // the batch size that is known in the place, 0 for none
}

// plainly is a plain method. It is told all times and those that are not hidden.
type plainly func(all, rest *transfer.Table, asked transfer.Cell, x crossing) float64

// vmJobs ask about every curve of every table. hidden says what is not known of
// the model, all of the curve asked about being hidden but the probe.
func vmJobs(p *transfer.Predictor, x crossing, hidden func(asked, c transfer.Cell, source transfer.Place) bool) []job {
	var out []job
	for _, t := range []*transfer.Table{p.Iterations, p.Epochs} {
		for _, curve := range curves(t) {
			for _, x.from = range worlds(t, curve[0], x.fromAll) {
				if x.probed {
					if x.probe = probeBatch(t, curve, x.from); x.probe == 0 {
						continue
					}
				}
				this := x
				out = append(out, job{len(curve), func() []Case { return crossingCases(t, curve, this, hidden) }})
			}
		}
	}
	return out
}

// probeBatch is the batch size to probe, 0 where there is none in both places.
func probeBatch(t *transfer.Table, curve []transfer.Cell, from transfer.Place) int {
	var both []int
	for _, c := range curve {
		if t.Time(elsewhere(c, from)).Known() {
			both = append(both, c.Batch)
		}
	}
	switch {
	case len(both) == 0:
		return 0
	case slices.Contains(both, 4*both[0]):
		return 4 * both[0]
	default:
		return both[len(both)/2]
	}
}

func elsewhere(c transfer.Cell, place transfer.Place) transfer.Cell {
	c.Place = place
	return c
}

func crossingCases(t *transfer.Table, curve []transfer.Cell, x crossing, hidden func(asked, c transfer.Cell, source transfer.Place) bool) []Case {
	asked := curve[0]
	rest := t.Without(func(c transfer.Cell) bool {
		if c.Subject == asked.Subject && c.Place == asked.Place {
			return c.Batch != x.probe
		}
		return hidden(asked, c, x.from)
	})
	var out []Case
	for _, c := range curve {
		if c.Batch == x.probe {
			continue
		}
		if x.from != (transfer.Place{}) && !t.Time(elsewhere(c, x.from)).Known() {
			continue
		}
		e, _ := rest.Predict(c)
		out = append(out, Case{
			Of:    fmt.Sprintf("%s on %s at batch %d from %s", c.Model, c.VM.InstanceType, c.Batch, x.from.VM.InstanceType),
			Group: c.Model, Truth: t.Time(c).Value, Predicted: e, Plain: x.plain(t, rest, c, x),
		})
	}
	return out
}

// scaledBack is the plain method for a VM type with a probe: the time on the
// other, in the ratio of the times at the batch size probed.
func scaledBack(all, _ *transfer.Table, asked transfer.Cell, x crossing) float64 {
	probe := asked
	probe.Batch = x.probe
	return all.Time(probe).Value * all.Time(elsewhere(asked, x.from)).Value / all.Time(elsewhere(probe, x.from)).Value
}

// byPeak is the plain method for a GPU never seen: the times where the cell was
// measured, in inverse proportion to the FP32 peaks of the GPUs.
func byPeak(set *profile.Set, gpus map[profile.VMKey]string) plainly {
	peak := func(vm profile.VMKey) float64 {
		if g, ok := set.GPUSpec(gpus[vm]); ok && g.FP32TFLOPS != nil {
			return *g.FP32TFLOPS
		}
		return math.NaN()
	}
	return func(_, rest *transfer.Table, asked transfer.Cell, _ crossing) float64 {
		var logs []float64
		for _, from := range worlds(rest, asked, false) {
			if known := rest.Time(elsewhere(asked, from)); known.Known() {
				logs = append(logs, math.Log(known.Value*peak(from.VM)/peak(asked.VM)))
			}
		}
		return math.Exp(mean(logs))
	}
}

// gpusOf names the GPU of each VM type that something was run on.
func gpusOf(set *profile.Set) map[profile.VMKey]string {
	out := map[profile.VMKey]string{}
	for _, r := range set.Runs {
		vm := r.VM()
		vm.Region = ""
		out[vm] = cmp.Or(out[vm], r.GPU)
	}
	return out
}

// nearest is how many cells the plain method looks at.
const nearest = 9

// nearestModels is the plain method for a VM type never probed: on each VM type
// where the cell was measured the cells of the most similar times, and the mean
// ratio of their times in the place asked about to those.
func nearestModels(_, t *transfer.Table, c transfer.Cell, _ crossing) float64 {
	var logs []float64
	for _, from := range worlds(t, c, false) {
		known := t.Time(elsewhere(c, from))
		if !known.Known() {
			continue
		}
		type neighbour struct{ distance, ratio float64 }
		var near []neighbour
		for _, o := range t.Cells() {
			there, here := t.Time(elsewhere(o, from)), t.Time(elsewhere(o, c.Place))
			if o.Place == from && o.Model != c.Model && here.Known() {
				near = append(near, neighbour{math.Abs(math.Log(there.Value / known.Value)), math.Log(here.Value / there.Value)})
			}
		}
		slices.SortStableFunc(near, func(a, b neighbour) int { return cmp.Compare(a.distance, b.distance) })
		near = near[:min(nearest, len(near))]
		sum := 0.0
		for _, n := range near {
			sum += n.ratio / float64(len(near))
		}
		if len(near) > 0 {
			logs = append(logs, math.Log(known.Value)+sum)
		}
	}
	if len(logs) == 0 {
		return math.NaN()
	}
	return math.Exp(mean(logs))
}
