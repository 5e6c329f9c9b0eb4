// Package curve predicts after how many epochs a training reaches an accuracy,
// at batch sizes that were never trained with.
//
// The epochs to a target grow with the batch size B as a·(1 + B/K): a is what
// small batches need, and at K, the critical batch size, twice as many are needed
// (McCandlish and others, 2018, arXiv 1812.06162). With one learning rate for all
// batch sizes a training also slows down towards both ends of the range in which
// the target can be reached at all. Two terms model that, c·(S/B)² and d·(B/L)²,
// with S the smallest and L the largest batch size trained with. K is fitted to
// the target and all easier ones of the workload together, since few epochs say
// little about it; a, c and d, which are not negative, are fitted to the target.
package curve

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

// Point is the metric of a training after a number of epochs.
type Point struct {
	Epochs float64 // finished, 1 after the first
	Value  float64 // of the metric
}

// LearningCurve is one training run, complete or not.
type LearningCurve struct {
	Batch  float64 // global batch size, above 0
	Points []Point // by rising epochs
	// Converged says that the run went on until it no longer improved, so that a
	// target it did not reach is one it never reaches.
	Converged bool
	Basis     estimate.Basis
}

// Workload holds the training runs of one model, variant and dataset with several
// batch sizes. It is safe for concurrent use.
type Workload struct {
	HigherIsBetter bool      // of its metric
	Batches        []float64 // sizes trained with, rising

	runs   [][]LearningCurve // of each batch size; values oriented so that higher is better, only improving points kept
	levels []float64         // oriented values that runs reached, rising
}

// maxLevels bounds the number of easier targets in a fit, and so its time.
const maxLevels = 16

// New collects the runs of one workload. higherIsBetter is the direction of its
// metric.
func New(runs []LearningCurve, higherIsBetter bool) *Workload {
	w := &Workload{HigherIsBetter: higherIsBetter}
	for _, r := range runs {
		if r.Points = w.improving(r.Points); !(r.Batch > 0) || len(r.Points) == 0 {
			continue
		}
		for _, p := range r.Points {
			w.levels = append(w.levels, p.Value)
		}
		i, known := slices.BinarySearch(w.Batches, r.Batch)
		if !known {
			w.Batches = slices.Insert(w.Batches, i, r.Batch)
			w.runs = slices.Insert(w.runs, i, nil)
		}
		w.runs[i] = append(w.runs[i], r)
	}
	slices.Sort(w.levels)
	w.levels = slices.Compact(w.levels)
	return w
}

func (w *Workload) with(batch float64) []LearningCurve {
	if i, known := slices.BinarySearch(w.Batches, batch); known {
		return w.runs[i]
	}
	return nil
}

// improving keeps the points that are better than all before, oriented so that
// higher is better.
func (w *Workload) improving(points []Point) []Point {
	var out []Point
	for _, p := range points {
		p.Value = w.oriented(p.Value)
		if math.IsNaN(p.Value) || p.Epochs <= 0 {
			continue
		}
		if len(out) == 0 || p.Value > out[len(out)-1].Value {
			out = append(out, p)
		}
	}
	return out
}

func (w *Workload) oriented(value float64) float64 {
	if w.HigherIsBetter {
		return value
	}
	return -value
}

