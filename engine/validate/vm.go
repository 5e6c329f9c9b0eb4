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
var fromOneProbe = Question{
	Name: "vm-probe", Asks: "iteration on another VM type, from one probe there and one VM type",
	Cases: func(set *profile.Set) []Case {
		return vmCases(set, false, true, func(asked, c transfer.Cell, source transfer.Place) bool {
			return c.Model == asked.Model && (c.Place != source && c.Place != asked.Place || c.Subject != asked.Subject)
		})
	},
}

// neverProbed: a model was measured on all VM types but one; what does it take
// there? Its variants are not known there either.
var neverProbed = Question{
	Name: "vm", Asks: "iteration on a VM type where the model was never run, from all others",
	Cases: func(set *profile.Set) []Case {
		return vmCases(set, true, false, func(asked, c transfer.Cell, _ transfer.Place) bool {
			return c.Model == asked.Model && c.Place == asked.Place
		})
	},
}

// neverProbedFromOne: the same of a model that was run on one VM type only.
var neverProbedFromOne = Question{
	Name: "vm-one", Asks: "iteration on a VM type never run on, of a model run on one other only",
	Cases: func(set *profile.Set) []Case {
		return vmCases(set, false, false, func(asked, c transfer.Cell, source transfer.Place) bool {
			return c.Model == asked.Model && c.Place != source
		})
	},
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

// crossing is one question about a place: what is hidden, and the batch size
// that is not.
type crossing struct {
	from  transfer.Place
	probe int
}

// vmCases asks about every curve of every table. hidden says what is not known
// of the model, all of the curve asked about being hidden but the probe.
func vmCases(set *profile.Set, all, probed bool, hidden func(asked, c transfer.Cell, source transfer.Place) bool) []Case {
	var out []Case
	p := transfer.New(set, profile.Train)
	for _, t := range []*transfer.Table{p.Iterations, p.Epochs} {
		for _, curve := range curves(t) {
			for _, from := range worlds(t, curve[0], all) {
				x := crossing{from: from}
				if probed {
					if x.probe = probeBatch(t, curve, from); x.probe == 0 {
						continue
					}
				}
				out = append(out, crossingCases(t, curve, x, hidden)...)
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
		plain := nearestModels(rest, c)
		if x.probe > 0 {
			probe := asked
			probe.Batch = x.probe
			plain = t.Time(probe).Value * t.Time(elsewhere(c, x.from)).Value / t.Time(elsewhere(probe, x.from)).Value
		}
		out = append(out, Case{
			Of:    fmt.Sprintf("%s on %s at batch %d from %s", c.Model, c.VM.InstanceType, c.Batch, x.from.VM.InstanceType),
			Truth: t.Time(c).Value, Predicted: e, Plain: plain,
		})
	}
	return out
}

// nearest is how many cells the plain method looks at.
const nearest = 9

// nearestModels is the plain method for a VM type never probed: on each VM type
// where the cell was measured the cells of the most similar times, and the mean
// ratio of their times in the place asked about to those.
func nearestModels(t *transfer.Table, c transfer.Cell) float64 {
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
