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
// size on another. How long do the other batch sizes take there? The batch size
// probed is four times the smallest of those measured on both, else the middle
// one. The model is known nowhere else.
func fromOneProbe(mode profile.Mode) Question {
	return ofVMs(mode, "vm-probe", "iteration on another VM type, from one probe there and one VM type",
		func(*known) scenario {
			return scenario{probed: true, plain: scaledBack, hides: func(asked, c transfer.Cell, from transfer.Platform) bool {
				elsewhere := c.Platform != from && c.Platform != asked.Platform
				return c.Model == asked.Model && (elsewhere || c.Subject != asked.Subject)
			}}
		})
}

// neverProbed: a model was measured on all VM types but one. How long does it
// take there? Its variants are not known there either.
func neverProbed(mode profile.Mode) Question {
	return ofVMs(mode, "vm", "iteration on a VM type where the model was never run, from all others",
		func(*known) scenario {
			return scenario{fromAll: true, plain: nearestModels, hides: func(asked, c transfer.Cell, _ transfer.Platform) bool {
				return c.Model == asked.Model && c.Platform == asked.Platform
			}}
		})
}

// FamilyNeverProbed is the same where no network of the model's family was run on the
// VM type.
func FamilyNeverProbed(mode profile.Mode) Question {
	return ofVMs(mode, "vm-family", "iteration on a VM type where no network of the family was run, from all others",
		func(k *known) scenario {
			p := k.transfer(mode)
			of := func(c transfer.Cell) string {
				return cmp.Or(p.Iterations.Family(c.Subject), p.Epochs.Family(c.Subject))
			}
			return scenario{fromAll: true, plain: nearestModels, hides: func(asked, c transfer.Cell, _ transfer.Platform) bool {
				return c.Platform == asked.Platform && of(c) == of(asked)
			}}
		})
}

// neverProbedFromOne is the same for a model that was run on one VM type only.
func neverProbedFromOne(mode profile.Mode) Question {
	return ofVMs(mode, "vm-one", "iteration on a VM type never run on, of a model run on one other only",
		func(*known) scenario {
			return scenario{plain: nearestModels, hides: func(asked, c transfer.Cell, from transfer.Platform) bool {
				return c.Model == asked.Model && c.Platform != from
			}}
		})
}

// neverSeen: no model was run on any VM type with the GPU asked about, so that
// only its published figures tell. The model was measured on all others.
func neverSeen(mode profile.Mode) Question {
	return ofVMs(mode, "vm-spec", "iteration on a GPU that nothing was run on, by published figures",
		func(k *known) scenario {
			gpus := gpusOf(k.set)
			hides := func(asked, c transfer.Cell, _ transfer.Platform) bool {
				return c.Platform == asked.Platform || gpus[c.VM] == gpus[asked.VM]
			}
			return scenario{fromAll: true, plain: byPeak(k.set, gpus), hides: hides}
		})
}

// GenerationNeverSeen is the same where nothing was run on any GPU of the generation of
// the one asked about, by its architecture.
func GenerationNeverSeen(mode profile.Mode) Question {
	return ofVMs(mode, "vm-generation", "iteration on a GPU of a generation that nothing was run on, by published figures",
		func(k *known) scenario {
			gpus := gpusOf(k.set)
			generation := map[profile.VMKey]string{}
			for vm, gpu := range gpus {
				g, _ := k.set.GPUSpec(gpu)
				generation[vm] = cmp.Or(g.Architecture, gpu)
			}
			hides := func(asked, c transfer.Cell, _ transfer.Platform) bool {
				return c.Platform == asked.Platform || generation[c.VM] == generation[asked.VM]
			}
			return scenario{fromAll: true, plain: byPeak(k.set, gpus), hides: hides}
		})
}

func ofVMs(mode profile.Mode, name, asks string, of func(*known) scenario) Question {
	q := named(mode, name, asks)
	q.jobs = func(k *known) []job { return vmJobs(k.transfer(mode), of(k)) }
	return q
}

// sources lists the platforms to predict a cell from, one at a time; a single
// zero platform stands for all of them at once.
func sources(t *transfer.Table, asked transfer.Cell, all bool) []transfer.Platform {
	if all {
		return []transfer.Platform{{}}
	}
	return slices.DeleteFunc(t.Platforms(asked.Subject), func(p transfer.Platform) bool { return p == asked.Platform })
}

