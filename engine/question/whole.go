package question

import (
	"cmp"

	"sweetspot/engine/profile"
)

// Whole completes the question about a training of the user's own: without further words it
// is the whole training that the newest run of the model announced, so many epochs of so many
// units, or as many units as its steps take. Runs with another number of units in their training
// set answer for that as well; see [sweetspot/engine/training.Resized]. Where no run of the model was probed, as with
// what others published, the question stays as it is.
func (w Workload) Whole(set *profile.Set) Workload {
	if w.Mode != profile.Train || w.Tuning != nil {
		return w
	}
	var newest, announcing, sized *profile.Run
	later := func(a, b *profile.Run) bool { return a == nil || b.ID > a.ID }
	for i := range set.Runs {
		r := &set.Runs[i]
		if r.Model != w.Model || r.Mode != w.Mode || r.Command == nil || !r.Answers() && !r.IsLook() {
			continue
		}
		if later(newest, r) {
			newest = r
		}
		if r.Epochs != nil && later(announcing, r) {
			announcing = r
		}
		if r.TrainSize != nil && later(sized, r) {
			sized = r
		}
	}
	if newest == nil {
		return w
	}
	if w.TrainSize == nil && sized != nil {
		w.TrainSize = sized.TrainSize
	}
	if w.Counted = (Counted{}); announcing != nil && announcing.Steps != nil {
		w.Counted = countedBy(*announcing, w.TrainSize)
	}
	if !w.SaysLength() {
		w.Epochs = new(float64(DefaultEpochs))
		if announcing != nil {
			w.Epochs = announcing.Epochs
		}
	}
	w.Unit = cmp.Or(w.Unit, newest.Unit)
	return w
}

// countedBy is how the script of a run counts its steps, with so many units in an epoch.
func countedBy(r profile.Run, units *float64) (c Counted) {
	if r.IterationsPerEpoch != nil {
		c.StepsPerEpoch = *r.IterationsPerEpoch
	}
	if c.Batch = r.BatchSize; units != nil && r.BatchSize > 0 {
		c.StepsPerEpoch = *units / float64(r.BatchSize)
	}
	return c
}
