package explore

import (
	"slices"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// The dial of trainings of one's own is in the epochs of the newest, and shows how long each
// run was to be: 50 epochs of 6,000 are 5 of 60,000.
func TestTheDialOfOnesOwnTrainings(t *testing.T) {
	set := &profile.Set{}
	for i, size := range []float64{6000, 60000} {
		set.Runs = append(set.Runs, profile.Run{ID: int64(i + 1), Model: "train", Mode: profile.Train, Unit: "image",
			InstanceType: "desk", Count: 1, Command: []string{"python3", "train.py"}, BatchSize: 64, TrainSize: &size,
			IterationsPerEpoch: new(size / 64), Epochs: new([]float64{50, 20}[i]),
			Steady: estimate.Around(0.01, 1e-4, estimate.Measured), Status: profile.Done, Basis: estimate.Measured})
	}
	q := question.Default()
	q.Model, q.Mode = "train", profile.Train
	a := Ask(1, set, q, nil)
	if got := a.Question; *got.Epochs != 20 || *got.TrainSize != 60000 || sizeNote(got.Workload) != "of 60,000 images" {
		t.Errorf("asked for %v epochs %s", got.Epochs, sizeNote(got.Workload))
	}
	if got := a.announced; !slices.Equal(got, []float64{5, 20}) {
		t.Errorf("announced %v", got)
	}
	c := newConstraints()
	c.load(a.Question, "image")
	c.show(a)
	if v, _ := c.dial().Value(); v != 20 || len(c.dial().Histogram) == 0 {
		t.Errorf("at %g, %v", v, c.dial().Histogram)
	}
	if _, err := parseOwnEpochs("0"); err == nil {
		t.Error("as each source: there is none but the user")
	}
}
