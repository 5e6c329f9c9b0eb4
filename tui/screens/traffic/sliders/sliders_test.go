package sliders

import (
	"math"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/workload"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/slider"
	"sweetspot/tui/screen"
)

// Names are typed, in part too, and stepped through.
func TestNames(t *testing.T) {
	s := slider.NewExact(Predictor)
	for typed, want := range map[string]serving.Predictor{"average": serving.Average, "PRES": serving.Present,
		"tre": serving.Trend} {
		s.Begin()
		s.Type(typed)
		if _, err := s.Commit(); err != nil {
			t.Fatal(err)
		}
		if v, _ := s.Value(); predictorAt(v) != want || Predictor.Format(v) != string(want) {
			t.Errorf("%q is %s", typed, predictorAt(v))
		}
	}
	for _, typed := range []string{"magic", "1"} {
		s.Begin()
		s.Type(typed)
		if _, err := s.Commit(); err == nil || !strings.Contains(err.Error(), "none of trend, average, present") {
			t.Errorf("%q: %v", typed, err)
		}
	}
	s.Set(0)
	for _, want := range []serving.Predictor{serving.Average, serving.Present, serving.Present} {
		s.Move(1)
		if v, _ := s.Value(); predictorAt(v) != want {
			t.Errorf("a step leads to %s, not %s", predictorAt(v), want)
		}
	}
}

// A synthetic load takes the place of a trace; a trace that was read has no length to set.
func TestSyntheticLoads(t *testing.T) {
	read := workload.Requests{Arrivals: serving.Trace{1, 2, 3}}
	usual := workload.DefaultLoad()
	made := workload.Requests{Arrivals: serving.Trace{1}, Made: &usual}
	if _, ok := Made(workload.Load{}, &read); ok || WithLength(workload.Load{}, &read, 60).Seconds != 0 {
		t.Error("a trace that was read is synthetic")
	}
	if got := Requests(workload.Load{}, read); len(got.Arrivals) != 3 {
		t.Errorf("%d s", len(got.Arrivals))
	}
	if got := Requests(workload.Load{}, made); len(got.Arrivals) != 1 {
		t.Errorf("what was generated is generated again: %d s", len(got.Arrivals))
	}
	short := WithLength(workload.Load{}, &made, 90)
	if got := Requests(short, made); len(got.Arrivals) != 90 || short.Pattern != usual.Pattern {
		t.Errorf("%+v of %d s", short, len(got.Arrivals))
	}
	phases := workload.Load{Phases: []float64{1, 2}, Seconds: 10}
	if got := WithLength(phases, &read, 1e9); got.Seconds*2 > serving.MaxSeconds {
		t.Errorf("two phases of %d s", got.Seconds)
	}
}

// The trace that was read comes first among the loads, and back where it was replaced.
func TestChooseLoad(t *testing.T) {
	sh := &screen.Shell{Ctx: t.Context()}
	trace := workload.Requests{Arrivals: serving.Trace{1}, Source: "a.csv"}
	ChooseLoad(sh, workload.DefaultLoad(), trace, func(workload.Load) tea.Cmd { return nil }, nil)
	for _, key := range []string{"t", "h", "e", " ", "t", "enter"} {
		if values, done := sh.Choices.Key(key, strings.TrimSuffix(key, "enter")); done && values[0] != asRead {
			t.Errorf("%q is chosen", values)
		}
	}
	if sh.Choices.Visible() {
		t.Error("the trace is not offered")
	}
}

// The slider of accuracy reaches over the variants, whose metric says which way it limits. Where all are
// alike it reaches over all accuracies; where there are none it stays as it is.
func TestShowAccuracy(t *testing.T) {
	of := func(accuracies ...float64) *serving.Procured {
		p := &serving.Procured{}
		for _, a := range accuracies {
			p.Variants.List = append(p.Variants.List, serving.Variant{Accuracy: a})
		}
		return p
	}
	lower := of(0.3, math.NaN(), 0.2, 0.7)
	lower.Variants.LowerIsBetter = true
	s := slider.NewExact(Accuracy)
	for _, c := range []struct {
		of     *serving.Procured
		lo, hi float64
		off    bool // a limit from above is off at the high end
	}{{of(), 0, 1, false}, {lower, 0.2, 0.7, true}, {of(), 0.2, 0.7, true}, {of(0.3, math.NaN(), 0.2), 0.2, 0.3, false},
		{of(math.NaN()), 0, 1, false}, {of(0.4, 0.4), 0, 1, false}} {
		ShowAccuracy(s, c.of)
		s.Set(c.hi)
		s.Move(1)
		_, on := s.Value()
		if lo, hi := s.Range(); lo != c.lo || hi != c.hi || on == c.off {
			t.Errorf("%+v: from %g to %g, on %v", c.of.Variants, lo, hi, on)
		}
	}
}
