package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/session"
)

func measured(t *testing.T) session.Update {
	t.Helper()
	seconds := []float64{2}
	for i := range 60 {
		seconds = append(seconds, 0.1+0.001*float64(i%3))
	}
	s := steady.Summarise(seconds)
	if !s.IsSteady {
		t.Fatal(s.Why)
	}
	return session.Update{
		Run: profile.Run{
			ID: 7, Model: "net", Mode: profile.Train, BatchSize: 32, Variant: profile.Variant{Precision: "fp32"},
			InstanceType:       "p3.2xlarge",
			IterationsPerEpoch: new(100.0), InitS: new(3.0), FirstIterationS: &s.First, Steady: s.Steady, SteadyN: s.N,
			USDPerHour: new(3.06), Status: profile.Done, Basis: s.Steady.Basis,
		},
		Machine: store.Machine{Host: "h", GPU: "V100-SXM2-16GB", GPUCount: 1, USDPerHour: new(3.06)},
		Summary: s, SpentS: 10, SpentUSD: new(0.0085), ScriptExit: new(0), StoppedBecause: steady.Precise, Done: true,
	}
}

func object(t *testing.T, p Probe) map[string]any {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// The keys are those of the contract; unknown is null, lists are never null.
func TestJSON(t *testing.T) {
	o := object(t, New(measured(t), []float64{5, 20}, nil))
	run := o["run"].(map[string]any)
	for _, key := range []string{"id", "machine", "init_s", "first_iteration_s", "steady_s", "warmup_iterations",
		"iterations", "stopped_because", "spent_s", "spent_usd", "script_exit", "rejected_lines"} {
		if _, ok := run[key]; !ok {
			t.Errorf("run lacks %q", key)
		}
	}
	if o["schema"] != 1.0 || o["command"] != "probe" || o["warnings"] == nil || run["accuracy"] != nil ||
		run["peak_memory_bytes"] != nil || run["error"] != nil {
		t.Errorf("%v", o)
	}
	mean, old := run["steady_iteration"].(map[string]any), run["steady_s"].(map[string]any)
	if mean["s"] != old["value"] || mean["low"] != old["low"] || mean["high"] != old["high"] ||
		mean["basis"] != "measured" ||
		mean["s"].(float64) < 0.1 || run["steady_n"] != run["steady_iterations"] || run["steady_n"].(float64) < 10 {
		t.Errorf("the steady mean is %v, under its old name %v", mean, old)
	}
	estimates := o["estimates"].([]any)
	if len(estimates) != 2 {
		t.Fatalf("%d estimates", len(estimates))
	}
	five := estimates[0].(map[string]any)
	seconds, dollars := five["time"].(map[string]any), five["cost"].(map[string]any)
	if s := seconds["s"].(float64); s < 54 || s > 57 { // 5 s of one-offs and 499 steps of 0.101 s
		t.Errorf("five epochs take %v s", s)
	}
	if want := seconds["high"].(float64) * 3.06 / 3600; fmt.Sprintf("%.9f", dollars["high"]) != fmt.Sprintf("%.9f",
		want) || dollars["basis"] != "measured" {
		t.Errorf("cost %v, want at most %v", dollars, want)
	}
}

func TestUnknowns(t *testing.T) {
	u := measured(t)
	u.Run.USDPerHour, u.SpentUSD = nil, nil
	if cost := object(t, New(u, []float64{5}, nil))["estimates"].([]any)[0].(map[string]any)["cost"]; cost != nil {
		t.Errorf("a cost without a price: %v", cost)
	}
	u.Run.IterationsPerEpoch = nil
	if e := object(t, New(u, []float64{5}, nil))["estimates"].([]any); len(e) != 0 {
		t.Errorf("epochs of unknown length estimated: %v", e)
	}
	u.Summary = steady.Summarise([]float64{1, 2})
	p := New(u, nil, nil)
	if run := object(t, p)["run"].(map[string]any); run["steady_s"] != nil || run["p99_s"] != nil ||
		run["steady_iteration"].(map[string]any)["s"] != nil {
		t.Errorf("%v", run)
	}
	if !slices.ContainsFunc(p.Warnings, func(w string) bool { return strings.HasPrefix(w, "not steady: ") }) {
		t.Errorf("warnings %q", p.Warnings)
	}
	u.Err, u.StoppedBecause = errors.New("the script failed"), ""
	if run := object(t, New(u, nil, nil))["run"].(map[string]any); run["error"] != "the script failed" ||
		run["stopped_because"] != nil {
		t.Errorf("%v", run)
	}
}

// A command need not say its batch size or what the machine has; no GPU is
// written only where it was said that there is none.
func TestUnknownCountsAreNull(t *testing.T) {
	u := measured(t)
	u.Run.BatchSize, u.Machine.GPU, u.Machine.GPUCount = 0, "", 0
	p := New(u, nil, nil)
	run := object(t, p)["run"].(map[string]any)
	if m := run["machine"].(map[string]any); run["batch_size"] != nil || m["gpu_count"] != nil ||
		m["instance_type"] != nil || m["host"] != "h" {
		t.Errorf("%v", run)
	}
	var b strings.Builder
	if err := p.Write(&b, "p.db"); err != nil || strings.Contains(b.String(), "batch") {
		t.Errorf("%v\n%s", err, b.String())
	}
	u.Machine.NoGPU = true
	if m := object(t, New(u, nil, nil))["run"].(map[string]any)["machine"].(map[string]any); m["gpu_count"] != 0.0 {
		t.Errorf("known to have none, yet %v", m["gpu_count"])
	}
}

func TestText(t *testing.T) {
	var b strings.Builder
	if err := New(measured(t), []float64{1, 20}, nil).Write(&b, "/tmp/\x1b[31mprofiles.db"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"net, train, batch 32, fp32 on h (V100-SXM2-16GB)", "steady iteration   101 ms",
		"from 60 of 61 steps", "precise enough", "1 epoch ", "20 epochs", "$", "saved as run 7 in /tmp/profiles.db\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
