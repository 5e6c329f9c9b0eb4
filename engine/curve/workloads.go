package curve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

// Key identifies a workload of a profile set.
type Key struct {
	Model, Dataset, Variant string
	Metric                  string
}

// KeyOf is the key of the workload that training a variant of a model belongs to.
// The learning rate and the machine are not part of it.
func KeyOf(model, dataset string, v profile.Variant, metric string) Key {
	id := v.Name + "\x00" + v.Precision
	if p := v.Pruning; p != nil {
		id += "\x00" + p.Kind
		if p.Ratio != nil {
			id += "\x00" + strconv.FormatFloat(*p.Ratio, 'g', -1, 64)
		}
		id += "\x00" + fmt.Sprint(p.Layers) // fmt sorts maps
	}
	return Key{model, dataset, id, metric}
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
		key := KeyOf(r.Model, r.Dataset, r.Variant, metric)
		runs[key], higher[key] = append(runs[key], o), better
	}
	keys := slices.SortedFunc(maps.Keys(runs), func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Dataset, b.Dataset),
			cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.Metric, b.Metric))
	})
	out := make([]Keyed, len(keys))
	for i, k := range keys {
		out[i] = Keyed{k, New(runs[k], higher[k])}
	}
	return out
}

// observed is the learning curve of a training run by its first metric.
func observed(r profile.Run) (o LearningCurve, metric string, higher, ok bool) {
	if r.Mode != profile.Train || r.BatchSize < 1 || len(r.Validations) == 0 || r.Basis == estimate.Unknown {
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
