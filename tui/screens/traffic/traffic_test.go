package traffic

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/keys"
	"sweetspot/tui/plot"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/traffic/dial"
	"sweetspot/tui/screens/traffic/figure"
	"sweetspot/tui/theme"
)

// program is what the screen has around it in these tests.
type program struct{}

func (program) Show(keys.Action) tea.Cmd { return nil }
func (program) Shown() keys.Action       { return keys.Traffic }
func (program) Tell(tea.Msg) tea.Cmd     { return nil }
func (program) Reload() tea.Cmd          { return nil }

// fixture is the desk of models that VMs serve, and the screen that has it.
type fixture struct {
	*VMs
	whole *Screen
}

// asked is the screen with an answer about ten minutes of load, and a set in which
// the model "served" has a fast variant and an accurate one.
func asked(t *testing.T, w, h int) *fixture {
	t.Helper()
	clock := func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	whole := New(&screen.Shell{Program: program{}, Ctx: t.Context(), Theme: theme.New("", true, false), After: clock},
		func(context.Context, string) (Trace, error) {
			return Trace{Arrivals: serving.CrowdLoad.Generate(600, 50, 1), Source: "ten minutes",
				Notes: []string{"made up"}}, nil
		})
	s := &fixture{whole.VMs, whole}
	whole.SetSize(w, h)
	set := &profile.Set{Models: []profile.Model{{Name: "trained"}, {Name: "served"}}, Runs: []profile.Run{
		{Model: "trained", Mode: profile.Train, Steady: estimate.Around(1, 0.1, estimate.Measured)}}}
	for k, variant := range []string{"", "pruned"} {
		seconds := 0.08 / float64(k+1)
		set.Runs = append(set.Runs, profile.Run{ID: int64(k + 1), Model: "served", Mode: profile.Infer,
			Status: profile.Done, Variant: profile.Variant{Name: variant}, InstanceType: "desk", Count: 1, BatchSize: 8,
			Steady: estimate.Around(seconds, 0.01*seconds, estimate.Measured), SteadyStdDevS: new(0.05 * seconds),
			Accuracy: &profile.Accuracy{Metric: "top-1", Value: 0.9 - 0.05*float64(k), HigherIsBetter: true}})
	}
	whole.Receive(screen.Loaded{Set: set})
	do(s, whole.Activate())
	if s.Shown == nil || s.Shown.Why != "" || !s.IsFound() {
		t.Fatalf("no answer: %+v", s.Shown)
	}
	return s
}

// do runs a command and what comes of it.
func do(s *fixture, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			do(s, c)
		}
	default:
		do(s, s.whole.Receive(msg))
	}
}

// nextModel presses enter on what the key of the models offers.
func nextModel(s *fixture) tea.Cmd {
	s.whole.Act(keys.Model)
	cmd, _ := s.Shell.Key(tea.KeyPressMsg{Code: tea.KeyEnter}, keys.Enter)
	return cmd
}

func TestLinesAreOfTheirSpans(t *testing.T) {
	s := asked(t, 200, 50)
	spans := []serving.Span{{Seconds: 10, Queries: 50, Violations: 5, Running: 2}, {Seconds: 20, Queries: 60, Running: 3}}
	line := figure.OverTime(spans, 4, func(s serving.Span) float64 { return s.Running })
	if !slices.Equal(line.X, []float64{5, 20}) || !slices.Equal(line.Y, []float64{2, 3}) || line.Class != 4 {
		t.Errorf("the line is %+v", line)
	}
	a := *s.Shown
	a.Spans, a.Outcomes = [][]serving.Span{spans, spans}, make([]serving.Outcome, 2)
	a.Outcomes[1].Violations = serving.Split{Strict: 1}
	lines := loadLines(&a, 1)
	perVM := a.Engine.Settings.VM.QueriesPerSecond
	if len(lines) != 2 || lines[0].Class != 1 || lines[1].Class != loadClass ||
		!slices.Equal(lines[0].Y, []float64{2 * perVM, 3 * perVM}) || !slices.Equal(lines[1].Y, []float64{5, 3}) {
		t.Errorf("load and capacity are %+v", lines)
	}
	if late := figure.LateLines(a.Outcomes, a.Spans); len(late) != 1 || late[0].Class != 1 ||
		!slices.Equal(late[0].Y, []float64{0.5, 0}) {
		t.Errorf("late ones are %+v", late)
	}
}

func TestSpansFillTheChartWhateverTheTrace(t *testing.T) {
	s := asked(t, 120, 40)
	for seconds, want := range map[int]int{1: 1, figure.Spans: 1, figure.Spans + 1: 2, 10 * figure.Spans: 10} {
		a := solve(Trace{Arrivals: make(serving.Trace, seconds)}, s.set, s.Question())
		if a.Why != "" || a.Spans[0][0].Seconds != want {
			t.Errorf("%d seconds in spans of %d (%s), not %d", seconds, a.Spans[0][0].Seconds, a.Why, want)
		}
	}
}

