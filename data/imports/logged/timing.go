package logged

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
)

// byEpochs reads a log with a point per epoch: epoch_loss of Keras, whose step
// is the epoch, from 0.
func (r *Run) byEpochs(out *profile.Run) bool {
	points := r.training["epoch_loss"]
	if len(points) == 0 {
		return false
	}
	starts := []float64{0}
	for i, p := range points {
		if p.Step != int64(i) || source.Between(r.Began, p.Wall) <= starts[len(starts)-1] {
			return true // epochs are missing: when they began is not known
		}
		if i+1 < len(points) {
			starts = append(starts, source.Between(r.Began, p.Wall))
		}
	}
	out.EpochStartsS, out.Epochs = starts, new(float64(len(points)))
	return true
}

// bySteps reads the seconds of a step, and the steps of an epoch where a tag
// tells the epoch.
func (r *Run) bySteps(out *profile.Run) {
	if points := r.training[epochTag(r.training)]; len(points) > 1 {
		first, last := points[0], points[len(points)-1]
		to := last
		if wholeEpochs(points) { // a number that stays until the next epoch begins
			to = points[slices.IndexFunc(points, func(p Point) bool { return p.Value == last.Value })]
		}
		epochs := to.Value - first.Value
		if steps := float64(to.Step - first.Step); epochs > 0 && steps > 0 {
			out.IterationsPerEpoch = new(steps / epochs)
			out.Epochs = r.epochs(last, *out.IterationsPerEpoch)
		}
	}
	points := r.training[r.longest()]
	seconds := perStep(points)
	if len(seconds) == 0 {
		return
	}
	n := points[len(points)-1].Step - points[0].Step
	mean := (points[len(points)-1].Wall - points[0].Wall) / float64(n)
	out.Steady = estimate.Exact(mean, out.Basis)
	if s := steady.Summarise(seconds); s.IsSteady && s.Steady.Known() {
		out.Steady, out.SteadyN, out.SteadyStdDevS = s.Steady, s.N, &s.StdDev
	}
	if points[0].Wall > r.Began && out.Steady.Value > 0 {
		// Until the first point some steps were done already.
		if start := points[0].Wall - r.Began - float64(points[0].Step)*out.Steady.Value; start > 0 {
			out.StartupS = &start
		}
	}
}

func wholeEpochs(points []Point) bool {
	return !slices.ContainsFunc(points, func(p Point) bool { return p.Value != math.Trunc(p.Value) })
}

// epochs is how many epochs the last step ends; Lightning's tag counts whole
// ones from 0, the Trainer's is their real number.
func (r *Run) epochs(last Point, perEpoch float64) *float64 {
	n := last.Value
	if n == math.Trunc(n) {
		n = math.Max(n, float64(last.Step+1)/perEpoch)
	}
	if !(n > 0) {
		return nil
	}
	return &n
}

func epochTag(series map[string][]Point) string {
	for _, tag := range []string{"epoch", "train/epoch"} {
		if len(series[tag]) > 0 {
			return tag
		}
	}
	return ""
}

// longest is the series of the training that tells most of its steps: a loss,
// of several the one with the most points.
func (r *Run) longest() (best string) {
	isLoss := func(tag string) bool { return strings.Contains(strings.ToLower(tag), "loss") }
	for tag, points := range r.training {
		if best == "" || cmp.Or(boolean(isLoss(best), isLoss(tag)), cmp.Compare(len(points), len(r.training[best])),
			cmp.Compare(best, tag)) > 0 {
			best = tag
		}
	}
	return best
}

// boolean orders false before true.
func boolean(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return 1
	}
	return -1
}

// startedAgain reports whether the steps of the training go back: the clock then
// does not go on with them.
func (r *Run) startedAgain() bool {
	points := r.training[r.longest()]
	return !slices.IsSortedFunc(points, func(a, b Point) int { return cmp.Compare(a.Step, b.Step) })
}

// perStep are the seconds of a step between each two points.
func perStep(points []Point) (seconds []float64) {
	for i := 1; i < len(points); i++ {
		if steps := points[i].Step - points[i-1].Step; steps > 0 && points[i].Wall > points[i-1].Wall {
			seconds = append(seconds, (points[i].Wall-points[i-1].Wall)/float64(steps))
		}
	}
	return seconds
}

// validations takes the series that says most of what the model is worth.
func (r *Run) validations(out *profile.Run) {
	best := source.BestMetric(slices.Collect(maps.Keys(r.validation)))
	ofEpochs := strings.HasPrefix(best, "epoch_")
	for i, p := range r.validation[best] {
		at := max(0, source.Between(r.Began, p.Wall))
		v := profile.Validation{Metric: best, Value: &p.Value, HigherIsBetter: source.HigherIsBetter(best),
			AtS: &at, Epoch: i}
		switch {
		case ofEpochs && p.Step < 1e6:
			v.Epoch = int(p.Step)
		case out.IterationsPerEpoch != nil:
			v.Epoch = max(0, int(math.Ceil(float64(p.Step) / *out.IterationsPerEpoch - 1e-6))-1)
		case out.EpochStartsS != nil:
			v.Epoch = max(0, out.EpochAt(at))
		}
		out.Validations = append(out.Validations, v)
	}
	slices.SortStableFunc(out.Validations, func(a, b profile.Validation) int { return cmp.Compare(*a.AtS, *b.AtS) })
}
