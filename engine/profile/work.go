package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/quantity"
)

// Work is what tells the work of a run from that of others: the network, what one unit, such
// as an image, is that enters it, and what that takes in its forward pass.
type Work struct {
	Network     string   `json:",omitempty"` // class of the module, such as ResNet; several are joined by +
	Input       string   `json:",omitempty"` // shape of one unit, 3x224x224; "" where it varies
	FLOPs       *float64 `json:",omitempty"` // operations, a multiply-add counting as two
	Activations *float64 `json:",omitempty"` // elements of all outputs of its convolutions and matrix products
	Params      *float64 `json:",omitempty"` // number of parameters
	Layers      *float64 `json:",omitempty"` // convolutions and matrix products of an iteration's forward passes
	// StateBytes are those that a training holds on one device whatever its batch: weights,
	// gradients and the optimizer's state.
	StateBytes *float64 `json:",omitempty"`
}

// IsModel reports whether the variant is the model's own network, unpruned, whose work
// is the model's.
func (v Variant) IsModel() bool { return v.Network() == "" && v.Pruning == nil }

// WorkIn is the work of a run of a model: what is known of the run's own network, else
// of the model, where that is the network.
func (r Run) WorkIn(m Model) Work {
	w := r.Work
	if r.Variant.IsModel() {
		w.FLOPs, w.Params = cmp.Or(w.FLOPs, m.FLOPsPerUnit), cmp.Or(w.Params, m.Params)
	}
	return w
}

// Differs reports whether a network is certainly another one, or takes other input. Only
// networks that a probe has seen can be told apart.
func (w Work) Differs(o Work) bool {
	return w.Network != "" && o.Network != "" &&
		(w.differsInNetwork(o) || w.Input != "" && o.Input != "" && w.Input != o.Input)
}

func (w Work) differsInNetwork(o Work) bool {
	return w.Network != o.Network || w.Params != nil && o.Params != nil && *w.Params != *o.Params
}

// NameBeside is a name for the model of the work where others have that name: what
// differs is added, "train (Net 1.2M)", "train (3x128x128)".
func (w Work) NameBeside(name string, others []Work) string {
	var parts []string
	if slices.ContainsFunc(others, w.differsInNetwork) {
		parts = append(parts, w.Network)
		if w.Params != nil {
			parts = append(parts, inShort(*w.Params))
		}
	}
	if slices.ContainsFunc(others, func(o Work) bool { return !w.differsInNetwork(o) && w.Differs(o) }) {
		parts = append(parts, w.Input)
	}
	return fmt.Sprintf("%s (%s)", name, strings.Join(parts, " "))
}

// FullName is a name that tells all that is known of the network.
func (w Work) FullName(name string) string {
	parts := []string{w.Network}
	if w.Params != nil {
		parts = append(parts, quantity.Count(*w.Params)+" parameters")
	}
	if w.Input != "" {
		parts = append(parts, w.Input)
	}
	return fmt.Sprintf("%s (%s)", name, strings.Join(parts, ", "))
}

// inShort writes a number of parameters as 11.7M.
func inShort(params float64) string {
	for _, unit := range []struct {
		size float64
		word string
	}{{1e9, "B"}, {1e6, "M"}, {1e3, "k"}} {
		if params >= unit.size {
			return fmt.Sprintf("%.3g%s", params/unit.size, unit.word)
		}
	}
	return quantity.Count(params)
}