func TestAQuestionSetsWhatItSays(t *testing.T) {
	s := asked(t, 120, 40)
	q := s.Question()
	q.LimitS, q.StrictShare, q.StartS, q.USDPerHour, q.Scale, q.MemoryGB = 400, 0.25, 29.6, 0.7, 3, 2
	a := solve(s.Trace, s.set, q)
	got := a.Engine.Settings
	if got.StrictLimitS != 400 || got.RelaxedLimitS != 400 || got.StrictShare != 0.25 || got.VM.StartS != 30 ||
		got.VM.USDPerHour != 0.7 || got.Function.MemoryGB != 2 {
		t.Errorf("asked with %+v", got)
	}
	if r := float64(a.Engine.Trace.Requests()) / float64(s.Trace.Arrivals.Requests()); math.Abs(r-3) > 0.05 {
		t.Errorf("three times the load is %g times it", r)
	}
	if q.LimitS = 1; solve(s.Trace, s.set, q).Engine.Settings.RelaxedLimitS != serving.Defaults().RelaxedLimitS {
		t.Error("a strict limit below it moves the relaxed one")
	}
	if w := q.wanted(); w.MinAccuracy != nil || w.Models != nil {
		t.Errorf("without a model it wants %+v", w)
	}
	q.Model, q.MinAccuracy = "served", 0.1
	if w := q.wanted(); *w.MinAccuracy != 0.1 || !slices.Equal(w.Models, []string{"served"}) {
		t.Errorf("it wants %+v", w)
	}
}

// Without an answer a sentence says why, and the mend.
func TestNothingServesIsASentence(t *testing.T) {
	if got := figure.Why(errors.New("no price is known")); got != "No price is known." {
		t.Error(got)
	}
	s := asked(t, 120, 40)
	do(s, nextModel(s))
	q := s.Question()
	q.MinAccuracy = 0.99
	if do(s, s.Change("accuracy", q)); !strings.HasSuffix(s.Shown.Why, ": loosen one of the limits.") {
		t.Errorf("at 99 %%: %q", s.Shown.Why)
	}
	q.MinAccuracy, q.LimitS = 0, 0.01
	if do(s, s.Change("limit", q)); !strings.HasSuffix(s.Shown.Why, ": loosen the limit, or probe smaller batches.") {
		t.Errorf("within 10 ms: %q", s.Shown.Why)
	}
	view := ansi.Strip(s.View())
	if s.Shown.Why == "" || !strings.Contains(view, "loosen") || s.best(nil, s.Found) != -1 || advise(s.Shown) != nil {
		t.Errorf("within 10 ms something serves:\n%s", view)
	}
	if got := s.costs(40, 10); got != "" {
		t.Errorf("costs of nothing:\n%s", got)
	}
}

func TestSlidersOfTheQuestion(t *testing.T) {
	s := asked(t, 120, 40)
	c := s.controls
	lo, hi := c.All[limitSlider].Range()
	if lo != 0.01 || hi != 60 {
		t.Errorf("the limit goes from %g to %g", lo, hi)
	}
	fields := []func(q *Question) *float64{
		limitSlider: func(q *Question) *float64 { return &q.LimitS }, accuracySlider: func(q *Question) *float64 {
			return &q.MinAccuracy
		}, strictSlider: func(q *Question) *float64 { return &q.StrictShare },
		startSlider: func(q *Question) *float64 { return &q.StartS }, memorySlider: func(q *Question) *float64 {
			return &q.MemoryGB
		}, priceSlider: func(q *Question) *float64 { return &q.USDPerHour },
		scaleSlider: func(q *Question) *float64 { return &q.Scale },
	}
	for k, field := range fields {
		lo, hi := c.All[k].Range()
		q, before := Question{Model: "served"}, Question{Model: "served"}
		c.All[k].Set(lo + (hi-lo)/4)
		c.save(k, &q)
		if *field(&q) != lo+(hi-lo)/4 {
			t.Errorf("slider %d sets %+v", k, q)
		}
		if *field(&q) = 0; !reflect.DeepEqual(q, before) {
			t.Errorf("slider %d sets another number too: %+v", k, q)
		}
		*field(&q) = hi
		if c.load(q); first(c.All[k].Value()) != hi {
			t.Errorf("slider %d is at %g, not %g", k, first(c.All[k].Value()), hi)
		}
	}
	q := Question{MinAccuracy: 0.5}
	c.All[accuracySlider].Set(0.7)
	if c.save(accuracySlider, &q); q.MinAccuracy != 0 {
		t.Error("without a model there is a floor of accuracy")
	}
	q.Model = "served"
	if c.load(q); first(c.All[accuracySlider].Value()) != 0 {
		c.save(accuracySlider, &q)
	}
	c.All[accuracySlider].Off()
	if c.save(accuracySlider, &q); q.MinAccuracy != 0 {
		t.Error("any accuracy is a floor")
	}
	if c.load(Question{}); first(c.All[strictSlider].Value()) != 0 {
		t.Error("no strict request at all can't be asked for")
	}
}

func first(v float64, _ bool) float64 { return v }

