package library

import (
	"slices"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/validate"
)

// Malta's eight tables with the real totals hidden: who follows the advice on
// the next probe names the fastest VM type in all eight, the cheapest in seven
// and is unsure of the eighth, for less money than a probe of every cell.
func TestFollowingTheNextProbe(t *testing.T) {
	set, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	set.Runs = slices.DeleteFunc(slices.Clone(set.Runs),
		func(r profile.Run) bool { return r.Basis != estimate.Reconstructed || r.TotalS == nil })
	followed, spent := validate.Follow(set)
	fastest, cheapest := 0, 0
	for _, f := range followed {
		t.Logf("%s, batch %d: probed %v; fastest %+v, cheapest %+v", f.Model, f.Batch, f.Probed, f.Fastest, f.Cheapest)
		if f.Fastest.Right() {
			fastest++
		}
		if f.Cheapest.Right() {
			cheapest++
		} else if f.Cheapest.P >= 0.9 {
			t.Errorf("%s, batch %d: sure of the wrong VM type: %+v", f.Model, f.Batch, f.Cheapest)
		}
	}
	t.Logf("$%.3f, every cell $%.3f, running all $%.3f", spent.Following, spent.All, spent.Running)
	if len(followed) != 8 || fastest != 8 || cheapest < 7 {
		t.Errorf("of %d tables the fastest in %d and the cheapest in %d", len(followed), fastest, cheapest)
	}
	if spent.Following >= spent.All {
		t.Errorf("spent %.1f %% of running all, every cell would be %.1f %%", 100*spent.Following/spent.Running,
			100*spent.All/spent.Running)
	}
}
