package session

import (
	"testing"

	"sweetspot/engine/profile"
	"sweetspot/probes/harness"
)

// Each way of pruning is a variant of its own.
func TestVariantOfAModel(t *testing.T) {
	for _, c := range []struct {
		prune      float64
		fineTune   int
		name, kind string
	}{
		{0, 3, "", ""}, // nothing was pruned: nothing to tune
		{0.3, 0, "pruned 30 %", "filters by L1 norm"},
		{0.3, 1, "pruned 30 %, tuned 1", "filters by L1 norm, fine-tuned for 1 epoch"},
		{0.125, 2, "pruned 12.5 %, tuned 2", "filters by L1 norm, fine-tuned for 2 epochs"},
	} {
		spec := harness.Spec{Model: "example:fashion-cnn", Mode: profile.Infer, Batch: 8, Prune: c.prune, FineTune: c.fineTune}
		o, err := WithModel(t.Context(), Options{}, spec, torch(t))
		if err != nil {
			t.Fatal(err)
		}
		v, kind := o.Description.Variant, ""
		if v.Pruning != nil {
			kind = v.Pruning.Kind
		}
		if v.Name != c.name || kind != c.kind {
			t.Errorf("%g tuned %d: %q, %q", c.prune, c.fineTune, v.Name, kind)
		}
	}
}
