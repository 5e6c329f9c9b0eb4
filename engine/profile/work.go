package profile

import "cmp"

// Work is what tells the work of a run from that of others: the network, what one unit, such
// as an image, is that enters it, and what that takes in its forward pass.
type Work struct {
	Network     string   `json:",omitempty"` // class of the module, such as ResNet; several are joined by +
	Input       string   `json:",omitempty"` // shape of one unit, 3x224x224; "" where it varies
	FLOPs       *float64 `json:",omitempty"` // operations, a multiply-add counting as two
	Activations *float64 `json:",omitempty"` // elements of all outputs of its convolutions and matrix products
	Params      *float64 `json:",omitempty"` // number of parameters
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
