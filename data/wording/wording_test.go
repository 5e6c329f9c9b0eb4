package wording

import (
	"strings"
	"testing"
	"time"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

func TestWhyNothing(t *testing.T) {
	with := func(seconds, usd, accuracy float64) candidate.Candidate {
		return candidate.Candidate{
			Time: estimate.Spread(seconds, 0.1, estimate.Measured), Cost: estimate.Spread(usd, 0.1, estimate.Measured),
			Quality: &candidate.Quality{Metric: "top-1", Estimate: estimate.Exact(accuracy, estimate.Measured),
				HigherIsBetter: true},
		}
	}
	space := rank.NewSpace(candidate.ListOf(with(100, 5, 0.9), with(1000, 2, 0.8)))
	for name, c := range map[string]struct {
		limits question.Limits
		want   string
	}{
		"time": {question.Limits{objective.Time: 60.0}, "time rules out all 2 candidates (the fastest takes 1 m 40 s)"},
		"cost": {question.Limits{objective.Cost: 1.0}, "cost rules out all 2 candidates (the cheapest costs $2.00)"},
		"accuracy": {question.Limits{objective.Accuracy: 0.95},
			"accuracy rules out all 2 candidates (the best reaches 90.0 %)"},
		"together": {question.Limits{objective.Time: 200.0, objective.Cost: 3.0}, "no constraint alone, but together " +
			"they rule out all 2 candidates (time rules out 1, cost rules out 1); loosen one"},
	} {
		if got := WhyNothing(rank.Evaluate(space, question.Query{Limits: c.limits})); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestWarnings(t *testing.T) {
	printed := candidate.Candidate{AsPrinted: true, Time: estimate.Spread(1, 0.1, estimate.Published),
		Configuration: []candidate.Part{{USDPerHour: new(1.0), Count: 1}}}
	space := rank.NewSpace(candidate.ListOf(printed))
	for order, want := range map[question.Sort]string{question.ByTime: "1 candidate answers with a total",
		"energy": "no energy is known of any candidate, so they are in the order of their times",
		"car":    "no CAR is known of any candidate, so they are in the order of their times"} {
		got := strings.Join(Warnings(rank.Evaluate(space, question.Query{Sort: order}), time.Now()), "; ")
		if !strings.Contains(got, want) || strings.Contains(got, "is known of any") != (order != question.ByTime) {
			t.Errorf("by %s: %q", order, got)
		}
	}
}

// A time estimated from the first epochs comes with its range and why it is so wide.
func TestWarningOfFirstEpochs(t *testing.T) {
	of := func(why string) string {
		c := candidate.Candidate{FromEpochs: true, Why: why, Time: estimate.Estimate{Value: 3600, Low: 1800, High: 10800,
			Basis: estimate.Measured}, Configuration: []candidate.Part{{USDPerHour: new(1.0), Count: 1}}}
		r := rank.Evaluate(rank.NewSpace(candidate.ListOf(c)), question.Query{Sort: question.ByTime})
		return strings.Join(Warnings(r, time.Now()), "; ")
	}
	if got := of("images may grow"); !strings.Contains(got, "epochs only (30 m 00 s to 3 h 00 m): images may grow") {
		t.Errorf("%q", got)
	}
	if got := of(""); strings.Contains(got, "first epochs") {
		t.Errorf("of one that is sure: %q", got)
	}
}

// So does one whose script has a schedule, whatever it rests on.
func TestWarningOfASchedule(t *testing.T) {
	c := candidate.Candidate{Schedule: "its work changes with the epoch: size = 16 if epoch < 8 else 32 (line 6)",
		Time:          estimate.Estimate{Value: 3600, Low: 1800, High: 10800, Basis: estimate.Measured},
		Configuration: []candidate.Part{{USDPerHour: new(1.0), Count: 1}}}
	r := rank.Evaluate(rank.NewSpace(candidate.ListOf(c)), question.Query{Sort: question.ByTime})
	want := "from 30 m 00 s to 3 h 00 m, as trainings with a schedule did: " + c.Schedule
	if got := strings.Join(Warnings(r, time.Now()), "; "); !strings.Contains(got, want) {
		t.Errorf("%q", got)
	}
}

func TestWordsOfAWorkload(t *testing.T) {
	for want, w := range map[string]question.Workload{
		"net · infer 1,000,000 images":           {Model: "net", Mode: profile.Infer, Unit: "image", Units: 1e6},
		"net · infer 5 units":                    {Model: "net", Mode: profile.Infer, Units: 5},
		"net · train 13 epochs":                  {Model: "net", Mode: profile.Train, Epochs: new(13.0)},
		"net · train to 90.0 %":                  {Model: "net", Mode: profile.Train, TargetAccuracy: new(0.9)},
		"net · train as long as each source did": {Model: "net", Mode: profile.Train},
	} {
		if got := Workload(w); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	all := question.Query{
		Limits: question.Limits{objective.Accuracy: 0.7, objective.Time: 7200, objective.Cost: 10, objective.Energy: 0.25},
	}
	if got := Limits(all, true); got != "accuracy ≥ 70.0 %, time ≤ 2 h 00 m, cost ≤ $10.00, energy ≤ 250 Wh" {
		t.Error(got)
	}
	if got := Limits(question.Query{Limits: question.Limits{objective.Accuracy: 0.1}}, false); got != "accuracy ≤ 10.0 %" {
		t.Error(got)
	}
	if got := Limits(question.Query{}, true); got != "none" {
		t.Error(got)
	}
}
