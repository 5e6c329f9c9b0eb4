package frameworks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/architecture"
	"sweetspot/engine/memory"
	"sweetspot/engine/transformer"
)

// held is what a training with PyTorch, transformers and PEFT really holds.
type held struct {
	Network, Method, Optimizer string
	Targets                    []string
	Checkpointing              bool
	Params                     *float64
	Trainable                  float64
	WeightsBytes               float64 `json:"weights_bytes"`
	GradientsBytes             float64 `json:"gradients_bytes"`
	OptimizerBytes             float64 `json:"optimizer_bytes"`
	LayerBytesPerToken         float64 `json:"layer_bytes_per_token"`
}

// What is counted of a training's memory from config.json alone is what PyTorch holds, to
// the byte: parameters, gradients, the optimizer's state, and what a layer saves.
func TestHeldMemory(t *testing.T) {
	folder := environments(t)
	at := t.TempDir()
	cmd := exec.Command(filepath.Join(folder, "new", "bin", "python"), filepath.Join("scripts", "held_memory.py"), at)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	counted, ways := 0, 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var h held
		if err := json.Unmarshal(lines.Bytes(), &h); err != nil {
			t.Fatal(err)
		}
		a, err := architecture.ReadFile(filepath.Join(at, h.Network))
		if err != nil {
			t.Fatal(err)
		}
		if h.Params != nil {
			counted++
			if got := a.Params().Total(); got != *h.Params {
				t.Errorf("%s: %.0f parameters, and %.0f counted", h.Network, *h.Params, got)
			}
			continue
		}
		ways++
		h.compare(t, a)
	}
	if counted < 8 || ways < 10 {
		t.Errorf("%d networks and %d ways of tuning", counted, ways)
	}
}

func (h held) compare(t *testing.T, a transformer.Architecture) {
	t.Helper()
	way := transformer.DefaultTuning(transformer.Method(h.Method))
	way.Rank, way.Targets, way.Checkpointing, way.Sequence = 8, h.Targets, transformer.Never, 1
	if h.Checkpointing {
		way.Checkpointing = transformer.Always
	}
	if h.Optimizer != "" {
		way.Optimizer = transformer.Optimizer(h.Optimizer)
	}
	parts := func(layers int) map[string]memory.Part {
		of := map[string]memory.Part{}
		j := memory.Job{Architecture: a, Tuning: way, GPUs: 1, MicroBatch: 1}
		j.Architecture.Layers = layers
		for _, p := range memory.Of(j).Parts {
			of[p.Name] = p
		}
		return of
	}
	two, three := parts(2), parts(3)
	name := strings.Join([]string{h.Network, h.Method, h.Optimizer, strings.Join(h.Targets, "+")}, " ")
	for _, c := range []struct {
		what      string
		got, held float64
	}{
		{"parameters that learn", way.Trainable(a), h.Trainable},
		{"bytes of weights", two["weights"].Value, h.WeightsBytes},
		{"bytes of gradients", two["gradients"].Value, h.GradientsBytes},
		{"bytes of the optimizer", two["optimizer"].Value, h.OptimizerBytes},
		{"bytes of a layer for a token", three["activations"].Value - two["activations"].Value, h.LayerBytesPerToken},
	} {
		if c.got != c.held {
			t.Errorf("%s: %.0f %s, and %.0f counted", name, c.held, c.what, c.got)
		}
	}
}
