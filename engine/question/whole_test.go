package question

import (
	"testing"

	"sweetspot/engine/profile"
)

func TestWhole(t *testing.T) {
	probe := func(id int64, epochs, size *float64) profile.Run {
		return profile.Run{ID: id, Model: "train", Mode: profile.Train, Unit: "image", Command: []string{"train"},
			Epochs: epochs, TrainSize: size, FirstIterationS: new(1.0)}
	}
	published := profile.Run{ID: 9, Model: "train", Mode: profile.Train, Epochs: new(90.0), TrainSize: new(1e6),
		TotalS: new(1.0)}
	failed := probe(8, new(7.0), new(70.0))
	failed.FirstIterationS = nil
	asked := Workload{Model: "train", Mode: profile.Train, Epochs: new(3.0), TrainSize: new(30.0)}
	target := Workload{Model: "train", Mode: profile.Train, TargetAccuracy: new(0.9)}
	for name, c := range map[string]struct {
		of           Workload
		runs         []profile.Run
		epochs, size *float64
	}{
		"the newest run's": {Workload{}, []profile.Run{probe(2, new(20.0), new(6e4)), probe(1, new(5.0), new(6e3)), published,
			failed}, new(20.0), new(6e4)},
		"the newest that tells": {Workload{}, []profile.Run{probe(1, new(5.0), new(6e3)), probe(2, nil, nil)}, new(5.0),
			new(6e3)},
		"nobody tells":     {Workload{}, []profile.Run{probe(1, nil, nil)}, new(float64(DefaultEpochs)), nil},
		"as the user asks": {asked, []profile.Run{probe(1, new(5.0), new(6e3))}, asked.Epochs, asked.TrainSize},
		"to a target":      {target, []profile.Run{probe(1, new(5.0), new(6e3))}, nil, new(6e3)},
		"published":        {Workload{}, []profile.Run{published}, nil, nil},
	} {
		w := c.of
		w.Model, w.Mode = "train", profile.Train
		set := &profile.Set{Runs: c.runs}
		got := w.Whole(set)
		if !same(got.Epochs, c.epochs) || !same(got.TrainSize, c.size) {
			t.Errorf("%s: %v epochs of %v", name, got.Epochs, got.TrainSize)
		}
		if again := got.Whole(set); !same(again.Epochs, got.Epochs) || !same(again.TrainSize, got.TrainSize) {
			t.Errorf("%s: completed twice %+v, once %+v", name, again, got)
		}
		if w.Mode = profile.Infer; w.Whole(set).TrainSize != w.TrainSize {
			t.Errorf("%s: an inference has no epochs", name)
		}
	}
}

func same(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }
