package candidate

import (
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

// pauses are those of a run that was never made: as they came in the longest
// training of the model that tells of any. How often a script writes a
// checkpoint is not the VM type's doing.
func (b *builder) pauses(r profile.Run) training.Pauses {
	var best training.Pauses
	for _, s := range b.donors {
		if p := training.PausesOf(s); p.Seen() && (!best.Seen() || p.Watched() > best.Watched()) {
			best = p
		}
	}
	if !best.Seen() || r.IterationsPerEpoch == nil {
		return training.Pauses{}
	}
	return best.On(*r.IterationsPerEpoch, r.Basis)
}
