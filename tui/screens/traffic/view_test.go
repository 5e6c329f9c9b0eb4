package traffic

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/engine/serving"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/screens/traffic/figure"
	"sweetspot/tui/screens/traffic/sliders"
)

func TestNotesOfTheSliders(t *testing.T) {
	s := asked(t, 200, 50)
	note := func(k int) string { return strings.Split(ansi.Strip(s.controls.All[k].View(s.Theme, 60)), "\n")[0] }
	says := func(k int, words string) {
		t.Helper()
		if got := note(k); !strings.Contains(got, words) {
			t.Errorf("slider %d says %q, not %q", k, got, words)
		}
	}
	says(memorySlider, "cheapest in time")
	says(accuracySlider, "m chooses a model")
	says(priceSlider, "10 requests/s")
	says(scaleSlider, "peak ")
	of := &s.Shown.Engine
	suits, _ := of.Memory.Suits(of.Settings.StrictLimitS, of.Settings.Function.Prices)
	if got := first(s.controls.All[memorySlider].Value()); got != suits ||
		!slices.Equal(s.controls.All[memorySlider].Marks,
			[]float64{suits}) {
		t.Errorf("the function has %g GiB, and %v marks %g", got, s.controls.All[memorySlider].Marks, suits)
	}
	q := s.Question()
	q.MemoryGiB = 2
	do(s, s.Change("memory", q))
	says(memorySlider, "271 ms")
	q.MemoryGiB, q.LimitS = 0, 0.02
	do(s, s.Change("limit", q))
	says(memorySlider, "none is in time")
	q.LimitS = 0.5
	do(s, s.Change("limit again", q))
	do(s, nextModel(s))
	says(accuracySlider, "2 choices")
}

// The columns show what the outcomes hold, and sort by it.
func TestColumnsOfTheSchemes(t *testing.T) {
	o := serving.Outcome{USD: 3, VMUSD: 2, FunctionUSD: 1, OverProvisioning: new(0.25), P50S: 0.5, P99S: 2, MostVMs: 7,
		Requests: serving.Split{Strict: 100, Relaxed: 50}, Violations: serving.Split{Strict: 10, Relaxed: 1},
		OnVMs: serving.Split{Strict: 75, Relaxed: 45}, OnFunctions: serving.Split{Strict: 25, Relaxed: 5}}
	a := &Answer{Outcomes: []serving.Outcome{o, {}}}
	want := map[string]string{"cost": "$3.00", "vms": "$2.00", "functions": "$1.00", "over": "+25.0 %",
		"strict":  "10.00 %",
		"relaxed": "2.00 %", "p50": "500 ms", "p99": "2.00 s", "share": "20.00 %", "most": "7"}
	for _, m := range measures[1:] {
		if got := m.Write(m.Value(a, 0)); got != want[m.ID] {
			t.Errorf("%s is %s, not %s", m.ID, got, want[m.ID])
		}
		delete(want, m.ID)
	}
	if len(want) > 0 {
		t.Errorf("no column shows %v", want)
	}
	isOver := func(m desk.Measure[Answer]) bool { return m.ID == "over" }
	if over := measures[slices.IndexFunc(measures, isOver)]; !math.IsNaN(over.Value(a, 1)) {
		t.Error("nothing to compare with is a number")
	}
	s := asked(t, 200, 50)
	s.OrderBy("cost")
	s.SetTheme(s.Theme)
	least := 0
	for i, o := range s.Shown.Outcomes {
		if o.USD < s.Shown.Outcomes[least].USD {
			least = i
		}
	}
	s.Table.SetCursor(0)
	if s.Chosen() != least {
		t.Errorf("by cost the first is scheme %d, the cheapest %d", s.Chosen(), least)
	}
	s.View()
	before := s.plots.load.View()
	s.Table.SetCursor(1)
	s.draw()
	if s.plots.load.View() == before {
		t.Error("the capacity of another scheme looks the same")
	}
	s.Table.SetCursor(0)
	if got := s.loadLegend(); !strings.Contains(got, "capacity, "+string(serving.Schemes()[least])) {
		t.Errorf("the chart is of %q", got)
	}
}

func TestWordsOfTheScreen(t *testing.T) {
	for v, want := range map[float64]string{999.94: "999.9", 999.96: "1000", 1000: "1,000", 12345.6: "12,346",
		0.5: "0.5"} {
		if got := figure.Rate(v); got != want {
			t.Errorf("%g is %s, not %s", v, got, want)
		}
	}
	got := strings.Join([]string{sliders.Limit(0.5), sliders.Gibibytes(1.0625), sliders.Hourly(0.12345),
		sliders.Times(2)}, " ")
	if got != "≤ 500 ms 1.06 GiB $0.123/h ×2" {
		t.Error(got)
	}
	s := asked(t, 200, 50)
	all := strings.Join(s.sentences(), "\n")
	for _, want := range []string{"A function of 1.062 GiB takes ", "Trace: made up.",
		"Relaxed requests may take 5 m 00 s."} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing says %q:\n%s", want, all)
		}
	}
	if strings.Contains(all, "Serves ") {
		t.Errorf("the study's VM serves no run:\n%s", all)
	}
	do(s, nextModel(s))
	if all = strings.Join(s.sentences(), "\n"); !strings.Contains(all, "Serves served pruned on desk at batch 8: ") {
		t.Errorf("nothing says what serves:\n%s", all)
	}
	// What matters most stands above the panels, and is not said again below.
	decision := s.decision()
	if len(decision) != 2 || !strings.Contains(decision[0], " a month, ") || !strings.Contains(s.View(),
		decision[0][:20]) {
		t.Errorf("decided: %q", decision)
	}
	if strings.Contains(strings.Join(s.sentences(), "\n"), decision[0]) {
		t.Errorf("said twice: %s", decision[0])
	}
	s.StopFinding()
	s.Found = nil
	if got := s.decision(); len(got) != 1 || got[0] != "Advice appears once the sliders rest." {
		t.Errorf("the advice is of nothing: %q", got)
	}
	if s.best(nil, nil) != -1 {
		t.Error("something is best before it is known")
	}
}
