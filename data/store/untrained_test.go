package store

import (
	"testing"

	"sweetspot/engine/profile"
)

// A validation of the untrained network is kept beside those of the training, in whose
// place Finish puts what it knows of them, and comes back with an imported run.
func TestUntrainedValidations(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	rec, err := s.Start(ctx, description())
	must(t, err)
	must(t, rec.Append(ctx, Batch{Validations: []profile.Validation{{Seconds: 9, Iterations: new(0)}}}))
	must(t, rec.Append(ctx, Batch{Iterations: series(40),
		Validations: []profile.Validation{{Seconds: 2, Iterations: new(40)}}}))
	must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done, FirstValidationS: new(2.0),
		Validations: []profile.Validation{{Seconds: 2, Metric: "top-1", Value: new(0.5), Iterations: new(40)}}}}))
	r := loadSet(t, s).Runs[0]
	check := func(r profile.Run) {
		t.Helper()
		if len(r.Validations) != 1 || r.Validations[0].Metric != "top-1" || *r.FirstValidationS != 2 ||
			len(r.Untrained) != 1 || r.Untrained[0].Seconds != 9 {
			t.Errorf("validations %+v, untrained %+v", r.Validations, r.Untrained)
		}
	}
	check(r)
	other := openTemp(t)
	_, err = other.Import(ctx, &profile.Set{Runs: []profile.Run{r}})
	must(t, err)
	check(loadSet(t, other).Runs[0])
}
