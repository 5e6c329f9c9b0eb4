package transfer

import (
	"fmt"
	"testing"

	"sweetspot/engine/profile"
)

// BenchmarkIteration asks about every cell that a set as large as PROFET's
// lacks: first as a screen does on every key press, then of a new predictor.
func BenchmarkIteration(b *testing.B) {
	set := models(34)
	var vms []profile.VMType
	for v := range 4 {
		vms = append(vms, vmType([]string{"slow", "fast", "other", "none"}[v]))
	}
	for _, r := range set.Runs {
		r.InstanceType, r.GPU = "other", "other GPU"
		if r.Model != "model 0" {
			set.Runs = append(set.Runs, r)
		}
	}
	names := make([]string, 34)
	for i := range names {
		names[i] = fmt.Sprint("model ", i)
	}
	b.Run("asked before", func(b *testing.B) {
		p := New(set, profile.Train)
		p.Iteration(names[0], profile.Variant{}, vms[2], 1, 64)
		for b.Loop() {
			p.Iteration(names[0], profile.Variant{}, vms[2], 1, 64)
		}
	})
	b.Run("another batch", func(b *testing.B) {
		p := New(set, profile.Train)
		p.Iteration(names[0], profile.Variant{}, vms[2], 1, 64)
		batch := 65
		for b.Loop() {
			p.Iteration(names[0], profile.Variant{}, vms[2], 1, batch)
			batch++
		}
	})
	b.Run("first of a model", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			p := New(set, profile.Train)
			b.StartTimer()
			p.Iteration(names[0], profile.Variant{}, vms[2], 1, 64)
		}
	})
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			New(set, profile.Train)
		}
	})
}