// Levels lists at most n values of the metric that runs reached, from easy to
// hard, the hardest included.
func (w *Workload) Levels(n int) []float64 {
	levels := thin(w.levels, n)
	for i, v := range levels {
		levels[i] = w.oriented(v)
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

// reach is the number of epochs after which the run reached an oriented value.
// Between two evaluations that are several epochs apart the epochs are
// interpolated by their logarithm and rounded up.
func (r LearningCurve) reach(value float64) (epochs float64, reached bool) {
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

// Reached counts the runs with one batch size that did and did not reach a target.
type Reached struct {
	Runs   int     // converged runs, and others that reached it
	Never  int     // converged runs that never reached it
	Epochs float64 // mean epochs of those that reached it; 0 if none did
}

// Reached counts the runs with exactly this batch size.
func (w *Workload) Reached(batch, target float64) Reached {
	out, sum := Reached{}, 0.0
	for _, r := range w.with(batch) {
		if e, ok := r.reach(w.oriented(target)); ok {
			out.Runs++
			sum += e
		} else if r.Converged {
			out.Runs++
			out.Never++
		}
	}
	if n := out.Runs - out.Never; n > 0 {
		out.Epochs = sum / float64(n)
	}
	return out
}

// Option is a batch size to choose from.
type Option struct {
	Batch    float64
	Epochs   float64 // expected, to the target
	PerEpoch float64 // US dollars, or seconds, of an epoch
	Tried    bool    // some training used it
	Error    float64 // standard error of ln(Epochs) where Tried
	Never    float64 // probability that the target is never reached; NaN is taken as 0
}

// untriedMarkup is how much more than predicted an untried batch size costs on
// average, as a fraction: now and then it needs many more epochs (the mean of
// true over predicted epochs on Zeus' trace, NSDI 2023, is 1.03 to 1.09). A
// greater one favours the batch sizes that were tried.
const untriedMarkup = 0.08

// selectionBias is by how many standard errors the least of a few means is too
// low: of two equal ones the lesser is, on average, 0.56 too low. A greater one
// favours batch sizes trained with more seeds.
const selectionBias = 0.5

// Choose returns the index of the option of least expected cost until a training
// reaches the target, -1 without options. The markups above apply. An untried
// batch size is not assumed to need fewer epochs than the tried ones next to it:
// it has to be cheaper by its faster epochs.
func Choose(options []Option) int {
	best, least := -1, math.Inf(1)
	for i, o := range options {
		cost := o.Epochs * o.PerEpoch * (1 + selectionBias*o.Error)
		if !o.Tried {
			cost = math.Max(o.Epochs, leastBeside(options, o.Batch)) * o.PerEpoch * (1 + untriedMarkup)
		}
		if o.Never > 0 {
			cost /= math.Max(1-o.Never, 1e-9) // the expected number of attempts is 1/(1-Never)
		}
		if cost < least {
			best, least = i, cost
		}
	}
	return best
}

// leastBeside is the lesser number of epochs of the next tried batch sizes below
// and above; 0 where none was tried.
func leastBeside(options []Option, batch float64) float64 {
	below, above := Option{Epochs: math.Inf(1)}, Option{Batch: math.Inf(1), Epochs: math.Inf(1)}
	for _, o := range options {
		switch {
		case !o.Tried:
		case o.Batch <= batch && o.Batch > below.Batch:
			below = o
		case o.Batch >= batch && o.Batch < above.Batch:
			above = o
		}
	}
	if !below.Tried && !above.Tried {
		return 0
	}
	return math.Min(below.Epochs, above.Epochs)
}

// Key identifies a workload of a profile set.
type Key struct {
	Model, Dataset, Variant string
	Metric                  string
	Size                    float64 // units in the training set, of one's own trainings; else 0
}

// KeyOf is the key of the workload that a training belongs to, judged by a metric. The
// learning rate and the machine are not part of it. One's own trainings on another amount
// of data are another workload.
func KeyOf(r profile.Run, metric string) Key {
	k := Key{r.Model, r.Dataset, r.Variant.Key(), metric, 0}
	if r.Command != nil && r.TrainSize != nil {
		k.Size = *r.TrainSize
	}
	return k
}

// Keyed is a workload and its key.
type Keyed struct {
	Key
	*Workload
}

// Workloads collects the set's training runs that were evaluated, ordered by key.
func Workloads(set *profile.Set) []Keyed {
	runs, higher := map[Key][]LearningCurve{}, map[Key]bool{}
	for _, r := range set.Runs {
		o, metric, better, ok := observed(r)
		if !ok {
			continue
		}
		key := KeyOf(r, metric)
		runs[key], higher[key] = append(runs[key], o), better
	}
	keys := slices.SortedFunc(maps.Keys(runs), func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Dataset, b.Dataset),
			cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.Metric, b.Metric),
			cmp.Compare(a.Size, b.Size))
	})
	out := make([]Keyed, len(keys))
	for i, k := range keys {
		out[i] = Keyed{k, New(runs[k], higher[k])}
	}
	return out
}

// observed is the learning curve of a training run by its first metric.
func observed(r profile.Run) (o LearningCurve, metric string, higher, ok bool) {
	if r.Mode != profile.Train || r.BatchSize < 1 || len(r.Validations) == 0 || r.Basis == estimate.Unknown ||
		r.Steps != nil { // its validations come by steps, and not at the ends of epochs
		return LearningCurve{}, "", false, false
	}
	metric, higher = r.Validations[0].Metric, r.Validations[0].HigherIsBetter
	o = LearningCurve{Batch: float64(r.BatchSize), Basis: r.Basis}
	var values []float64
	for _, v := range r.Validations {
		if v.Metric != metric || v.Value == nil {
			continue
		}
		o.Points = append(o.Points, Point{float64(v.Epoch + 1), *v.Value})
		values = append(values, *v.Value)
	}
	slices.SortStableFunc(o.Points, func(a, b Point) int { return cmp.Compare(a.Epochs, b.Epochs) })
	o.Converged = converged(r, o.Points, values, higher)
	return o, metric, higher, len(o.Points) > 0
}

// A run has converged after patience epochs without improvement (early stopping,
// 5 in Malta's thesis), or at its planned end after at least minEpochs. Greater
// ones leave more runs incomplete, which then bound a target from below only.
const (
	patience  = 5
	minEpochs = 10
)

// converged reports whether a run has shown what it can: it no longer improved for
// patience epochs, or it completed the epochs it was meant for and these were
// either many or those that its authors published.
func converged(r profile.Run, points []Point, values []float64, higher bool) bool {
	if r.Status != profile.Done || len(points) == 0 {
		return false
	}
	if i := training.StabilisationPoint(values, higher, patience); i >= 0 {
		return true
	}
	last := points[len(points)-1].Epochs
	if r.Epochs == nil || last < *r.Epochs {
		return false
	}
	return last >= minEpochs || r.Basis == estimate.Published
}
