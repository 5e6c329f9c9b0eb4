package session

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"

	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/probes/harness"
	"sweetspot/probes/identity"
	"sweetspot/probes/protocol"
	"sweetspot/probes/python"
)

// ThisMachine fills in what can be known without a framework.
func ThisMachine(m *store.Machine) {
	host, _ := os.Hostname() // unknown is ""
	m.Host = cmp.Or(m.Host, plaintext.Clean(host), "this machine")
	m.OS = cmp.Or(m.OS, runtime.GOOS+"/"+runtime.GOARCH)
	m.CPU = cmp.Or(m.CPU, plaintext.Cut(plaintext.Clean(identity.CPUModel()), 200))
	m.CPUs = cmp.Or(m.CPUs, runtime.NumCPU())
}

// hello adds what the framework knows about the machine.
func hello(d *store.Description, e protocol.Hello) {
	m := &d.Machine
	d.Framework = cmp.Or(e.Framework, d.Framework)
	m.Driver = cmp.Or(e.Driver, m.Driver)
	m.CUDA = cmp.Or(e.CUDA, m.CUDA)
	m.CPU = cmp.Or(m.CPU, e.CPU)
}

// describe adds what the script says about its model, which overrides what was
// assumed.
func describe(d *store.Description, e protocol.Model) {
	d.Model.Name = cmp.Or(e.Name, d.Model.Name)
	d.Model.Dataset = cmp.Or(e.Dataset, d.Model.Dataset)
	d.Model.Unit = cmp.Or(e.Unit, d.Model.Unit)
	d.Variant.Precision = cmp.Or(e.Precision, d.Variant.Precision)
	d.Model.Params = cmp.Or(e.Params, d.Model.Params)
	d.Model.FLOPsPerUnit = cmp.Or(e.FLOPsPerUnit, d.Model.FLOPsPerUnit)
	d.Work.Network, d.Work.Input = cmp.Or(e.Network, d.Work.Network), cmp.Or(e.Input, d.Work.Input)
	if e.Schedule != "" { // its sizes may no longer be known
		d.Schedule, d.Sizes = e.Schedule, e.Sizes
	}
	d.Work.StateBytes = cmp.Or(e.StateBytes, d.Work.StateBytes)
	d.TrainSize = cmp.Or(e.TrainSize, d.TrainSize)
	d.Epochs, d.Steps = cmp.Or(e.Epochs, d.Epochs), cmp.Or(e.Steps, d.Steps)
	if d.Steps != nil && *d.Steps == 0 { // what was said of it turned out to be wrong
		d.Steps = nil
	}
	d.IterationsPerEpoch = cmp.Or(e.IterationsPerEpoch, d.IterationsPerEpoch)
	if e.BatchSize != nil {
		d.BatchSize = *e.BatchSize
	}
	d.WorldSize = cmp.Or(e.WorldSize, d.WorldSize)
	if d.Variant.Pruning == nil && (e.Pruning == nil || *e.Pruning == 0) { // told of the model before any pruning
		w := &d.Work
		w.FLOPs, w.Activations = cmp.Or(e.FLOPsPerUnit, w.FLOPs), cmp.Or(e.ActivationsPerUnit, w.Activations)
		w.Params, w.Layers = cmp.Or(e.Params, w.Params), cmp.Or(e.Layers, w.Layers)
	}
	if d.IterationsPerEpoch == nil && d.TrainSize != nil && d.BatchSize > 0 && d.Mode == profile.Train {
		d.IterationsPerEpoch = new(*d.TrainSize / float64(d.BatchSize))
	}
	if e.Pruning != nil && *e.Pruning > 0 {
		pruning := profile.Pruning{} // a new one: the old is in updates already sent
		if d.Variant.Pruning != nil {
			pruning = *d.Variant.Pruning
		}
		pruning.Ratio = e.Pruning
		d.Variant.Pruning = &pruning
	}
}

// WithModel completes the options for a model that the harness runs: it fills
// in the command, its files and the description. An empty interpreter means the
// first on this machine that has PyTorch.
func WithModel(ctx context.Context, o Options, s harness.Spec, interpreter string) (Options, error) {
	s, err := s.Resolve()
	if err != nil {
		return o, err
	}
	if o.WorkOnly = s.WorkOnly; o.WorkOnly && s.TellsItsWork() {
		o.Command = []string{"true"} // what the file says is known already
		describeSpec(&o.Description, s)
		return o, nil
	}
	if o.isHere() {
		found, err := python.Find(ctx, interpreter)
		if err != nil {
			return o, err
		}
		if found.Skipped != "" {
			o.Warnings = append(slices.Clone(o.Warnings), found.Skipped)
		}
		interpreter = found.Path
	}
	if o.Files, o.Command, err = harness.Program(interpreter, s, !o.isHere()); err != nil {
		return o, err
	}
	o.RunsHarness = true
	describeSpec(&o.Description, s)
	return o, nil
}

// describeSpec is what is known of a probe of a model beforehand.
func describeSpec(d *store.Description, s harness.Spec) {
	d.Model.Name, d.Model.SourceFile = cmp.Or(d.Model.Name, s.Name()), cmp.Or(d.Model.SourceFile, s.Model)
	d.Variant.Precision = s.Precision
	if s.Prune != "" {
		d.Variant.Name, d.Variant.Pruning = s.Prune.Name(), s.Prune.Profile()
	}
	if s.FineTune > 0 { // another variant, with another accuracy
		d.Variant.Name += fmt.Sprintf(", tuned %d", s.FineTune)
		d.Variant.Pruning.Kind += ", fine-tuned for " + epochs(s.FineTune)
	}
	d.Mode, d.BatchSize = s.Mode, s.Batch
	if s.Mode == profile.Train {
		d.Epochs = new(float64(s.Epochs))
	}
}

func epochs(n int) string {
	if n == 1 {
		return "1 epoch"
	}
	return fmt.Sprintf("%d epochs", n)
}
