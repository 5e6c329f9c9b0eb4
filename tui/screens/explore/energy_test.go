package explore

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/state"
	"sweetspot/tui/theme"
)

// metered are trainings at power limits, the slower of which take less energy.
func metered() *profile.Set {
	set := &profile.Set{Models: []profile.Model{{Name: "net"}}}
	for k, watts := range []float64{100, 150, 250} {
		set.Runs = append(set.Runs, profile.Run{
			ID: int64(k + 1), Model: "net", Mode: profile.Train, InstanceType: "box", GPU: "V100", GPUCount: 1, Count: 1,
			PowerLimitW: new(watts), AveragePowerW: new(0.95 * watts), EnergyOf: profile.EnergyOfGPUs, Unit: "image",
			BatchSize: 64, Epochs: new(10.0), IterationsPerEpoch: new(100.0), StartupS: new(5.0),
			Steady: estimate.Spread(12/(watts+20), 0.05, estimate.Measured), Basis: estimate.Measured, Status: profile.Done,
		})
	}
	return set
}

// Energy has a slider, a column, a sort order and plots where any run has it, and
// no room where none has.
func TestEnergyOnTheScreen(t *testing.T) {
	clock := func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	q := question.Default()
	q.Model, q.Mode, q.Sort = "net", profile.Train, question.Sort(objective.Energy)
	s := New(&screen.Shell{Ctx: t.Context(), Theme: theme.New("", true, false), After: clock},
		state.State{Question: &q, LogAxes: true}, time.Time{})
	s.SetSize(160, 46)
	s.stored = metered()
	s.Receive(s.askSet()())
	view := ansi.Strip(s.View())
	for _, want := range []string{"energy any", " energy ", "P(most efficient)", "box at 100 W", "most efficient", " Wh"} {
		if !strings.Contains(view, want) {
			t.Errorf("no %q in\n%s", want, view)
		}
	}
	if s.Disabled(keys.Plots) != "" {
		t.Error(s.Disabled(keys.Plots))
	}
	focusOn(t, s, SecondPlot)
	s.Act(keys.Plots)
	if view := ansi.Strip(s.View()); !strings.Contains(view, "time × energy") ||
		!strings.Contains(view, "energy × epochs") ||
		strings.Contains(view, "nothing to plot") {
		t.Errorf("no plot of time and energy in\n%s", view)
	}
	if len(s.frontierOf(FirstPlot)) != 3 {
		t.Errorf("%d on the frontier, want all three", len(s.frontierOf(FirstPlot)))
	}
	least := s.Answer().Result.Best(objective.Energy)
	limited := s.Question()
	limited.Limits = question.Limits{objective.Energy: least}
	s.Receive(s.Change("limit", limited)())
	if view := ansi.Strip(s.View()); !strings.Contains(view, "▸ binds") || s.Answer().Result.Count() != 1 {
		t.Errorf("%d are feasible in\n%s", s.Answer().Result.Count(), view)
	}
	none := asked(t, "CaffeNet", profile.Infer, 160, 46)
	if view := ansi.Strip(none.View()); strings.Contains(view, "energy") || none.Disabled(keys.Plots) != "" {
		t.Errorf("energy takes room that nobody has measured in\n%s", view)
	}
}