// scenario is what is known of a model when it is asked about on a platform, and
// the baseline to compare with.
type scenario struct {
	fromAll, probed bool
	plain           baseline
	// hides says which cells are hidden beside the curve asked about, of which only the
	// probe is known.
	hides func(asked, c transfer.Cell, from transfer.Platform) bool

	from  transfer.Platform // the only one the model is known on; zero for all
	probe int               // the batch size known on the platform, 0 for none
}

// baseline predicts with the simplest method, given all times and those that are
// not hidden.
type baseline func(all, rest *transfer.Table, asked transfer.Cell, x scenario) float64

func vmJobs(p *transfer.Predictor, x scenario) []job {
	var out []job
	for _, t := range []*transfer.Table{p.Iterations, p.Epochs} {
		for _, curve := range t.Curves() {
			for _, x.from = range sources(t, curve[0], x.fromAll) {
				most := len(curve)
				if x.probed {
					x.probe = probeBatch(t, curve, x.from)
					if most--; x.probe == 0 || most == 0 {
						continue
					}
				}
				this := x
				out = append(out, job{most, func() []Case { return scenarioCases(t, curve, this) }})
			}
		}
	}
	return out
}

// probeBatch is the batch size to probe, 0 where none was measured on both
// platforms.
func probeBatch(t *transfer.Table, curve []transfer.Cell, from transfer.Platform) int {
	var both []int
	for _, c := range curve {
		if t.Time(on(c, from)).Known() {
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

// on is the cell on another platform.
func on(c transfer.Cell, p transfer.Platform) transfer.Cell {
	c.Platform = p
	return c
}

func scenarioCases(t *transfer.Table, curve []transfer.Cell, x scenario) []Case {
	asked := curve[0]
	rest := t.Without(func(c transfer.Cell) bool {
		if c.Subject == asked.Subject && c.Platform == asked.Platform {
			return c.Batch != x.probe
		}
		return x.hides(asked, c, x.from)
	})
	var out []Case
	for _, c := range curve {
		if c.Batch == x.probe {
			continue
		}
		if x.from != (transfer.Platform{}) && !t.Time(on(c, x.from)).Known() {
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

// scaledBack is the baseline for a VM type with a probe: the time on the
// other VM type, multiplied by the ratio of the times at the batch size probed.
func scaledBack(all, _ *transfer.Table, asked transfer.Cell, x scenario) float64 {
	probe := asked
	probe.Batch = x.probe
	return all.Time(probe).Value * all.Time(on(asked, x.from)).Value / all.Time(on(probe, x.from)).Value
}

// byPeak is the baseline for a GPU never seen: the measured times on other
// GPUs, scaled inversely to the GPUs' FP32 peaks.
func byPeak(set *profile.Set, gpus map[profile.VMKey]string) baseline {
	peak := func(vm profile.VMKey) float64 {
		if g, ok := set.GPUSpec(gpus[vm]); ok && g.FP32TFLOPS != nil {
			return *g.FP32TFLOPS
		}
		return math.NaN()
	}
	return func(_, rest *transfer.Table, asked transfer.Cell, _ scenario) float64 {
		var logs []float64
		for _, from := range sources(rest, asked, false) {
			if known := rest.Time(on(asked, from)); known.Known() {
				logs = append(logs, math.Log(known.Value*peak(from.VM)/peak(asked.VM)))
			}
		}
		return math.Exp(mean(logs))
	}
}

func gpusOf(set *profile.Set) map[profile.VMKey]string {
	out := map[profile.VMKey]string{}
	for _, r := range set.Runs {
		vm := r.VM()
		vm.Region = ""
		out[vm] = cmp.Or(out[vm], r.GPU)
	}
	return out
}

// neighbours is how many cells the baseline averages.
const neighbours = 9

// nearestModels is the baseline for a VM type never probed, k nearest
// neighbours: on each VM type where the cell was measured it takes the cells with
// the most similar times and their mean ratio between the two platforms.
func nearestModels(_, t *transfer.Table, c transfer.Cell, _ scenario) float64 {
	var logs []float64
	for _, from := range sources(t, c, false) {
		known := t.Time(on(c, from))
		if !known.Known() {
			continue
		}
		type neighbour struct{ distance, ratio float64 }
		var near []neighbour
		for _, o := range t.Cells() {
			if o.Platform != from || o.Model == c.Model {
				continue
			}
			if there, here := t.Time(o), t.Time(on(o, c.Platform)); here.Known() {
				near = append(near, neighbour{
					distance: math.Abs(math.Log(there.Value / known.Value)), ratio: math.Log(here.Value / there.Value),
				})
			}
		}
		slices.SortStableFunc(near, func(a, b neighbour) int { return cmp.Compare(a.distance, b.distance) })
		near = near[:min(neighbours, len(near))]
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
