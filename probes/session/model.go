package session

import (
	"context"
	"slices"
	"time"

	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/harness"
	"sweetspot/probes/python"
)

// UntilStopped caps an inference that would go on until it is stopped, where
// the user named no cap: one that never becomes steady ends too.
const UntilStopped = 10 * time.Minute

// WithModel completes the options for a model that the harness runs: it finds
// the interpreter (the named one, or the first that has PyTorch), writes the
// harness out and fills in the command and the description. The caller calls
// cleanup when the session has ended.
func WithModel(ctx context.Context, o Options, s harness.Spec, interpreter string) (out Options, cleanup func(), err error) {
	if s, err = s.Resolve(); err != nil {
		return o, nil, err
	}
	found, err := python.Find(ctx, interpreter)
	if err != nil {
		return o, nil, err
	}
	if found.Skipped != "" {
		o.Warnings = append(slices.Clone(o.Warnings), found.Skipped)
	}
	o.Command, cleanup, err = harness.Command(found.Path, s)
	if err != nil {
		return o, nil, err
	}
	d := &o.Description
	d.Model.Name, d.Model.SourceFile = s.Name(), s.Model
	d.Variant.Precision = s.Precision
	d.Mode, d.BatchSize = s.Mode, s.Batch
	if s.Mode == profile.Train {
		d.Epochs = new(float64(s.Epochs))
	}
	o.Rule = capped(o.Rule, s)
	return o, cleanup, nil
}

func capped(r steady.Rule, s harness.Spec) steady.Rule {
	if s.Epochs == 0 && r.MaxN == 0 && r.MaxSeconds == 0 && r.MaxUSD == 0 {
		r.MaxSeconds = UntilStopped.Seconds()
	}
	return r
}
