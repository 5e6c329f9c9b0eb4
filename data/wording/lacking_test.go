package wording

import (
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// What a question lacks is said with a next step that works: of --epochs and
// --target-accuracy none points to the other where that would fail as well.
func TestLacking(t *testing.T) {
	timed := profile.Run{Model: "net", Mode: profile.Train, Steady: estimate.Exact(0.1, estimate.Measured)}
	epochs := timed
	epochs.IterationsPerEpoch = new(100.0)
	course := func(metric string, higher bool, values ...float64) profile.Run {
		r := epochs
		for e, v := range values {
			r.Validations = append(r.Validations, profile.Validation{Epoch: e, Metric: metric, Value: &v,
				HigherIsBetter: higher})
		}
		return r
	}
	target := func(v float64) question.Workload { return question.Workload{TargetAccuracy: &v} }
	for name, c := range map[string]struct {
		run  profile.Run
		of   question.Workload
		says string // what else it says, "" for nothing at all
		not  string
	}{
		"no validation": {epochs, target(0.9),
			"let one train on: sweetspot probe --keep-running;or rank with --epochs N", "-"},
		"neither":     {timed, target(0.9), "has shown an accuracy;--keep-running", "--epochs"},
		"only a loss": {course("loss", false, 0.5), target(0.9), "has shown an accuracy", "reached"},
		"too low": {course("accuracy", true, 0.5, 0.7), target(0.9),
			"the best came to 70.0 %;ask for less", "probe"},
		"of an error": {course("error", false, 0.5, 0.3), target(0.2), "the best came to 30.0 %",
			"probe"},
		"reached":          {course("accuracy", true, 0.5, 0.7), target(0.7), "", "-"},
		"reached an error": {course("error", false, 0.5, 0.1), target(0.2), "", "-"},
		"epochs unknown":   {epochs, question.Workload{}, "ask sweetspot rank --epochs N", "target"},
		"length of an epoch unknown": {timed, question.Workload{Epochs: new(5.0)},
			"how many iterations an epoch has;--keep-running", "--epochs"},
		"the same without the epochs": {timed, question.Workload{}, "how many iterations an epoch has;--keep-running",
			"--epochs"},
		"all there is for some epochs": {epochs, question.Workload{Epochs: new(5.0)}, "", "-"},
	} {
		q := question.Query{Workload: c.of}
		q.Model, q.Mode = "net", profile.Train
		got := Lacking(&profile.Set{Runs: []profile.Run{c.run}}, q)
		if (got == "") != (c.says == "") || strings.Contains(got, c.not) && c.not != "-" {
			t.Errorf("%s: %s", name, got)
		}
		for part := range strings.SplitSeq(c.says, ";") {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q lacks %q", name, got, part)
			}
		}
	}
}
