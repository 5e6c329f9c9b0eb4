package session

import (
	"context"

	"sweetspot/engine/profile"
	"sweetspot/probes/harness"
	"sweetspot/probes/python"
)

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
	return o, cleanup, nil
}
