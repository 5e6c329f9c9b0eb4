package report

import (
	"math"
	"math/rand/v2"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func TestAccuracy(t *testing.T) {
	over := func(units float64) []profile.Validation { return []profile.Validation{{Units: new(units)}} }
	for _, c := range []struct {
		name     string
		accuracy profile.Accuracy
		checks   []profile.Validation
		unit     string
		want     string
	}{
		{"counted", profile.Accuracy{Metric: "top1", Value: 0.1, HigherIsBetter: true}, over(10000), "image",
			"top1 10.0 % (90 %: 9.5 % … 10.5 %) over 10,000 images"},
		{"all right", profile.Accuracy{Metric: "top1", Value: 1, HigherIsBetter: true}, over(64), "",
			"top1 100.0 % (90 %: 95.9 % … 100.0 %) over 64 samples"},
		{"its own spread", profile.Accuracy{Metric: "top1", Value: 0.99, StdDev: new(0.01), HigherIsBetter: true}, nil, "",
			"top1 99.0 % (90 %: 97.4 % … 100.0 %)"},
		{"nothing known", profile.Accuracy{Metric: "top1", Value: 0.876, HigherIsBetter: true}, nil, "", "top1 87.6 %"},
		{"a loss", profile.Accuracy{Metric: "loss", Value: 0.3125}, over(100), "image", "loss 0.3125 over 100 images"},
	} {
		a := accuracy(profile.Run{Accuracy: &c.accuracy, Validations: c.checks})
		if got := a.words(c.unit); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if accuracy(profile.Run{}) != nil {
		t.Error("an accuracy of nothing")
	}
	u := measured(t)
	u.Run.Unit, u.Run.Validations = "image", over(10000)
	u.Run.Accuracy = &profile.Accuracy{Metric: "top1", Value: 0.1, HigherIsBetter: true, Basis: estimate.Measured}
	p := New(u, nil, nil)
	wants(t, written(t, p), "  accuracy           top1 10.0 % (90 %: 9.5 %")
	a := object(t, p)["run"].(map[string]any)["accuracy"].(map[string]any)
	if low, ok := a["low"].(float64); !ok || math.Abs(low-0.0952) > 1e-4 || a["units"] != 10000.0 || a["value"] != 0.1 {
		t.Errorf("%v", a)
	}
}

// Nine in ten intervals hold the share that was drawn from, near the ends too.
func TestCountedCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, truth := range []float64{0.02, 0.1, 0.5, 0.97} {
		const trials, n = 4000, 200
		held := 0
		for range trials {
			hits := 0.0
			for range n {
				if r.Float64() < truth {
					hits++
				}
			}
			if low, high := counted(hits/n, n); low <= truth && truth <= high {
				held++
			}
		}
		if got := float64(held) / trials; got < 0.85 || got > 0.96 {
			t.Errorf("at %g the interval holds the truth in %.3f", truth, got)
		}
	}
}
