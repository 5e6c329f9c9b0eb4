package store

import (
	"reflect"
	"slices"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// epochsOf are iterations of 1 s, so many an epoch, that ended at 3, 4, 5 … s.
func epochsOf(n, perEpoch int) []Iteration {
	its := make([]Iteration, n)
	for i := range its {
		its[i] = Iteration{Epoch: i / perEpoch, Index: i % perEpoch, Seconds: 1, T: 3 + float64(i)}
	}
	return its
}

func TestARecordedRunKnowsItsEpochs(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	backwards := epochsOf(8, 4)
	for i := range backwards {
		backwards[i].T = 100 - backwards[i].T
	}
	for name, c := range map[string]struct {
		its  []Iteration
		want []float64
	}{
		"three epochs":  {epochsOf(12, 4), []float64{2, 6, 10}},
		"cut short":     {epochsOf(9, 4), []float64{2, 6, 10}},
		"none":          {nil, nil},
		"time backward": {backwards, nil},
	} {
		rec, err := s.Start(ctx, description())
		must(t, err)
		must(t, rec.Append(ctx, Batch{Iterations: c.its, Validations: []profile.Validation{{Seconds: 1, AtS: new(7.5)}}}))
		must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done}}))
		runs := loadSet(t, s).Runs
		r := runs[slices.IndexFunc(runs, func(r profile.Run) bool { return r.ID == rec.ID() })]
		if !slices.Equal(r.EpochStartsS, c.want) || *r.Validations[0].AtS != 7.5 {
			t.Errorf("%s: epochs began at %v, want %v; validations %+v", name, r.EpochStartsS, c.want, r.Validations)
		}
		_, err = s.Restart(ctx, rec.ID())
		must(t, err)
		runs = loadSet(t, s).Runs
		if r := runs[slices.IndexFunc(runs, func(r profile.Run) bool { return r.ID == rec.ID() })]; r.EpochStartsS != nil {
			t.Errorf("%s: emptied, but epochs began at %v", name, r.EpochStartsS)
		}
	}
}

func TestImportKeepsEpochs(t *testing.T) {
	s := openTemp(t)
	run := profile.Run{
		Model: "net", Mode: profile.Train, Count: 1, Status: profile.Done, Basis: estimate.Measured, TotalS: new(30.5),
		EpochStartsS: []float64{0.2, 10.1, 20.3},
		Validations:  []profile.Validation{{Epoch: 1, Value: new(0.5), AtS: new(20.2)}},
		Pauses: []profile.Pause{{AtS: 20.2, Seconds: 0.7, Kind: "checkpoint", Iterations: new(200)},
			{AtS: 25, Seconds: 0.1}},
	}
	set := &profile.Set{Runs: []profile.Run{run}}
	for _, want := range []int{1, 0} {
		if n, err := s.Import(t.Context(), set); err != nil || n != want {
			t.Fatalf("imported %d runs, %v", n, err)
		}
	}
	got := loadSet(t, s).Runs[0]
	if !slices.Equal(got.EpochStartsS, run.EpochStartsS) || !reflect.DeepEqual(got.Validations, run.Validations) ||
		!reflect.DeepEqual(got.Pauses, run.Pauses) {
		t.Errorf("epochs %v, validations %+v, pauses %+v", got.EpochStartsS, got.Validations, got.Pauses)
	}
}

// What a run without epochs was marked with when it was imported by earlier
// versions still marks it.
func TestFingerprintOfEarlierVersions(t *testing.T) {
	mark, err := fingerprint(profile.Run{Model: "net", Mode: profile.Train, Validations: []profile.Validation{{Epoch: 1}}})
	must(t, err)
	if want := "070b8dd93cd0377be9e7d285c2e4fb58cf47f40c48e1d2e92423697b0e13f6a5"; mark != want {
		t.Errorf("marked %s, used to be %s", mark, want)
	}
}

func TestParseStarts(t *testing.T) {
	for text, want := range map[string][]float64{"": nil, "0;1.5;2e3": {0, 1.5, 2000}, "2;1": nil, "1;x": nil, "-1;2": nil,
		"1;": nil, "NaN": nil} {
		if got := parseStarts(text); !slices.Equal(got, want) {
			t.Errorf("%q gives %v", text, got)
		}
	}
	if got := formatStarts([]float64{0, 1.5, 2000}); got != "0;1.5;2000" {
		t.Errorf("wrote %q", got)
	}
}
