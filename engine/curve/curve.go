// Package curve predicts after how many epochs a training reaches an accuracy,
// at batch sizes that were never trained with.
//
// The epochs to a target grow with the batch size B as a·(1 + B/K): a is what
// small batches need, and K, the critical batch size, is where each further
// sample of a batch is worth half (McCandlish and others, 2018, arXiv
// 1812.06162). With one learning rate for all batch sizes a training also slows
// down towards both ends of the batch sizes at which the target can be reached
// at all; two terms that fall off with the square of the distance from the
// smallest and the largest batch size trained with, c·(S/B)² and d·(B/L)²,
// stand for that. K is taken from the target and all easier ones of the
// workload together, since few epochs say little about it; a, c and d, none
// below 0, are the target's own.
package curve

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/estimate"
)

// Point is what was known of a training after a number of epochs.
type Point struct {
	Epochs float64 // finished, so 1 after the first
	Value  float64 // of the metric
}

// Observed is one training run, whole or a beginning.
type Observed struct {
	Batch  float64 // global batch size, above 0
	Points []Point // by rising epochs
	// Whole says that the run has shown what it can: a target it did not reach
	// is one it never reaches. Of a beginning that is not known.
	Whole bool
	Basis estimate.Basis
}

// Workload is what was seen of one model, variant and dataset trained with
// several batch sizes. It is safe for concurrent use.
type Workload struct {
	higher  bool
	batches []float64    // trained with, rising
	runs    [][]Observed // with each; values turned so that higher is better, only improving points kept
	levels  []float64    // values that runs reached, turned like theirs, rising
}

// maxLevels bounds the easier targets a fit looks at; more add nothing.
const maxLevels = 16

// New puts runs of one workload together. higherIsBetter is the direction of
// its metric.
func New(runs []Observed, higherIsBetter bool) *Workload {
	w := &Workload{higher: higherIsBetter}
	for _, r := range runs {
		if r.Points = w.improving(r.Points); !(r.Batch > 0) || len(r.Points) == 0 {
			continue
		}
		for _, p := range r.Points {
			w.levels = append(w.levels, p.Value)
		}
		i, known := slices.BinarySearch(w.batches, r.Batch)
		if !known {
			w.batches = slices.Insert(w.batches, i, r.Batch)
			w.runs = slices.Insert(w.runs, i, nil)
		}
		w.runs[i] = append(w.runs[i], r)
	}
	slices.Sort(w.levels)
	w.levels = slices.Compact(w.levels)
	return w
}

// with are the runs with a batch size.
func (w *Workload) with(batch float64) []Observed {
	if i, known := slices.BinarySearch(w.batches, batch); known {
		return w.runs[i]
	}
	return nil
}

// improving keeps the points that are better than all before, with values
// turned so that higher is better.
func (w *Workload) improving(points []Point) []Point {
	var out []Point
	for _, p := range points {
		p.Value = w.turned(p.Value)
		if math.IsNaN(p.Value) || p.Epochs <= 0 {
			continue
		}
		if len(out) == 0 || p.Value > out[len(out)-1].Value {
			out = append(out, p)
		}
	}
	return out
}

func (w *Workload) turned(value float64) float64 {
	if w.higher {
		return value
	}
	return -value
}

// HigherIsBetter is the direction of the workload's metric.
func (w *Workload) HigherIsBetter() bool { return w.higher }

// Batches are the batch sizes trained with, rising.
func (w *Workload) Batches() []float64 { return slices.Clone(w.batches) }

// Levels are values of the metric that runs reached, from easy to hard, at most
// n of them, the hardest included.
func (w *Workload) Levels(n int) []float64 {
	levels := thin(w.levels, n)
	for i, v := range levels {
		levels[i] = w.turned(v)
	}
	return levels
}

// thin picks n of the values evenly, first and last included.
func thin(values []float64, n int) []float64 {
	if len(values) <= n || n < 2 {
		return slices.Clone(values)
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = values[i*(len(values)-1)/(n-1)]
	}
	return out
}

// reach is the number of epochs after which the run reached a turned value. Of
// a target between two evaluations that lie several epochs apart the epochs are
// interpolated, by the logarithm, and count to the end of the last.
func (r Observed) reach(value float64) (epochs float64, reached bool) {
	i, _ := slices.BinarySearchFunc(r.Points, value, func(p Point, v float64) int { return cmp.Compare(p.Value, v) })
	if i == len(r.Points) {
		return 0, false
	}
	at := r.Points[i]
	if i == 0 || at.Value == value {
		return at.Epochs, true
	}
	before := r.Points[i-1]
	if at.Epochs <= before.Epochs+1 {
		return at.Epochs, true
	}
	share := (value - before.Value) / (at.Value - before.Value)
	between := before.Epochs * math.Pow(at.Epochs/before.Epochs, share)
	return math.Max(math.Ceil(between-1e-9), 1), true
}

// Reached is what the runs with one batch size say of a target.
type Reached struct {
	Runs   int     // whole runs, and beginnings that reached it
	Never  int     // of them, those that never reached it
	Epochs float64 // mean of the others; 0 if there are none
}

// Reached counts the runs with exactly this batch size.
func (w *Workload) Reached(batch, target float64) Reached {
	out, sum := Reached{}, 0.0
	for _, r := range w.with(batch) {
		if e, ok := r.reach(w.turned(target)); ok {
			out.Runs++
			sum += e
		} else if r.Whole {
			out.Runs++
			out.Never++
		}
	}
	if n := out.Runs - out.Never; n > 0 {
		out.Epochs = sum / float64(n)
	}
	return out
}
