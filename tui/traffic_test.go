package tui

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sweetspot/data/contract"
	"sweetspot/data/workload"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/serving"
	"sweetspot/tui/screens/traffic"
)

// madeUpLoad is an hour, the trace of a file that is there, or else for a path a day at thousands of
// requests a second.
func madeUpLoad(_ context.Context, path string) (traffic.Trace, error) {
	if _, err := os.Stat(path); err == nil {
		return workload.ReadRequests(path)
	}
	if path != "" {
		return traffic.Trace{Arrivals: serving.DayLoad.Generate(86400, 1500, 1), Source: "a made-up day"}, nil
	}
	return traffic.Trace{Arrivals: serving.CrowdLoad.Generate(3600, 50, 1), Source: "a made-up hour"}, nil
}

// served is a set in which a model has inference runs of two variants.
func served(t testing.TB) *profile.Set {
	t.Helper()
	set := published(t)
	set.Models = append(set.Models, profile.Model{Name: "served"})
	for k, variant := range []string{"", "pruned"} {
		for _, batch := range []int{1, 8, 32} {
			seconds := float64(batch) * 0.01 / float64(k+1)
			set.Runs = append(set.Runs, profile.Run{
				ID: int64(len(set.Runs) + 1), Model: "served", Mode: profile.Infer, Status: profile.Done,
				Variant: profile.Variant{Name: variant, Precision: "fp32"}, InstanceType: "desk",
				Count: 1, BatchSize: batch, Steady: estimate.Around(seconds, 0.01*seconds, estimate.Measured),
				SteadyStdDevS: new(0.05 * seconds),
				Accuracy:      &profile.Accuracy{Metric: "top-1", Value: 0.9 - 0.05*float64(k), HigherIsBetter: true},
			})
		}
	}
	return set
}

func TestTrafficScrubs(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: served(t)})
	d.press("4")
	if s := d.screen(); !strings.Contains(s, "the study's m4.large") || !strings.Contains(s, "paragon") ||
		!strings.Contains(s, "10 requests/s") {
		t.Fatalf("not the study's VM:\n%s", s)
	}
	first := d.traffic().Question()
	for _, keys := range [][]string{{"]"}, {"down", "down", "]"}, {"down", "["}, {"down", "]"}, {"down", "]"},
		{"down", "]"}, {"0"}} {
		before := d.screen()
		d.press(keys...)
		d.exact()
		if d.screen() == before {
			t.Errorf("%v changed nothing:\n%s", keys, before)
		}
	}
	last := d.traffic().Question()
	for range 7 {
		d.press("u")
	}
	if got := d.traffic().Question(); !reflect.DeepEqual(got, first) {
		t.Errorf("undo leads to %+v, not %+v", got, first)
	}
	for range 7 {
		d.press("U")
	}
	if got := d.traffic().Question(); !reflect.DeepEqual(got, last) {
		t.Errorf("redo leads to %+v, not %+v", got, last)
	}
	d.press("tab", "down", "down", "down")
	if s := d.screen(); !strings.Contains(s, "capacity, mixed") {
		t.Errorf("the chart isn't of the scheme under the cursor:\n%s", s)
	}
}

// A model's runs say what a VM serves; the floor of accuracy chooses among them.
func TestTrafficOfAModel(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: served(t)})
	d.press("4")
	for range 20 {
		if d.press("m", "enter"); d.traffic().Question().Model == "served" {
			break
		}
	}
	if s := d.screen(); !strings.Contains(s, "pruned fp32 on desk") || !strings.Contains(s, "6 choices") {
		t.Fatalf("the cheapest variant isn't served:\n%s", s)
	}
	d.press("down", "enter", "8", "8", "enter")
	if s := d.screen(); !strings.Contains(s, "Serves served fp32 on desk") {
		t.Errorf("at 88 %% the unpruned one must serve:\n%s", s)
	}
	d.press("up", "home")
	if s := d.screen(); !strings.Contains(s, "Accuracy rules out the only variant of served") &&
		!strings.Contains(s, "answers within 10.0 ms") {
		t.Errorf("a limit below every run:\n%s", s)
	}
	d.exact()
	d.press("u", "u", "m", "enter")
	if got := d.traffic().Question().Model; got != "" {
		t.Errorf("after the last model comes %q", got)
	}
}

