package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	builtin "sweetspot/data/library"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// carded is a workspace with what is built in of language models, and with what a card says of quantised ones.
func carded(t testing.TB) *shelf {
	t.Helper()
	known, err := builtin.Load()
	if err != nil {
		t.Fatal(err)
	}
	set := *published(t)
	set.Architectures, set.Throughputs, set.Latencies = known.Architectures, known.Throughputs, known.Latencies
	set.Reached = known.Reached
	set.Runs, set.VMTypes = slices.Clone(set.Runs), slices.Clone(set.VMTypes)
	for _, vm := range []struct {
		name, gpu string
		count     int
		memory    float64
		usd       float64
	}{{"g6.xlarge", "L4", 1, 24, 0.80}, {"g5.xlarge", "A10G", 1, 24, 1.01}, {"p4d.24xlarge", "A100-SXM4-40GB", 8, 40, 22},
		{"p5.48xlarge", "H100-SXM5-80GB", 8, 80, 55}} {
		set.VMTypes = append(set.VMTypes, profile.VMType{Cloud: "aws", Region: "us-east-1", InstanceType: vm.name,
			GPU: vm.gpu, GPUCount: vm.count, GPUMemGiB: &vm.memory,
			Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: vm.usd, Source: "a list", AsOf: "2026-11-01"}}})
	}
	for i, c := range []struct {
		precision, metric string
		value             float64
	}{{"bf16", "MMLU 5-shot", 0.69}, {"fp8", "MMLU 5-shot", 0.681}, {"awq", "MMLU 5-shot", 0.665},
		{"nf4", "GSM8K", 0.81}} {
		set.Runs = append(set.Runs, profile.Run{ID: int64(1000 + i), Model: "lab/llama-3.2-1b-Instruct", Mode: profile.Infer,
			Variant: profile.Variant{Precision: c.precision}, Basis: estimate.Published, Source: "a card",
			Accuracy: &profile.Accuracy{Metric: c.metric, Value: c.value, HigherIsBetter: true, Basis: estimate.Published}})
	}
	return &shelf{set: &set}
}

// infers asks for the inference of a language model.
func (d *driver) infers(model string) {
	d.press("m")
	d.press(strings.Split(model, "")...)
	d.press("down", "enter")
}

// Quantised weights whose accuracy a card tells stand on the frontier of cost and accuracy with the published ones,
// and nothing of another metric stands on the same axis.
func TestQuantisedVariants(t *testing.T) {
	d := drive(t, 120, 40, carded(t))
	d.infers("llama-3.2-1b")
	q := d.explore().Question()
	if q.Mode != profile.Infer || q.Lengths == nil || q.Units != 10e6 {
		t.Fatalf("asks about %+v", q.Workload)
	}
	for _, size := range []struct{ w, h int }{{200, 50}, {120, 40}, {80, 24}, {50, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			d.send(tea.WindowSizeMsg{Width: size.w, Height: size.h})
			d.exact()
			golden.RequireEqual(t, []byte(d.screen()))
		})
	}
	r := d.explore().Answer().Result
	kinds := map[string]bool{}
	for i := range r.Space.Len() {
		c := r.Space.At(i)
		kinds[c.Variant.Name] = true
		if c.Quality == nil || c.Quality.Metric != "MMLU 5-shot" || !c.Time.Known() || !(c.Time.Low < c.Time.High) {
			t.Fatalf("%s: %+v in %v", c.ID, c.Quality, c.Time)
		}
	}
	if len(kinds) != 3 || !kinds[""] || !kinds["fp8"] || !kinds["int4"] {
		t.Errorf("ranks %v", kinds)
	}
	on := map[string]bool{}
	for _, i := range r.Frontier(objective.Cost, objective.Accuracy) {
		on[r.Space.At(i).Variant.Name] = true
	}
	if !on[""] || len(on) < 2 {
		t.Errorf("on the frontier: %v", on)
	}
}

// The other metric is a key away, and so are kinds whose accuracy nobody tells.
func TestMetricAndKinds(t *testing.T) {
	d := drive(t, 120, 40, carded(t))
	if why := d.explore().Disabled("metric"); why == "" {
		t.Error("metrics are offered of a model that has one")
	}
	d.infers("llama-3.2-1b")
	d.press("%", "down", "enter")
	if q := d.explore().Question(); q.Metric != "GSM8K" || d.explore().Answer().Result.Space.Metric != "GSM8K" {
		t.Fatalf("compared in %q", q.Metric)
	}
	d.press("v")
	d.press(strings.Split("int8", "")...)
	d.press("enter")
	if q := d.explore().Question(); len(q.Variants) != 1 || q.Variants[0] != "int8" {
		t.Fatalf("asks for %v", q.Variants)
	}
	r := d.explore().Answer().Result
	if r.Space.Len() == 0 {
		t.Fatal("nothing in int8")
	}
	for i := range r.Space.Len() {
		if c := r.Space.At(i); c.Variant.Name != "int8" || c.Quality != nil {
			t.Fatalf("%s: %+v", c.ID, c.Quality)
		}
	}
	d.press("w")
	if q := d.explore().Question(); q.Mode != profile.Train || q.Tuning == nil {
		t.Errorf("w asks about %+v", q.Workload)
	}
}

// A loss that trainings reached has a slider, which decides the tokens; moving the slider of these takes it off again.
func TestLossSlider(t *testing.T) {
	d := drive(t, 120, 40, carded(t))
	d.press("m")
	d.press(strings.Split("llama-2-70b", "")...)
	d.press("enter")
	sliders := func() int { return len(d.explore().Sliders.All) }
	before := sliders()
	d.press("down", "down", "down", "down", "down", "left")
	q := d.explore().Question()
	if q.TargetLoss == nil || *q.TargetLoss != 0.925 {
		t.Fatalf("asks about %+v\n%s", q.Workload, d.screen())
	}
	for _, size := range []struct{ w, h int }{{120, 40}, {80, 24}, {50, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			d.send(tea.WindowSizeMsg{Width: size.w, Height: size.h})
			d.exact()
			golden.RequireEqual(t, []byte(d.screen()))
		})
	}
	d.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	d.press("enter", "0", ".", "9", "enter")
	if screen := d.screen(); !strings.Contains(screen, "the lowest is 0.925") {
		t.Errorf("to a loss that nobody reached:\n%s", screen)
	}
	d.press("u", "up", "up", "right")
	if q := d.explore().Question(); q.TargetLoss != nil || q.Units <= 0 {
		t.Errorf("asks about %+v after the slider", q.Workload)
	}
	d.infers("llama-3.2-1b")
	if n := sliders(); n != before-1 {
		t.Errorf("%d sliders of an inference, %d of a training", n, before)
	}
}

// While runs wait in a queue it is said, and not that there are none.
func TestRunsAreQueued(t *testing.T) {
	s := carded(t)
	for _, c := range []struct {
		status profile.Status
		says   string
	}{{profile.Running, "are queued: none has begun"}, {profile.Failed, "no run of this model"}} {
		set := *s.set
		set.Runs = append(slices.Clone(set.Runs), profile.Run{ID: 2000, Model: "ours", Mode: profile.Train, BatchSize: 8,
			Status: c.status, Basis: estimate.Measured})
		d := drive(t, 120, 40, &shelf{set: &set})
		d.run(d.explore().Turn(question.Question{Model: "ours", Mode: profile.Train}))
		if screen := d.screen(); !strings.Contains(screen, c.says) {
			t.Errorf("%s:\n%s", c.status, screen)
		}
	}
}
