package hook

import "testing"

// Epochs are counted by a loop, whatever the number is called.
func TestEpochsOfALoop(t *testing.T) {
	for _, c := range []struct {
		way    string
		epochs float64
	}{{"arguments", 3}, {"called", 2}, {"folds", 3}, {"unclear", unknown}, {"steps", unknown}} {
		t.Run(c.way, func(t *testing.T) {
			r := run(t, "epochs_by_loop.py", c.way)
			if len(r.warnings) != 0 || r.exit.Code != 0 || len(r.models) == 0 {
				t.Fatalf("warnings %q, exit %+v, stderr %q", r.warnings, r.exit, r.stderr)
			}
			got := unknown + 0.0
			if n := r.models[0].Epochs; n != nil {
				got = *n
			}
			if got != c.epochs {
				t.Errorf("%g epochs, want %g", got, c.epochs)
			}
		})
	}
}
