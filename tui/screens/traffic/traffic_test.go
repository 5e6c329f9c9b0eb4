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
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
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

func TestAQuestionSetsWhatItSays(t *testing.T) {
	s := asked(t, 120, 40)
	q := s.Question()
	q.LimitS, q.StrictShare, q.StartS, q.USDPerHour, q.Scale, q.MemoryGiB = 400, 0.25, 29.6, 0.7, 3, 2
	a := solve(s.Trace, s.set, q)
	got := a.Engine.Settings
	if got.StrictLimitS != 400 || got.RelaxedLimitS != 400 || got.StrictShare != 0.25 || got.VM.StartS != 30 ||
		got.VM.USDPerHour != 0.7 || got.Function.MemoryGiB != 2 {
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
			return &q.MemoryGiB
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
	q.MinAccuracy, q.MemoryGiB = 0.3, 2
	s.Begin(q)
	if do(s, s.Act(keys.Clear)); s.Question().MinAccuracy != 0 || s.Question().MemoryGiB != 0 {
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
