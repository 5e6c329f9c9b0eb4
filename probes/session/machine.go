package session

import (
	"os"
	"runtime"

	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/probes/identity"
	"sweetspot/probes/protocol"
)

// thisMachine fills in what can be known without a framework.
func thisMachine(m *store.Machine) {
	if m.Host == "" {
		if host, err := os.Hostname(); err == nil {
			m.Host = plaintext.Clean(host)
		}
	}
	if m.Host == "" {
		m.Host = "this machine"
	}
	if m.OS == "" {
		m.OS = runtime.GOOS + "/" + runtime.GOARCH
	}
	if m.CPU == "" {
		m.CPU = plaintext.Cut(plaintext.Clean(identity.CPUModel()), 200)
	}
	if m.CPUs == 0 {
		m.CPUs = runtime.NumCPU()
	}
}

// hello adds what the framework knows about the machine.
func hello(d *store.Description, e protocol.Hello) {
	m := &d.Machine
	set(&d.Framework, e.Framework)
	set(&m.Driver, e.Driver)
	set(&m.CUDA, e.CUDA)
	if m.CPU == "" {
		m.CPU = e.CPU
	}
}

// describe adds what the script says about its model, which overrides what the
// user said.
func describe(d *store.Description, e protocol.Model) {
	set(&d.Model.Name, e.Name)
	set(&d.Model.Dataset, e.Dataset)
	set(&d.Model.Unit, e.Unit)
	set(&d.Variant.Precision, e.Precision)
	known(&d.Model.Params, e.Params)
	known(&d.Model.FLOPsPerUnit, e.FLOPsPerUnit)
	known(&d.TrainSize, e.TrainSize)
	known(&d.Epochs, e.Epochs)
	known(&d.IterationsPerEpoch, e.IterationsPerEpoch)
	if e.BatchSize != nil {
		d.BatchSize = *e.BatchSize
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

func set(to *string, from string) {
	if from != "" {
		*to = from
	}
}

func known(to **float64, from *float64) {
	if from != nil {
		*to = from
	}
}
