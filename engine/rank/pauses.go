package rank

import (
	"sweetspot/engine/profile"
	"sweetspot/engine/runtime"
)

// pauses are those of a run that was never made: as they came in the longest
// training of the model that tells of any. How often a script writes a
// checkpoint is not the VM type's doing.
func (b *builder) pauses(r profile.Run) runtime.Pauses {
	var best runtime.Pauses
	for _, s := range b.donors {
		if p := runtime.PausesOf(s); p.Seen() && (!best.Seen() || p.Watched() > best.Watched()) {
			best = p
		}
	}
	if !best.Seen() || r.IterationsPerEpoch == nil {
		return runtime.Pauses{}
	}
	return best.On(*r.IterationsPerEpoch, r.Basis)
}
