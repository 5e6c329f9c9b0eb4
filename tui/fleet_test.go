package tui

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/contract"
	engine "sweetspot/engine/fleet"
	"sweetspot/tui/screens/fleet"
)

// studyJobs is the number of jobs that the study's policies decide on.
const studyJobs = 18187

// madeUp is a small trace, or for a path one of the study's size.
func madeUp(_ context.Context, path string) (fleet.Trace, error) {
	n := 3000
	if path != "" {
		n = studyJobs
	}
	unknown := math.NaN()
	return fleet.Trace{Jobs: engine.Usual(n).Generate(1), Source: "made-up jobs", Mix: engine.Mix{
		{Model: "a", Weight: 1, Ratio: 0.8, Accuracy: 0.9, ReducedAccuracy: 0.895}, {Model: "b", Weight: 1, Ratio: unknown,
			Accuracy: unknown, ReducedAccuracy: unknown},
	}}, nil
}

func TestFleetScrubs(t *testing.T) {
	if testing.Short() {
		t.Skip("TestFleetTypedValues computes in the background by the same calls")
	}
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("3")
	if s := d.screen(); !strings.Contains(s, "of 3,000 jobs can be asked") || !strings.Contains(s, "p3.2xlarge") ||
		!strings.Contains(s, "$0.985/h") {
		t.Fatalf("not the study's VM and prices:\n%s", s)
	}
	first := d.fleet().Question()
	for _, keys := range [][]string{{"]"}, {"down", "["}, {"down", "right"}, {"down", "["}, {"down", "["}, {"down", "]"},
		{"d"}, {"O"}, {"n", "enter"}, {"R"}} {
		before := d.screen()
		d.press(keys...)
		d.exact()
		if d.screen() == before {
			t.Errorf("%v changed nothing:\n%s", keys, before)
		}
	}
	last := d.fleet().Question()
	for range 10 {
		d.press("u")
	}
	if got := d.fleet().Question(); got != first {
		t.Errorf("undo leads to %+v, not %+v", got, first)
	}
	for range 10 {
		d.press("U")
	}
	if got := d.fleet().Question(); got != last {
		t.Errorf("redo leads to %+v, not %+v", got, last)
	}
}

func TestFleetTypedValues(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("3", "enter", "1", "2", "enter")
	if got := d.fleet().Question().VMs; got != 12 {
		t.Fatalf("typed 12 VMs, got %g", got)
	}
	d.press("enter", "x", "enter")
	if s := d.screen(); !strings.Contains(s, "whole number") {
		t.Errorf("nonsense isn't refused:\n%s", s)
	}
	d.press("esc", "enter", "0", "enter")
	if s := d.screen(); !strings.Contains(s, "No VM is reserved") {
		t.Errorf("without reserved VMs:\n%s", s)
	}
	d.exact()
}

// An on-demand price below the reserved one leaves nothing to offer.
func TestFleetSaysWhenNoOfferPays(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("3", "O", "down", "enter", "0", ".", "5", "enter")
	if s := d.screen(); !strings.Contains(s, "No offer pays") || !strings.Contains(s, "no offer pays off") {
		t.Errorf("on-demand VMs at $0.50:\n%s", s)
	}
}

func TestFleetAlternatives(t *testing.T) {
	d := drive(t, 200, 50, &shelf{set: published(t)})
	d.press("3")
	if s := d.screen(); !strings.Contains(s, "reserved VMs cost least") ||
		!strings.Contains(s, "earliest-first (d), would cost least of what was tried") || !strings.Contains(s, "lowest "+
		"bill at") {
		t.Errorf("no alternatives:\n%s", s)
	}
	d.press("down")
	_, answering := d.app.Update(press("]"))
	_, comparing := d.app.Update(answering())
	if s := d.screen(); strings.Contains(s, "reserved VMs cost least") {
		t.Errorf("the words are of an older question:\n%s", s)
	}
	d.run(comparing)
	d.says("reserved VMs cost least")
}

func TestFleetIsWritten(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("3", "e")
	d.name("mine.json")
	data, err := os.ReadFile(filepath.Join(dir, "mine.json"))
	if err != nil {
		t.Fatal(err)
	}
	var f contract.Fleet
	if err := json.Unmarshal(data, &f); err != nil || len(f.Policies) != 4 || f.Workload.Jobs != 3000 {
		t.Errorf("%v: %s", err, data)
	}
	d.press("e")
	d.name("mine.json")
	if s := d.screen(); !strings.Contains(s, "exists already") {
		t.Errorf("a file was written over:\n%s", s)
	}
}

// BenchmarkFleetScrub goes from a slider's step to the next frame at 120×40 on a
// trace of the study's size.
func BenchmarkFleetScrub(b *testing.B) {
	for _, overlap := range []bool{false, true} {
		b.Run(map[bool]string{false: "gaps", true: "as-studied"}[overlap], func(b *testing.B) {
			d := drive(b, 120, 40, &shelf{set: published(b)})
			trace, _ := madeUp(b.Context(), "of the study")
			d.run(d.fleet().SetTrace(trace))
			d.press("3")
			if overlap {
				d.press("O")
			}
			d.press("down", "down", "down")
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
		})
	}
}
