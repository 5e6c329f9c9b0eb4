package candidate

import "sweetspot/engine/profile"

// Narrowed says which predictions were left out of a space because all would be
// too many to hold.
type Narrowed int

// From nothing left out to everything.
const (
	InFull     Narrowed = iota
	OwnBatches          // each variant only at the batch sizes that it was run at; in inference on one VM
	Nothing             // nothing was predicted
)

// mostPredicted bounds how many predictions are listed in full, and their
// multiple how many after narrowing: some 1.5 kB each.
const (
	mostPredicted = 100_000
	mostNarrowed  = 4 * mostPredicted
)

// variantBatch is a variant, by its key, at a batch size.
type variantBatch struct {
	variant string
	batch   int
}

// narrow decides what to leave out of the predictions for so many variants at
// batch sizes on so many VM types, and sets on how many VMs each is predicted.
func (b *builder) narrow(variants, offers int) Narrowed {
	b.counts = 1
	if b.w.Mode == profile.Infer {
		b.counts = max(b.w.MaxCount, 1)
	}
	if variants*offers*b.counts <= mostPredicted {
		return InFull
	}
	b.counts = 1
	if len(b.ran)*offers <= mostNarrowed {
		return OwnBatches
	}
	return Nothing
}
