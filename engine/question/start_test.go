package question

import (
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
)

func TestFloor(t *testing.T) {
	of := func(name string, accuracy float64) profile.Run {
		r := profile.Run{Model: "net", Mode: profile.Infer, Variant: profile.Variant{Name: name},
			Steady: estimate.Exact(1, estimate.Measured)}
		if accuracy >= 0 {
			r.Accuracy = &profile.Accuracy{Metric: "top-1", Value: accuracy, HigherIsBetter: true}
		}
		return r
	}
	lower := of("wer", 0.1)
	lower.Accuracy.HigherIsBetter = false
	other := of("top5", 0.99)
	other.Accuracy.Metric = "top-5"
	trained := of("trained", 0.5)
	trained.Mode = profile.Train
	untimed := of("untimed", 0.95) // tells how good the model can be all the same
	untimed.Steady = estimate.Estimate{}
	for name, c := range map[string]struct {
		runs []profile.Run
		want float64 // 0 is none
	}{
		"twice the errors of the best":       {[]profile.Run{of("a", 0.8), of("b", 0.25), of("c", 0.7)}, 0.6},
		"in whole percent":                   {[]profile.Run{of("a", 0.90056), of("b", 0.67)}, 0.8},
		"none is far behind":                 {[]profile.Run{of("a", 0.8), of("b", 0.61)}, 0},
		"an unknown accuracy is not refused": {[]profile.Run{of("a", 0.8), of("b", -1), of("c", 0)}, 0},
		"known of another run of it":         {[]profile.Run{of("a", 0.8), of("b", -1), of("b", 0)}, 0.6},
		"one without times counts":           {[]profile.Run{of("a", 0.8), untimed}, 0.9},
		"two metrics":                        {[]profile.Run{of("a", 0.2), other}, 0},
		"lower is better":                    {[]profile.Run{of("a", 0.8), lower}, 0},
		"a training is no variant":           {[]profile.Run{of("a", 0.9), trained}, 0},
		"all are bad":                        {[]profile.Run{of("a", 0.4), of("b", 0)}, 0},
		"nothing":                            {nil, 0},
	} {
		got := Floor(&profile.Set{Runs: c.runs}, Question{Model: "net", Mode: profile.Infer})
		if (got != nil) != (c.want > 0) || got != nil && *got != c.want {
			t.Errorf("%s: %v, want %g", name, got, c.want)
		}
	}
	set := &profile.Set{Runs: []profile.Run{of("a", 0.8), of("b", 0.25)}}
	q := Start(set, Question{Model: "net", Mode: profile.Infer, Unit: "image"})
	if limit := q.Limits.Get(objective.Accuracy); limit == nil || *limit != 0.6 || q.Model != "net" || q.Unit != "image" ||
		q.Predicted {
		t.Errorf("%+v", q)
	}
	q = Start(set, Question{Model: "net", Mode: profile.Train})
	if q.Limits != nil || q.Check() != nil {
		t.Errorf("%+v", q)
	}
}
