package validate

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"sweetspot/engine/profile"
	"sweetspot/engine/transfer"
)

// fromTwoBatches: a model was run on a VM type at two batch sizes. How long does
// another take? With s the smallest measured the two are s and 4·s, s and 16·s,
// and 2·s and 8·s. Everything else in the database is known, including the same
// model on other VM types.
func fromTwoBatches(mode profile.Mode) Question {
	return ofBatches(mode, "batch", "iteration at another batch size, from two on the same VM", twoBatches,
		func(_, _ transfer.Cell) bool { return false })
}

// fromTwoBatchesAlone is the same for a model that was run nowhere else.
func fromTwoBatchesAlone(mode profile.Mode) Question {
	asks := "iteration at another batch size, from two, of a model run nowhere else"
	return ofBatches(mode, "batch-new", asks, twoBatches, wholeModel)
}

// fromThreeBatches: only the smallest, the middle and the largest batch size were
// run, on a single VM type.
func fromThreeBatches(mode profile.Mode) Question {
	asks := "epoch or iteration at another batch size, from the least, the middle and the largest"
	return ofBatches(mode, "batch-three", asks, threeBatches, wholeModel)
}

func ofBatches(mode profile.Mode, name, asks string, probes design, hidden hiding) Question {
	q := named(mode, name, asks)
	q.jobs = func(k *known) []job { return batchJobs(k.transfer(mode), probes, hidden) }
	return q
}

// design lists the sets of batch sizes to take as known, given those measured in
// rising order.
type design func(measured []int) [][]int

func twoBatches(measured []int) [][]int {
	var out [][]int
	s := measured[0]
	for _, pair := range [][]int{{s, 4 * s}, {s, 16 * s}, {2 * s, 8 * s}} {
		if slices.Contains(measured, pair[0]) && slices.Contains(measured, pair[1]) && len(measured) > 2 {
			out = append(out, pair)
		}
	}
	return out
}

func threeBatches(measured []int) [][]int {
	if len(measured) < 4 {
		return nil
	}
	return [][]int{smallestMiddleLargest(measured)}
}

// maxFactor bounds how many times larger or smaller than the known ones a batch
// size asked about may be.
const maxFactor = 4

// hiding says which cells are hidden when the curve of a cell is asked about,
// beside that curve's own batch sizes that are not known.
type hiding func(asked, c transfer.Cell) bool

// wholeModel hides the model everywhere else, in all its variants.
func wholeModel(asked, c transfer.Cell) bool {
	return c.Model == asked.Model && (c.Subject != asked.Subject || c.Platform != asked.Platform)
}

func batchJobs(p *transfer.Predictor, probes design, hidden hiding) []job {
	var out []job
	for _, t := range []*transfer.Table{p.Iterations, p.Epochs} {
		for _, curve := range t.Curves() {
			measured := batches(curve)
			for _, known := range probes(measured) {
				out = append(out, curveJobs(t, curve, known, hidden)...)
			}
		}
	}
	return out
}

func batches(curve []transfer.Cell) []int {
	out := make([]int, len(curve))
	for i, c := range curve {
		out[i] = c.Batch
	}
	return out
}

// curveJobs asks about each batch size of a curve in a job of its own: each is a
// fit of its own.
func curveJobs(t *transfer.Table, curve []transfer.Cell, known []int, hidden hiding) []job {
	asked := curve[0]
	rest := sync.OnceValue(func() *transfer.Table {
		return t.Without(func(c transfer.Cell) bool {
			if c.Subject == asked.Subject && c.Platform == asked.Platform {
				return !slices.Contains(known, c.Batch)
			}
			return hidden(asked, c)
		})
	})
	var out []job
	for _, c := range curve {
		if slices.Contains(known, c.Batch) || c.Batch > maxFactor*known[len(known)-1] || maxFactor*c.Batch < known[0] {
			continue
		}
		out = append(out, job{1, func() []Case {
			e, _ := rest().Predict(c)
			return []Case{{
				Of:    fmt.Sprintf("%s on %s at batch %d from %d", c.Model, c.VM.InstanceType, c.Batch, known),
				Group: c.Model, Truth: t.Time(c).Value, Predicted: e, Plain: straight(t, curve, known, c.Batch),
			}}
		}})
	}
	return out
}

// straight is the baseline: least squares of a + b·B, with relative errors,
// through the known batch sizes.
func straight(t *transfer.Table, curve []transfer.Cell, known []int, batch int) float64 {
	var x, times []float64
	for _, c := range curve {
		if !slices.Contains(known, c.Batch) {
			continue
		}
		y := t.Time(c).Value
		if t.PerEpoch {
			y *= float64(c.Batch)
		}
		x, times = append(x, float64(c.Batch)), append(times, y)
	}
	a, b := transfer.RelativeFit(x, times).Line()
	y := a + b*float64(batch)
	if t.PerEpoch {
		y /= float64(batch)
	}
	if math.IsNaN(y) || y <= 0 {
		return math.NaN()
	}
	return y
}
