// Package logged turns what a training logged, series of scalars with a wall clock and
// a step, into a run: TensorBoard, MLflow and Weights & Biases keep the same.
//
// From the points of the training's loss follow the seconds of a step: the mean of
// the steady part, pauses between two points included, such as evaluations. A tag
// epoch gives the steps of an epoch; Keras's epoch_loss has a point per epoch.
package logged

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"sweetspot/data/imports/source"
	"sweetspot/data/textfile"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Point is a scalar as it was logged: when, in seconds since 1970, and at which step.
type Point struct {
	Wall  float64
	Step  int64
	Value float64
}

// LatestWall is a time after which no clock is believed, in seconds since 1970.
const LatestWall = 1e11

// Limits beside those of all formats.
const (
	maxPoints = 5_000_000
	maxTags   = 10_000
)

// Run is the series of a training by their tags.
type Run struct {
	Began, Ended         float64 // NaN before the first point
	Points               int
	Undated              bool // the clock counts from the start of the run, whose day is unknown
	training, validation map[string][]Point
	power                map[string][]float64 // watts, by GPU
}

// New is a run of which nothing is known yet.
func New() *Run {
	return &Run{Began: math.NaN(), Ended: math.NaN(), training: map[string][]Point{}, validation: map[string][]Point{},
		power: map[string][]float64{}}
}

// Begin notes a time at which the run went on.
func (r *Run) Begin(wall float64) {
	if !(wall >= r.Began) {
		r.Began = wall
	}
}

// IsValidation reports whether a point is of a validation, by its tag or by the
// folder it is from.
func IsValidation(folder, tag string) bool {
	words := strings.FieldsFunc(strings.ToLower(tag), func(r rune) bool { return strings.ContainsRune("_/-.", r) })
	for _, w := range []string{"val", "valid", "validation", "eval", "test"} {
		if slices.Contains(words, w) || (folder == w && !slices.Contains(words, "train")) {
			return true
		}
	}
	return false
}

// Add adds a point; one that is not a number or has no step is left out.
func (r *Run) Add(tag string, validation bool, p Point) error {
	if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) || math.Abs(p.Value) > estimate.Largest || p.Step < 0 ||
		!(p.Wall > 0) || p.Wall > LatestWall {
		return nil
	}
	to := r.training
	if validation {
		to = r.validation
	}
	tag = source.Text(tag)
	if r.Points++; r.Points > maxPoints || (len(to) >= maxTags && to[tag] == nil) {
		return &textfile.Error{What: "more than five million scalars or ten thousand tags; log less often"}
	}
	to[tag] = append(to[tag], p)
	r.Begin(p.Wall)
	if !(p.Wall <= r.Ended) {
		r.Ended = p.Wall
	}
	return nil
}

// maxGPUs bounds the GPUs whose power is kept.
const maxGPUs = 1024

// AddPower adds what a sensor of a GPU said, in watts.
func (r *Run) AddPower(gpu string, watts float64) {
	if watts > 0 && watts < 1e5 && (r.power[gpu] != nil || len(r.power) < maxGPUs) && len(r.power[gpu]) < maxPoints {
		r.power[gpu] = append(r.power[gpu], watts)
	}
}

// Report completes a run that begins as out and reports it.
func (r *Run) Report(report *source.Report, out profile.Run) {
	configured := out.Epochs
	out.Epochs = nil
	out.Mode, out.Count, out.Basis = profile.Train, 1, estimate.Measured
	out.Status = cmp.Or(out.Status, profile.Done)
	if !r.Undated {
		out.AsOf = time.Unix(int64(r.Began), 0).UTC().Format(time.DateOnly)
	}
	for _, series := range []map[string][]Point{r.training, r.validation} {
		for _, points := range series { // several files of a training may hold them
			slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.Wall, b.Wall) })
		}
	}
	if total := source.Between(r.Began, r.Ended); total > 0 {
		out.TotalS = &total
	}
	if r.startedAgain() {
		out.TotalS = nil
		report.Note("its steps go back, so it was started again, and how long it took in all is unknown")
	} else if !r.byEpochs(&out) {
		r.bySteps(&out)
	}
	// What a training was to take is exact where it took about that.
	switch {
	case configured == nil:
	case out.Epochs == nil && out.Status == profile.Done, out.Epochs != nil && math.Abs(*out.Epochs-*configured) < 1:
		out.Epochs = configured
	}
	r.validations(&out)
	r.energy(&out)
	source.LastAccuracy(&out)
	if source.Fractions(&out) {
		report.Note("%s is in percent and taken as a fraction", out.Validations[0].Metric)
	}
	if out.Epochs == nil {
		report.Note("no tag gives the epochs, so how long a training of a number of epochs takes is not known")
	}
	if out.BatchSize == 0 {
		report.Note("the batch size is unknown; give it with --batch")
	}
	report.Set = &profile.Set{Runs: []profile.Run{out},
		Models: []profile.Model{{Name: out.Model, Dataset: out.Dataset, Unit: out.Unit}}}
}

// energy is the mean power of all GPUs, whose readings are spread over the run.
func (r *Run) energy(out *profile.Run) {
	var watts float64
	for _, gpu := range slices.Sorted(maps.Keys(r.power)) {
		var sum float64
		readings := r.power[gpu]
		for _, w := range readings {
			sum += w
		}
		watts += sum / float64(len(readings))
	}
	if watts == 0 {
		return
	}
	out.AveragePowerW, out.EnergyOf = &watts, profile.EnergyOfGPUs
	if out.Steady.Known() && out.BatchSize > 0 {
		out.EnergyJPerUnit = new(watts * out.Steady.Value / float64(out.BatchSize))
	}
}