// A synthetic load takes the place of the trace, as long as is asked; functions kept warm and the predictor
// change what they are to change.
func TestTrafficLoads(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: served(t)})
	d.press("4")
	first := d.traffic().Question()
	d.press("w", "b", "u", "r", "s", "t", "enter")
	if tr := d.traffic().Shown.Engine.Trace; len(tr) != 24*3600 {
		t.Errorf("a bursty day has %d s", len(tr))
	}
	d.press("w", "p", "h", "a", "s", "e", "s", "enter")
	d.retype("10,x")
	if s := d.screen(); !strings.Contains(s, "is no load") {
		t.Errorf("10,x is taken for phases:\n%s", s)
	}
	d.retype("10,50,100")
	for range 10 {
		d.press("down")
	}
	d.press("enter", "2", "0", "m", "enter")
	if tr := d.traffic().Shown.Engine.Trace; len(tr) != 3600 || tr.Requests() != 1200*160 || !strings.Contains(d.screen(),
		"w: 3 phases") {
		t.Errorf("three phases of 20 m are %d requests in %d s:\n%s", tr.Requests(), len(tr), d.screen())
	}
	cold := d.traffic().Shown.Outcomes
	d.press("up", "up", "enter", "a", "v", "enter", "up", "enter", "5", "0", "enter")
	warm := d.traffic().Shown.Outcomes
	if warm[3].Warming <= cold[3].Warming || warm[3].ColdStarts >= cold[3].ColdStarts || warm[0].USD != cold[0].USD ||
		warm[2].USD == cold[2].USD {
		t.Errorf("50 kept warm, and another predictor:\n%+v\n%+v", cold, warm)
	}
	d.exact()
	for range 5 {
		d.press("u")
	}
	if got := d.traffic().Question(); !reflect.DeepEqual(got, first) {
		t.Errorf("undo leads to %+v, not %+v", got, first)
	}
}

func TestTrafficIsWritten(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("4", "e")
	d.name("mine.json")
	data, err := os.ReadFile(filepath.Join(dir, "mine.json"))
	if err != nil {
		t.Fatal(err)
	}
	var f contract.Traffic
	if err := json.Unmarshal(data, &f); err != nil || len(f.Schemes) != 5 || f.Trace.Seconds != 3600 {
		t.Errorf("%v: %s", err, data)
	}
	for _, s := range f.Schemes {
		if n := s.Requests.OnVMs + s.Requests.OnFunctions + s.Requests.Queued; n != int64(f.Trace.Requests) ||
			math.Abs(s.VMUSD+s.FunctionUSD-s.CostUSD) > 1e-9 {
			t.Errorf("%s: %d of %d requests, %+v", s.Scheme, n, f.Trace.Requests, s)
		}
	}
}

// BenchmarkTrafficScrub goes from a slider's step to the next frame at 120×40, of
// a day of 1,500 requests a second.
func BenchmarkTrafficScrub(b *testing.B) {
	d := drive(b, 120, 40, &shelf{set: published(b)})
	trace, _ := madeUpLoad(b.Context(), "a day")
	d.run(d.traffic().SetTrace(trace))
	d.press("4", "down", "down")
	steps := []string{"left", "left", "right", "right"}
	k := 0
	for b.Loop() {
		_, cmd := d.app.Update(press(steps[k%len(steps)]))
		k++
		if cmd == nil {
			b.Fatal("the step changes nothing")
		}
		d.app.Update(cmd())
		if d.app.View().Content == "" {
			b.Fatal("no frame")
		}
	}
}
