package hook

import (
	"math"
	"os/exec"
	"testing"

	"sweetspot/probes/protocol"
)

// The work of a forward pass is counted as by hand, and the network learns the same as
// without us.
func TestWorkOfNetworks(t *testing.T) {
	t.Parallel()
	type work struct{ flops, activations, layers float64 }
	for _, c := range []struct {
		network, steps, parts string
		want                  work
	}{
		// As timm counts it: 1.82 G multiply-adds and 2.48 M activations.
		{"resnet18", "1", "1", work{2 * 1.814e9, 2.485e6, 21}},
		// 8 channels of 4 × 4 from 2 · 3 · 3 each, then 2 · 2 · 2 for each of these.
		{"convolutions", "2", "1", work{2 * (8*16*18 + 8*16*8), 8*16 + 2*64, 2}},
		// 5 tokens through 8 × 24, then 4 heads with 5 × 5 scores of 2 values, and those values.
		{"product", "2", "1", work{2 * (5*8*24 + 4*25*2 + 4*25*2), 5*24 + 4*25 + 5*8, 3}},
		{"einsum", "2", "1", work{2 * (5*8*24 + 4*25*2 + 4*25*2), 5*24 + 4*25 + 5*8, 3}},
		// Four projections, the attention and two layers of 16.
		{"transformer", "2", "1", work{2 * (4*5*64 + 2*25*8 + 2*5*8*16), 5*8 + 5*16 + 5*8, 3}},
		// 7 tokens through 4 gates of 6 from 4 inputs and 6 outputs.
		{"lstm", "2", "1", work{2 * 7 * 24 * 10, 7 * 6, 1}},
		// Two forward passes to a step: twice the layers, as much a unit.
		{"lstm", "2", "2", work{2 * 7 * 24 * 10, 7 * 6, 2}},
		{"scripted", "2", "1", work{-1, -1, -1}}, // unknown
		{"retried", "2", "1", work{2 * 16, 4, 1}},
		// A pass before the training is none of its first iteration's.
		{"shown", "2", "1", work{2 * 16, 4, 1}},
		{"traced", "2", "1", work{2 * 16, 4, 1}},
	} {
		t.Run(c.network, func(t *testing.T) {
			arguments := []string{"../frameworks/scripts/networks.py", c.network, c.steps, c.parts}
			r := run(t, "networks.py", arguments[1:]...)
			if c.network == "convolutions" || c.network == "transformer" {
				alone, err := exec.Command(torch(t), arguments...).Output()
				if err != nil || r.stdout != string(alone) {
					t.Errorf("watched %q, alone %q, %v", r.stdout, alone, err)
				}
			}
			if len(r.warnings) > 0 {
				t.Errorf("warnings %q", r.warnings)
			}
			var last protocol.Model
			for _, m := range r.models {
				last = m
			}
			got := work{number(last.FLOPsPerUnit), number(last.ActivationsPerUnit), number(last.Layers)}
			near := func(x, y float64) bool { return math.Abs(x-y) <= 0.001*math.Abs(y) }
			if !near(got.flops, c.want.flops) || !near(got.activations, c.want.activations) || got.layers != c.want.layers {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}
