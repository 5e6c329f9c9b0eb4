package question

import (
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// PredictsUnasked reports whether a question about a model should also ask for what was
// not probed: it was measured by the user, but on nothing that can be rented, so that only
// predictions answer where to run it.
func PredictsUnasked(set *profile.Set, model string, mode profile.Mode) bool {
	own := false
	for _, r := range set.AsFound().Runs {
		if r.Model != model || r.Mode != mode || r.ID < 0 {
			continue
		}
		if r.IsLook() { // it says nothing of where it was
			own = true
			continue
		}
		if r.Cloud != "" || r.USDPerHour != nil {
			return false
		}
		own = own || r.Basis == estimate.Measured
	}
	return own
}