// The slider of accuracy reaches over the variants of the model, and no further.
func TestTheAccuracySlidersRangeIsThatOfTheVariants(t *testing.T) {
	s := asked(t, 120, 40)
	if lo, hi := s.controls.All[accuracySlider].Range(); lo != 0 || hi != 1 {
		t.Errorf("without a model it goes from %g to %g", lo, hi)
	}
	do(s, nextModel(s))
	if lo, hi := s.controls.All[accuracySlider].Range(); lo != 0.85 || hi != 0.9 {
		t.Errorf("with variants of 85 and 90 %% it goes from %g to %g", lo, hi)
	}
}

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
		t.Errorf("the function has %g GB, and %v marks %g", got, s.controls.All[memorySlider].Marks, suits)
	}
	q := s.Question()
	q.MemoryGB = 2
	do(s, s.Change("memory", q))
	says(memorySlider, "271 ms")
	q.MemoryGB, q.LimitS = 0, 0.02
	do(s, s.Change("limit", q))
	says(memorySlider, "none is in time")
	q.LimitS = 0.5
	do(s, s.Change("limit again", q))
	do(s, nextModel(s))
	says(accuracySlider, "2 choices")
}

func TestModelsAndChartsTurn(t *testing.T) {
	s := asked(t, 200, 50)
	if !slices.Equal(s.models, []string{"", "served"}) {
		t.Fatalf("models %q: only what has inference runs can serve", s.models)
	}
	var seen []chart
	for range 3 {
		seen = append(seen, s.shown())
		s.Act(keys.NextChart)
	}
	if !slices.Equal(seen, []chart{memoryChart, evenChart, memoryChart}) {
		t.Errorf("without a model the charts are %v", seen)
	}
	q := s.Question()
	q.MinAccuracy = 0.3
	s.Begin(q)
	if do(s, nextModel(s)); s.Question().Model != "served" || s.Question().MinAccuracy != 0 ||
		s.shown() != variantsChart {
		t.Errorf("of the model it asks %+v and shows chart %d", s.Question(), s.shown())
	}
	seen = seen[:0]
	for range 3 {
		s.Act(keys.NextChart)
		seen = append(seen, s.shown())
	}
	if !slices.Equal(seen, []chart{memoryChart, evenChart, variantsChart}) {
		t.Errorf("with a model the charts are %v", seen)
	}
	if do(s, nextModel(s)); s.Question().Model != "" || s.shown() != memoryChart {
		t.Errorf("after the last model comes %q with chart %d", s.Question().Model, s.shown())
	}
	q.MinAccuracy, q.MemoryGB = 0.3, 2
	s.Begin(q)
	if do(s, s.Act(keys.Clear)); s.Question().MinAccuracy != 0 || s.Question().MemoryGB != 0 {
		t.Errorf("cleared it asks %+v", s.Question())
	}
	if why := s.Disabled(keys.NextChart); why != "" {
		t.Error(why)
	}
	if s.SetSize(80, 24); s.Disabled(keys.NextChart) == "" {
		t.Error("a chart that is not on screen can be turned")
	}
	s.models = s.models[:1]
	if nextModel(s) != nil {
		t.Error("without models there is a next one")
	}
}

func TestMemoryPartsAtTheLimitAndRatesAreEven(t *testing.T) {
	s := asked(t, 200, 50)
	e := s.Shown.Engine
	var slow, fast int
	for _, c := range e.Memory.Choices(e.Settings.Function.Prices) {
		if c.Seconds > e.Settings.StrictLimitS {
			slow++
		} else {
			fast++
		}
	}
	s.plots.drawn = nil
	memory, even := plot.NewLines(s.Theme), plot.NewLines(s.Theme)
	s.plots.choice.Memory, s.plots.even = memory, even
	s.plots.show(s.Shown, 0)
	if slow == 0 || fast == 0 {
		t.Fatal("the study's function is too slow with little memory, and fast enough with much")
	}
	memory.SetSize(100, 30)
	even.SetSize(100, 30)
	for name, view := range map[string]string{"memory": ansi.Strip(memory.View()), "rates": ansi.Strip(even.View())} {
		if strings.Contains(view, "nothing to plot") || len(view) < 100 {
			t.Errorf("%s:\n%s", name, view)
		}
	}
}

// The columns show what the outcomes hold, and sort by it.
func TestColumnsOfTheSchemes(t *testing.T) {
	o := serving.Outcome{USD: 3, VMUSD: 2, FunctionUSD: 1, OverProvisioning: new(0.25), P50S: 0.5, P99S: 2, MostVMs: 7,
		Queries: serving.Split{Strict: 100, Relaxed: 50}, Violations: serving.Split{Strict: 10, Relaxed: 1},
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
	got := strings.Join([]string{dial.Limit(0.5), dial.Gigabytes(1.0625), dial.Hourly(0.12345), dial.Times(2)}, " ")
	if got != "≤ 500 ms 1.06 GB $0.123/h ×2" {
		t.Error(got)
	}
	s := asked(t, 200, 50)
	all := strings.Join(s.sentences(), "\n")
	for _, want := range []string{"A function of 1.062 GB takes ", "Trace: made up.",
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
