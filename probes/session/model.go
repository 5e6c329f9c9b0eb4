package session

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/harness"
	"sweetspot/probes/python"
)

// UntilStopped caps an inference that would run until it is stopped, if the
// user gave no cap: one that never becomes steady must end, too.
const UntilStopped = 10 * time.Minute

// WithModel completes the options for a model that the harness runs: it fills
// in the command, its files and the description. An empty interpreter means the
// first on this machine that has PyTorch.
func WithModel(ctx context.Context, o Options, s harness.Spec, interpreter string) (Options, error) {
	s, err := s.Resolve()
	if err != nil {
		return o, err
	}
	if o.Start == nil {
		found, err := python.Find(ctx, interpreter)
		if err != nil {
			return o, err
		}
		if found.Skipped != "" {
			o.Warnings = append(slices.Clone(o.Warnings), found.Skipped)
		}
		interpreter = found.Path
	}
	if o.Files, o.Command, err = program(interpreter, s, o.Start != nil); err != nil {
		return o, err
	}
	o.RunsHarness = true
	d := &o.Description
	d.Model.Name, d.Model.SourceFile = cmp.Or(d.Model.Name, s.Name()), cmp.Or(d.Model.SourceFile, s.Model)
	d.Variant.Precision = s.Precision
	if s.Prune > 0 {
		d.Variant.Name = fmt.Sprintf("pruned %.3g %%", 100*s.Prune)
		d.Variant.Pruning = &profile.Pruning{Kind: Filters, Ratio: new(s.Prune)}
	}
	if s.FineTune > 0 { // another variant, with another accuracy
		d.Variant.Name += fmt.Sprintf(", tuned %d", s.FineTune)
		d.Variant.Pruning.Kind += ", fine-tuned for " + epochs(s.FineTune)
	}
	d.Mode, d.BatchSize = s.Mode, s.Batch
	if s.Mode == profile.Train {
		d.Epochs = new(float64(s.Epochs))
	}
	o.Rule = capped(o.Rule, s)
	return o, nil
}

// program returns the files and command that run the spec; for another host they include the model's file.
func program(interpreter string, s harness.Spec, elsewhere bool) (fs.FS, []string, error) {
	if elsewhere {
		return harness.Portable(interpreter, s)
	}
	files, err := harness.Files(s)
	return files, harness.Argv(interpreter, s), err
}

// Filters names the harness's way of pruning: whole filters, the smallest L1 norm first
// (Li et al. 2017, the method of the TAR/CAR study).
const Filters = "filters by L1 norm"

func epochs(n int) string {
	if n == 1 {
		return "1 epoch"
	}
	return fmt.Sprintf("%d epochs", n)
}

func capped(r steady.Rule, s harness.Spec) steady.Rule {
	if s.Epochs == 0 && r.MaxN == 0 && r.MaxSeconds == 0 && r.MaxUSD == 0 {
		r.MaxSeconds = UntilStopped.Seconds()
	}
	return r
}
