package explore

import (
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/training"
	"sweetspot/tui/screen"
	"sweetspot/tui/state"
	"sweetspot/tui/theme"
)

// The length of trainings of one's own is in the epochs of the newest, and shows how long each
// run was to be: 50 epochs of 6,000 are 5 of 60,000.
func TestTheLengthOfOnesOwnTrainings(t *testing.T) {
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
	if v, _ := c.length().Value(); v != 20 || len(c.length().Histogram) == 0 {
		t.Errorf("at %g, %v", v, c.length().Histogram)
	}
	if _, err := parseOwnEpochs("0"); err == nil {
		t.Error("as each source: there is none but the user")
	}
}

// The length of a training counted in steps is in those of the newest run's batch size, with each
// run's own mark; fixed, it is the steps at every batch size.
func TestTheLengthInSteps(t *testing.T) {
	set := &profile.Set{}
	for i, batch := range []int{128, 64} {
		set.Runs = append(set.Runs, training.InEpochs(profile.Run{ID: int64(i + 1), Model: "lm", Mode: profile.Train,
			Unit: "sample", InstanceType: "desk", Count: 1, Command: []string{"python3", "lm.py"}, BatchSize: batch,
			Steps: new([]float64{5000, 20000}[i]), Steady: estimate.Around(0.01, 1e-4, estimate.Measured),
			Status: profile.Done, Basis: estimate.Measured}))
	}
	q := question.Default()
	q.Model, q.Mode = "lm", profile.Train
	c := newConstraints()
	shown := func(q question.Query) *Answer {
		a := Ask(1, set, q, nil)
		c.load(a.Question, "sample")
		c.show(a)
		return a
	}
	a := shown(q)
	if got := a.announced; !slices.Equal(got, []float64{10000, 20000}) {
		t.Errorf("announced %v", got)
	}
	if v, _ := c.length().Value(); v != 20000 || c.length().Label() != "steps" ||
		sizeNote(a.Question.Workload) != "of 64 samples" {
		t.Errorf("%s at %g, %s", c.length().Label(), v, sizeNote(a.Question.Workload))
	}
	q = a.Question
	c.length().Set(1000)
	c.save(len(c.limits), &q)
	if *q.Epochs**q.TrainSize != 64000 {
		t.Errorf("1,000 steps are %g epochs of %g", *q.Epochs, *q.TrainSize)
	}
	q.Steps, q.Epochs = new(3000.0), nil
	a = shown(q)
	if v, _ := c.length().Value(); v != 3000 || c.length().Label() != "steps" ||
		!slices.Equal(a.announced, []float64{5000, 20000}) || sizeNote(a.Question.Workload) != "at every batch size" {
		t.Errorf("fixed at %g, announced %v", v, a.announced)
	}
	c.length().Set(4000)
	if c.save(len(c.limits), &q); *q.Steps != 4000 || q.Epochs != nil {
		t.Errorf("moved to %v steps, %v epochs", q.Steps, q.Epochs)
	}
}

// A session goes on with the question of the last one, unless something was measured
// since: that is what it opens on.
func TestASessionOpensOnWhatIsNew(t *testing.T) {
	set := metered()
	newest := set.Runs[len(set.Runs)-1].ID
	old := set.Runs[0]
	old.Model, old.ID = "old", -1
	set.Models = append(set.Models, profile.Model{Name: "old"})
	set.Runs = append(set.Runs, old)
	clock := func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	q := question.Default()
	q.Model, q.Mode = "old", profile.Train
	for name, c := range map[string]struct {
		noted *int64
		want  string
	}{"nothing noted": {nil, "old"}, "nothing new": {new(newest), "old"}, "a new run": {new(newest - 1), "net"}} {
		s := New(&screen.Shell{Ctx: t.Context(), Theme: theme.New("", true, false), After: clock},
			state.State{Question: &q, NewestRun: c.noted}, time.Time{})
		s.SetSize(120, 40)
		s.stored = set
		s.Receive(s.askSet()())
		if got := s.Question().Model; got != c.want {
			t.Errorf("%s: it opens on %s, not %s", name, got, c.want)
		}
		var left state.State
		if s.Remember(&left); left.NewestRun == nil || *left.NewestRun != newest {
			t.Errorf("%s: noted %v, not %d", name, left.NewestRun, newest)
		}
	}
}
