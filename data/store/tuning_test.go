package store

import (
	"reflect"
	"testing"

	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

var tuned = profile.Tuning{
	Architecture: &transformer.Architecture{Layers: 2, Hidden: 32, Heads: 4, KVHeads: 2, HeadSize: 8, Intermediate: 64,
		Vocabulary: 100, NormsOfLayer: 2, MaxPositions: 64},
	Method: "qlora", Rank: new(4), Targets: []string{"q_proj"}, Optimizer: "AdamW", WeightsIn: "nf4",
	Sequence: new(23.5), TokensPerStep: new(141.0), Packing: new(false), Parallel: "fsdp", Sharding: "zero3",
}

// How a language model was trained is kept of a recorded run and of an imported one, and goes
// with a merge; importing again adds it to a run of which it was not known.
func TestTuningIsKept(t *testing.T) {
	s := openTemp(t)
	rec, err := s.Start(t.Context(), Description{Model: profile.Model{Name: "llm"}, Mode: profile.Train})
	must(t, err)
	must(t, rec.Describe(t.Context(), Description{Model: profile.Model{Name: "llm"}, Mode: profile.Train, Tuning: &tuned}))
	record, err := s.Record(t.Context(), rec.ID())
	must(t, err)
	if !reflect.DeepEqual(record.Tuning, &tuned) {
		t.Errorf("recorded: %+v", record.Tuning)
	}
	must(t, rec.Finish(t.Context(), Finish{Run: profile.Run{Status: profile.Done}}))
	run := runOn("other", "", "sample", 1)
	for _, told := range []*profile.Tuning{nil, &tuned, nil} {
		run.Tuning = told
		_, err := s.Import(t.Context(), &profile.Set{Runs: []profile.Run{run}})
		must(t, err)
	}
	other := openTemp(t)
	merged, err := other.Merge(t.Context(), s.path)
	must(t, err)
	if runs := loadSet(t, other).Runs; merged.Runs != 2 || len(runs) != 2 || !reflect.DeepEqual(runs[0].Tuning, &tuned) ||
		!reflect.DeepEqual(runs[1].Tuning, &tuned) {
		t.Errorf("%+v: %+v", merged, runs)
	}
}

// What another program wrote that cannot be is unknown, and keeps nothing from being read.
func TestTuningThatWasTypedIn(t *testing.T) {
	s := openTemp(t)
	_, err := s.Import(t.Context(), &profile.Set{Runs: []profile.Run{runOn("net", "", "sample", 1)}})
	must(t, err)
	for _, text := range []string{"lora", `{"sequence":-1}`, `{"architecture":{"layers":999999999}}`} {
		_, err := s.write.ExecContext(t.Context(), "UPDATE runs SET tuning = ?", text)
		must(t, err)
		if runs := loadSet(t, s).Runs; len(runs) != 1 || runs[0].Tuning != nil {
			t.Errorf("%s: %+v", text, runs)
		}
	}
}
