// Package request describes what a user wants to probe and turns it into a
// matrix of sessions: a model run by the harness, or a script with the hook, in
// variants and batch sizes, here or on other hosts.
package request

import (
	"cmp"
	"errors"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/adapter"
	"sweetspot/probes/harness"
	"sweetspot/probes/matrix"
	"sweetspot/probes/remote"
)

// Request is one request for probes: a model or a command.
type Request struct {
	Command []string // a script; empty for a model
	Name    string   // of the model in the database; "" for its own or the script's

	// Spec is what all probes of a model share. For a command its mode and
	// epochs apply, too.
	Spec       harness.Spec
	Batches    []int
	Precisions []string
	Prunes     []float64
	Repeats    int

	Hosts      []string      // user@vm or user@vm:port; empty for this machine
	Detach     bool          // on other hosts it goes on without the connection
	Python     string        // interpreter, of each host
	Machine    store.Machine // what the user says about it: VM type and price
	NoMetadata bool

	Rule        steady.Rule // of each probe; its MaxUSD is for all together
	KeepRunning bool

	Adapter adapter.Kind // how to read the output of a script without events; "" is adapter.Auto
	Pattern string       // of adapter.Pattern, which it implies
}

// IsCommand reports whether a script is probed.
func (r Request) IsCommand() bool { return len(r.Command) > 0 }

// Cells checks the request and lists its probes in the order they run. It reads
// no files except those given.
func (r Request) Cells() ([]matrix.Cell, error) {
	if err := r.checkEffective(); err != nil {
		return nil, err
	}
	axes := matrix.Axes{Mode: r.Spec.Mode, Batches: r.Batches, Precisions: r.Precisions, Prunes: r.Prunes, Hosts: r.Hosts,
		Repeats: r.Repeats}
	if !r.IsCommand() && len(axes.Batches) == 0 {
		axes.Batches = []int{DefaultBatch}
	}
	cells, err := axes.Cells()
	if err != nil {
		return nil, err
	}
	for _, host := range r.Hosts {
		if host == "" {
			continue // this machine, beside others
		}
		if _, err := remote.Parse(host); err != nil {
			return nil, err
		}
	}
	if r.IsCommand() {
		_, err := r.reader()
		return cells, err
	}
	if r.Adapter != "" || r.Pattern != "" {
		return nil, errors.New("--adapter and --pattern only apply to a command after --; leave them out for a model")
	}
	for _, c := range cells {
		if _, err := r.spec(c).Resolve(); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// DefaultBatch is the batch size of a model if none is given.
const DefaultBatch = 128

// spec is the harness's description of a cell.
func (r Request) spec(c matrix.Cell) harness.Spec {
	s := r.Spec
	s.Batch, s.Precision, s.Prune = c.Batch, cmp.Or(c.Precision, s.Precision), c.Prune
	return s
}

// reader turns the output of a script without events into events.
func (r Request) reader() (*adapter.Adapter, error) {
	kind := r.Adapter
	if kind == "" {
		kind = adapter.Auto
		if r.Pattern != "" {
			kind = adapter.Pattern
		}
	}
	return adapter.New(kind, r.Pattern)
}

// mode is training unless the user says otherwise.
func (r Request) mode() profile.Mode { return cmp.Or(r.Spec.Mode, profile.Train) }
